#!/bin/sh
# Compiles one OpenCL C file to PTX: compile_cl.sh SRC.cl OUT.ptx [more clang options]
#
# CLANG names another compiler, CLC another libclc bitcode file. The triple with `nvcl` marks which memory space each
# kernel pointer parameter points to. OUT.ptx is replaced only when the compiler succeeded.
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

if ! command -v "$clang" >/dev/null 2>&1; then
    echo "$0: $clang not found; OpenCL C is compiled by it (Debian package: clang-19)" >&2
    exit 1
fi
if [ ! -r "$clc" ]; then
    echo "$0: $clc not found; it holds the OpenCL built-in functions (Debian packages: libclc-19 libclc-19-dev)" >&2
    exit 1
fi

trap 'rm -f "$out.tmp"' EXIT
"$clang" -x cl --target=nvptx64-nvidia-nvcl -S -O2 -cl-std=CL1.2 -march=sm_75 -Wall -Werror -Wno-linker-warnings \
    "$@" -Xclang -mlink-builtin-bitcode -Xclang "$clc" "$src" -o "$out.tmp"

# A call to a function that libclc does not have would fail only when the program is loaded: say so here. In PTX a
# declaration ends with a line ";", a definition goes on with "{".
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
if [ -n "$missing" ]; then
    echo "$0: $src calls functions that are nowhere defined:" $missing >&2
    exit 1
fi
mv "$out.tmp" "$out"
