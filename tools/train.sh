#!/bin/bash
# tools/train.sh BUILD: runs BUILD/train/heddle, which counts which way its branches go, and leaves the counts
# beside the objects that the compiler then makes (Makefile, Training). Short runs of what most people
# simulate, and of mechanisms that have loops of their own.
set -eu
cd "$(dirname "$0")/.."
export HEDDLE_DATA=$PWD
build=$1
find "$build/obj" -name '*.gcda' -delete

run() { "$build/train/heddle" run "$@" --quiet > /dev/null; }
for kernel in saxpy sgemm_naive sgemm_tiled mandel spmv chase; do
    run bench/kernels/$kernel.json --machine gtx480 --max-cycles 40000
done
run bench/kernels/saxpy.json --machine h200 --max-cycles 8000
run bench/kernels/spmv.json --machine turner2012 --max-cycles 12000
run bench/kernels/riscv.json --machine vortex2021 --max-cycles 60000
for machine in aurud2023 aurud2023_frrr; do
    run bench/kernels/riscv.json --machine $machine --max-cycles 30000
done
for order in rob tomasulo; do
    run bench/kernels/sgemm_tiled.json --machine gtx480 --max-cycles 6000 --set sm.order=$order
done
for diverge in dwf tbc dws vws; do
    run bench/kernels/mandel.json --machine gtx480 --max-cycles 6000 --set sm.diverge=$diverge
done
