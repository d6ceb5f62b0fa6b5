#!/bin/sh
# Compiles one OpenCL C file to PTX: compile_cl.sh SRC.cl OUT.ptx [more clang options]
#
# CLANG names another compiler, CLC another libclc bitcode file; the flags are those of src/opencl/flags.def.
# OUT.ptx is replaced only when the compiler succeeded.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: $0 SRC.cl OUT.ptx [clang options]" >&2
    exit 2
fi
src=$1
out=$2
shift 2

clang=${CLANG:-clang-19}
clc=${CLC:-/usr/lib/clc/nvptx64--nvidiacl.bc}
table=$(dirname "$0")/../src/opencl/flags.def
flags=$(awk -F'"' '/^FLAG/ { print $2 }' "$table")

if ! command -v "$clang" >/dev/null 2>&1; then
    echo "$0: $clang not found; OpenCL C is compiled by it (Debian package: clang-19)" >&2
    exit 1
fi
if [ ! -r "$clc" ]; then
    echo "$0: $clc not found; it holds the OpenCL built-in functions (Debian packages: libclc-19 libclc-19-dev)" >&2
    exit 1
fi

trap 'rm -f "$out.tmp" "$out.again"' EXIT
compile() { # OUT [option...]
    to=$1
    shift
    # shellcheck disable=SC2086
    "$clang" -x cl $flags -S -cl-std=CL1.2 -fgnu89-inline -Wall -Werror -Wno-linker-warnings \
        "$@" -Xclang -mlink-builtin-bitcode -Xclang "$clc" "$src" -o "$to"
}
# bytes of local memory of all its functions
local_bytes() { awk -F'[][]' '/__local_depot[0-9]*\[/ { n += $2 } END { print n + 0 }' "$1"; }
compile "$out.tmp" "$@"
if [ "$(local_bytes "$out.tmp")" -gt 0 ]; then
    # shellcheck disable=SC2046
    compile "$out.again" $(awk -F'"' '/^AGAIN/ { print $2 }' "$table") "$@"
    if [ "$(local_bytes "$out.again")" -lt "$(local_bytes "$out.tmp")" ]; then mv "$out.again" "$out.tmp"; fi
fi

# A call to a function that libclc does not have would fail only when the program is loaded: say so here. In
# PTX a declaration ends with a line ";", a definition goes on with "{".
missing=$(awk '
    /^[ \t]*(\.(visible|extern|weak)[ \t]+)?\.func/ {
        name = $0
        sub(/.*\.func[ \t]+/, "", name)
        sub(/^\([^)]*\)[ \t]*/, "", name)
        sub(/[ \t(].*/, "", name)
        open = 1
    }
    open && /;[ \t]*$/ { declared[name] = 1; open = 0 }
    open && /^{/       { defined[name] = 1; open = 0 }
    END { for (f in declared) if (!(f in defined) && f != "printf" && f != "vprintf") print f }' "$out.tmp")
# src/opencl/mend.c mends this for programs; a file compiled here alone has to do without
if awk '/\.param \.align 2 \.b8 [^ ]*\[2\]/ { sub(/\[2\].*/, ""); pair["[" $NF "];"] = 1 } /ld\.param\.[us]32/ && $NF in pair { bad = 1 } END { exit !bad }' "$out.tmp"; then
    echo "$0: $src has a kernel parameter of type char2 or uchar2, which $clang loads wrongly; take a short apart instead" >&2
    exit 1
fi
# likewise src/opencl/triples.c
if grep -Eq '(char|short|int|long|float|double)3' "$src"; then
    # shellcheck disable=SC2086
    "$clang" -x cl $flags -cl-std=CL1.2 -fgnu89-inline -S -emit-llvm -w "$@" "$src" -o "$out.again"
    if awk '/^%.* = type .*<3 x / { triple[$1] = 1 } /^@/ && /<3 x / { bad = 1 } /^@/ { for (i = 1; i <= NF; i++) if ($i in triple) bad = 1 } END { exit !bad }' "$out.again"; then
        echo "$0: $src has a variable outside of functions, or a local one, with a vector of three components, which $clang lays out wrongly; use one of four" >&2
        exit 1
    fi
fi
if [ -n "$missing" ]; then
    echo "$0: $src calls functions that are nowhere defined:" $missing >&2
    exit 1
fi
mv "$out.tmp" "$out"
