#!/bin/bash
# What the README shows is what comes out: examples/
. "$(dirname "$0")"/common
cd "$work" || exit 1
cp "$top"/examples/* .
expect 3 "$heddle" run kernel.ptx --manifest launch.json
sed -n '/run kernel.ptx --manifest launch.json$/,/in launches/p' "$top/README.md" | sed '1d; s/^    //' > shown
diff shown err > diff || { complain "the README shows another fault:"; cat diff; }
expect 0 "$heddle" check scale.ptx --disasm
sed -n '/check scale.ptx --disasm$/,/(end)/p' "$top/README.md" | sed '1d; s/^    //' > shown
sed 's/ *;$//' out | diff shown - > diff || { complain "the README shows another kernel:"; cat diff; }
# the documented link line, from C and from C++
flags="-I $top/include $B/libheddle.a -ljansson -linih -lm -lpthread"
# shellcheck disable=SC2086
cc library.c $flags -o c 2> err || { complain "the library does not link from C"; cat err; }
expect 0 ./c scale.ptx; out_has 'data\[100\] = 300 after'
if command -v c++ > /dev/null; then
    # shellcheck disable=SC2086
    c++ -x c++ library.c -x none $flags -o cpp 2> err || { complain "the library does not link from C++"; cat err; }
    expect 0 ./cpp scale.ptx; out_has 'data\[100\] = 300 after'
else
    echo "# no C++ compiler: extern \"C\" is not tried"
fi
finish
