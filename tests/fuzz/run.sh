#!/bin/bash
# Builds the fuzz targets (clang-19, libFuzzer, ASan, UBSan) and runs each for its share of FUZZ_SECONDS;
# prints TAP.
#
# Seeds are the recorded hardware modules, the silicon applications, the bad cases and the manifests of the
# tree. The corpus grows in build-fuzz/corpus/TARGET and is kept between runs. A finding is left in
# build-fuzz/findings/; once fixed, move it to tests/fuzz/regress/TARGET/, where every run (and so `make
# test`) replays it first.
#
# All runs with limits on. The readers' own (src/base/limit.def) are those of the command; each target also
# gets an input one byte above its limit, and must refuse it. An input may take SECONDS_EACH of time and
# MEGABYTES of memory, instructions and device memory of a program that runs are bounded in fuzz_exec.c, and the whole may
# take no more processor time than its share and a reserve.
set -u
cd "$(dirname "$0")/../.." || exit 2
unset MAKEFLAGS MAKELEVEL MFLAGS
FUZZ_SECONDS=${FUZZ_SECONDS:-30}
SECONDS_EACH=10 MEGABYTES=2048
bounds="-timeout=$SECONDS_EACH -rss_limit_mb=$MEGABYTES -malloc_limit_mb=$((MEGABYTES / 2))"
JOBS=${JOBS:-$(nproc)}
export HEDDLE_DATA=$PWD # machines, for fuzz_exec
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

targets=$(basename -s .c tests/fuzz/fuzz_*.c)
if ! make -s -j"$JOBS" CC=clang-19 FUZZ=1 NO_AVX2=1 B=build-fuzz fuzzers build-fuzz/data/ptxvec_open/.unpacked build-fuzz/data/silicon_apps/.unpacked; then
    echo "not ok build the fuzz targets"
    exit 1
fi

seeds() {
    local to=$1 f
    mkdir -p "$to"
    case $2 in
    fuzz_ptx | fuzz_exec)
        cp tests/bad/*.ptx "$to" 2>/dev/null
        cp build-fuzz/data/silicon_apps/ptx/*.ptx "$to"
        # of each recorded module the header and one kernel: small inputs mutate better
        for f in build-fuzz/data/ptxvec_open/modules/*.ptx; do
            awk '/\.entry/ { n++ } n < 2' "$f" > "$to/$(basename "$f")"
        done ;;
    fuzz_config)
        for f in machines/*.ini machines/*/*.ini; do grep -v '^;' "$f" > "$to/$(basename "$f")"; done ;;
    fuzz_lab) cp lab/*.s "$to" ;;
    fuzz_riscv) # tmc -1; thread id; a loop; tmc 0: as a flat image, for each machine
        for f in 004 005 006 007; do printf "\\$f\223\002\360\377\153\200\002\000\363\042\000\314\223\202\022\000\343\316\122\376\153\000\000\000" > "$to/flat$f"; done ;;
    fuzz_manifest)
        cp build-fuzz/data/silicon_apps/manifest/*.json "$to"
        for f in tests/bad/*.manifest; do [ -f "$f" ] && sed '/^\/\/ /d' "$f" > "$to/$(basename "$f").json"; done
        for f in workloads/*/*.json; do [ -f "$f" ] && cp "$f" "$to/$(echo "$f" | tr / _)"; done ;;
    esac
}

