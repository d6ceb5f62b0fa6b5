#!/bin/bash
# The demonstration of `make demo`: a bundled OpenCL workload, compiled to PTX, on the simulated GPU, and its
# result as a picture.
set -eu
cd "$(dirname "$0")/.."
B=${B:-build}
out=$B/demo
mkdir -p "$out"

say() { printf '\n$ %s\n' "$*"; "$@"; }

say "$B"/heddle run mandelbrot --dump iterations "$out/mandelbrot.u32"
side=300
say "$B"/view "$out/mandelbrot.u32" $side $side --ppm "$out/mandelbrot.ppm"
printf '\nEvery pixel was one thread of the simulated GPU. The picture is also in %s.\n' "$out/mandelbrot.ppm"
