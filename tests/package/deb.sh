# The Debian packages are built, lintian finds nothing to warn of, and each file is in the package it belongs to.
. "$(dirname "$0")"/../cli/common
make -s -C "$top" B="$(realpath --relative-to="$top" "$B")" deb > "$work/log" 2>&1 || { complain "make deb failed"; tail -15 "$work/log"; }
# what tools/setup.sh installs for building is what the package says it needs, but for what every build has
sed -n 's/^\(build\|workloads\)  *\([^ ]*\) .*/\2/p' "$top/tools/setup.sh" | grep -vxE 'gcc|libc6-dev|make' | sort > "$work/wanted"
sed -n 's/^Build-Depends: //p' "$top/debian/control" | tr -d ' ' | tr , '\n' | grep -v ^debhelper | sort > "$work/named"
diff "$work/wanted" "$work/named" > "$work/diff" || { complain "tools/setup.sh (<) and debian/control (>):"; cat "$work/diff"; }
for package in heddle libheddle0 libheddle-dev python3-heddle; do dpkg-deb -c "$B"/deb/${package}_*.deb > "$work/$package.list"; done
has() { grep -qE " \./$2( |$)" "$work/$1.list" || complain "$1 has no $2"; }
has heddle usr/bin/heddle
has heddle usr/lib/heddle/libheddle-opencl.so
has heddle usr/share/heddle/machines/gtx480.ini
has heddle usr/share/bash-completion/completions/heddle
for command in $("$heddle" list commands | cut -d' ' -f1); do has heddle "usr/share/man/man1/heddle-$command.1.gz"; done
has libheddle0 'usr/lib/[^ ]*/libheddle.so.0'
has libheddle-dev 'usr/lib/[^ ]*/pkgconfig/heddle.pc'
has libheddle-dev usr/include/heddle.h
has python3-heddle usr/lib/python3/dist-packages/heddle.py
finish