# Words worth trying, from the tables
dictionary() {
    case $1 in
    fuzz_ptx | fuzz_exec)
        sed -n 's/^OP(\([a-z0-9]*\),.*/"\1"/p' src/isa/op.def
        grep -ohE 'MOD\([^)]*"\)' src/isa/mod.def | sed 's/.*"\(.*\)")/".\1"/'
        grep -ohE 'TYPE\([a-z0-9]*' src/isa/type.def | sed 's/TYPE(\(.*\)/".\1"/'
        grep -ohE 'SREG\([^)]*"\)' src/isa/sreg.def | sed 's/.*\("%.*"\))/\1/'
        printf '".%s"\n' entry func param reg shared local const global extern visible weak align maxntid reqntid branchtargets callprototype calltargets pragma loc file ;;
    fuzz_config)
        grep -ohE '^KEY_[A-Z0-9]*\([a-z0-9_]*, "[^"]*"' src/config/config.def | sed 's/.*"\(.*\)\.\([^.]*\)"/"\2"\n"[\1]"/' | sort -u
        printf '"%s"\n' base small gtx480 dram/gddr5 true false lru fifo generic: separated: unit latency_cy interval_cy '[sm.class.int]' ;;
    fuzz_lab)
        sed -n 's/^LAB_OP([A-Z]*, *\("[A-Z]*"\).*/\1/p' src/lab/op.def | sort -u
        printf '"%s"\n' .data .fill .bytes .reg .memory .set .access .execute .token R1 V0 MM1 A2 X3 AEQ EAQ TID VLEN VSTR VMASK '<-' '=>' 'MEM[' '++' SWITCH MERGE FETCH NEXT EXIT ;;
    fuzz_riscv) # instruction words, lowest byte first
        sed -n 's/^RV([^,]*, "[^"]*", 0x[0-9A-F]*, 0x\([0-9A-F]*\),.*/00000000\1/p' src/riscv/rv.def |
            sed 's/.*\(..\)\(..\)\(..\)\(..\)$/"\\x\4\\x\3\\x\2\\x\1"/' | sort -u ;;
    fuzz_manifest)
        printf '"\\"%s\\""\n' ptx buffers launches expect id name type count bytes generator seed p0 p1 file check kernel grid block dynamic_smem registers args buf hex value mode tolerance \
            u8 s8 u16 s16 u32 s32 u64 s64 f32 f64 zero fill hash mod bytes unit range prefix lcgperm ramp diagdom twiddle powerlaw popular band mesh bell bits reference silicon_fnv1a64 reference_fnv1a64 ;;
    esac
}

# over TARGET: a good input, but with so many empty lines that it is one byte above the target's limit
over() {
    local id=PROGRAM good=examples/kernel.ptx most
    case $1 in
    fuzz_config) id=MACHINE good=machines/small.ini ;;
    fuzz_lab) id=LAB good=lab/scalar.s ;;
    fuzz_manifest) id=MANIFEST good=workloads/vecadd/manifest-tiny.json ;;
    esac
    most=$(sed -n "s/^LIMIT($id, \([0-9]*\) << \([0-9]*\),.*/\1 << \2/p" src/base/limit.def)
    { cat "$good"; head -c $(((most) + 1)) /dev/zero | tr '\0' '\n'; } | head -c $(((most) + 1))
}

share=$((FUZZ_SECONDS / $(wc -w <<<"$targets")))
status=0
for target in $targets; do
    corpus=build-fuzz/corpus/$target
    findings=build-fuzz/findings
    mkdir -p "$corpus" "$findings"
    if [ -d tests/fuzz/regress/"$target" ]; then
        for f in tests/fuzz/regress/"$target"/*; do
            # shellcheck disable=SC2086
            if build-fuzz/"$target" $bounds "$f" > build-fuzz/log 2>&1; then
                echo "ok replay $f"
            else
                echo "not ok replay $f"; tail -30 build-fuzz/log | sed 's/^/# /'; status=1
            fi
        done
    fi
    over "$target" > build-fuzz/over
    # shellcheck disable=SC2086
    if build-fuzz/"$target" $bounds build-fuzz/over > build-fuzz/log 2>&1; then
        echo "ok $target refuses an input above its limit"
    else
        echo "not ok $target refuses an input above its limit"; tail -30 build-fuzz/log | sed 's/^/# /'; status=1
    fi
    rm -f build-fuzz/over
    seeds build-fuzz/seeds/"$target" "$target"
    dictionary "$target" > build-fuzz/"$target".dict
    ascii=0 # a program that is to run must be text
    [ "$target" != fuzz_exec ] || ascii=1
    # shellcheck disable=SC2086
    if (ulimit -St $((2 * share + 120)) && build-fuzz/"$target" $bounds -only_ascii=$ascii -max_total_time="$share" -max_len=16384 -dict=build-fuzz/"$target".dict -artifact_prefix="$findings/$target-" \
        "$corpus" build-fuzz/seeds/"$target") > build-fuzz/log 2>&1; then
        echo "ok $target: no finding in $share s ($(sed -n 's/^Done \([0-9]*\) runs.*/\1 inputs/p' build-fuzz/log))"
    else
        echo "not ok $target: a finding, left in $findings"
        grep -v '^#' build-fuzz/log | tail -40 | sed 's/^/# /'
        status=1
    fi
done
exit $status
