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
    run bench/kernels/$kernel.json --machine gtx480 --max-cycles 6000
done
run bench/kernels/saxpy.json --machine h200 --max-cycles 1500
run bench/kernels/spmv.json --machine turner2012 --max-cycles 2000
for machine in vortex2021 aurud2023 aurud2023_frrr; do
    run tests/golden/riscv_group_split.elf --manifest tests/golden/riscv_group_split.json --machine $machine
done
for order in rob tomasulo; do
    run bench/kernels/sgemm_tiled.json --machine gtx480 --max-cycles 1000 --set sm.order=$order
done
for diverge in dwf tbc dws vws; do
    run bench/kernels/mandel.json --machine gtx480 --max-cycles 1000 --set sm.diverge=$diverge
done
