#!/bin/bash
# Runs the tests, one line per suite, and ends with "N passed, N failed"; exit 1 when something failed.
#
#   tests/run.sh [--all] [--list] [SUITE...]
#
# Without names: every suite, in less than 15 minutes on two cores. --all widens most of them. --list says
# what each asks. A suite is a function suite_NAME below, under a line with its question, that prints TAP
# lines ("ok NAME", "not ok NAME"); everything else it prints is shown when something failed. To add one: the
# function, its name in SUITES (those that take long first), and in variants() the builds it needs beside
# build/.
#
# A suite, or a part of one, that needs tools which few have asks for them (`needs`, exit 77 of a script) and is
# skipped without them: one line says what is missing and what installs it, and the line above the last counts
# it apart.
#
# What is counted are cases: a case is a name, however many builds, machines or suites run it, and fails if it
# fails in one of them. Suites run JOBS at a time (default: one per processor); the seconds behind a suite are
# the processor's.
set -u
cd "$(dirname "$0")/.." || exit 2
unset MAKEFLAGS MAKELEVEL MFLAGS

SUITES="build contract pressure replay opencl host san determinism timing sweep torture valgrind fuzz golden workloads clang micro unit isa apps bad cli lab package noavx2 page cluster"
JOBS=${JOBS:-$(nproc)}
ALL=
LOGS=build/test-logs
export HEDDLE_DATA=$PWD/build/share/heddle
export CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# --- building blocks; each prints TAP

# build DIR "make arguments": one test, that the variant builds without a word of warning
build() {
    # shellcheck disable=SC2086
    if make -s -j"$JOBS" $2; then echo "ok build $1"; else echo "not ok build $1"; return 1; fi
}

# within SECONDS command...: ends it after so much processor time, whatever else the machine does; on the
# clock it may take ten times as long
within() {
    "$PWD"/tests/within "$@"
}
# why CODE SECONDS: what an exit code of `within` means
why() {
    case $1 in
    124) echo "exit 124: more than $((10 * $2)) s on the clock" ;;
    137 | 152) echo "exit $1: more than $2 s of processor time" ;;
    *) echo "exit $1" ;;
    esac
}

# needs NAME GROUP TOOL...: true when every tool is there, a command or the path of a file; else prints the line
# "skip NAME: ..." and is false
needs() {
    local name=$1 group=$2 tool missing=
    shift 2
    for tool; do
        case $tool in */*) [ -e "$tool" ] ;; *) command -v "$tool" >/dev/null ;; esac || missing="$missing $tool"
    done
    [ -n "$missing" ] || return 0
    echo "skip $name: no$missing; to install: tools/setup.sh $group"
    return 1
}

# one "name" command...: one test that passes when the command exits 0, and is skipped when it exits 77, for the
# reason in its last line
one() {
    local name=$1 out rc
    shift
    out=$(within 300 "$@" 2>&1 </dev/null)
    rc=$?
    case $rc in
    0) echo "ok $name" ;;
    77) echo "skip $name: $(tail -1 <<<"$out")" ;;
    *)
        echo "not ok $name ($(why $rc 300))"
        echo "$out" | tail -25 | sed 's/^/# /' ;;
    esac
}

# unit_programs DIR [FOLDER [NAME]]: every cmocka program, or one; one that dies outside its tests is one
# failure more
unit_programs() {
    local dir=$1 program out rc
    for program in "$dir/${2:-tests}"/${3:-test_*}; do
        case $program in *.d) continue ;; esac
        [ -x "$program" ] || continue
        out=$(within 300 "$program" 2>&1 </dev/null)
        rc=$?
        echo "# $program"
        sed -E "s/^((not )?ok) [0-9]+ - /\\1 ${program##*/} /" <<<"$out"
        if [ $rc -ne 0 ] && ! grep -q '^not ok' <<<"$out"; then echo "not ok $program died ($(why $rc 300))"; fi
        if [ $rc -eq 0 ] && ! grep -q '^ok' <<<"$out"; then echo "not ok $program ran no test"; fi
    done
}

# vectors DIR DATA [OPTION...]: `heddle vectors`, each recorded instruction being one case
vectors() {
    local dir=$1 data=$2 out
    shift 2
    out=$(within 540 "$dir"/heddle vectors "$data" "$@" --verbose 2>&1 </dev/null)
    if ! tail -1 <<<"$out" | grep -q '^[0-9]* passed, [0-9]* failed'; then
        echo "not ok heddle vectors ${data##*/} gave no result"
        tail -25 <<<"$out" | sed 's/^/# /'
        return
    fi
    sed -n "s,^ok  *\([^ ]*\).*,ok vector ${data##*/}/\1,p; s,^FAIL \([^ ]*\).*,not ok vector ${data##*/}/\1,p" <<<"$out"
    grep -v '^ok ' <<<"$out" | grep -A3 '^FAIL' | head -60 | sed 's/^/# /'
}

# all_vectors: the published set, our own of further combinations and inputs, random kernels, textures and
# surfaces
all_vectors() { # DIR [OPTION...]
    local dir=$1
    shift
    vectors "$dir" build/data/ptxvec_open "$@"
    vectors "$dir" build/data/ptxvec_more "$@"
    vectors "$dir" build/data/ptxvec_random "$@"
    vectors "$dir" build/data/ptxvec_tex "$@"
}

# some_vectors DIR STEP: a directory with every STEP-th case
some_vectors() {
    local to=$1/data/vectors_$2
    mkdir -p "$to"
    ln -sfn "$PWD"/build/data/ptxvec_open/modules "$to"/modules
    ln -sf "$PWD"/build/data/ptxvec_open/*.bin "$to"/
    awk -v step="$2" 'NR == 1 || NR % step == 2 % step' build/data/ptxvec_open/index.tsv > "$to"/index.tsv
    echo "$to"
}

# app DIR NAME: one recorded application, to silicon's checksum
app() {
    one "app $2" "$1"/heddle run build/data/silicon_apps/manifest/"$2".json --functional --quiet
}

# --- the builds

# variants SUITE: which it needs beside build
variants() {
    case $1 in
    clang | determinism) echo build-clang ;;
    san) echo build-san ${ALL:+build-clang-san} ;;
    opencl) echo build-san build-tsan ;;
    noavx2) echo ${ALL:+build-noavx2} ;;
    torture) echo ${ALL:+build-torture} ;;
    esac
}
# The arguments of make that build one
arguments() {
    case $1 in
    build) echo "all unit micro replay pressure lab opencl-tests data build/gen_docs build/view build/json_get build/bench_functional build/bench_timing build/bench_oclgrind" ;;
    build-clang) echo "CC=clang-19 build-clang/heddle unit micro" ;;
    build-san) echo "SAN=1 build-san/heddle unit micro opencl-tests" ;;
    build-clang-san) echo "SAN=1 CC=clang-19 build-clang-san/heddle unit micro" ;;
    build-tsan) echo "B=build-tsan NO_AVX2=1 CFLAGS=-fsanitize=thread LDFLAGS=-fsanitize=thread build-tsan/libheddle-opencl.so $([ -n "$ALL" ] && echo opencl-tests || echo build-tsan/opencl/test_threads)" ;;
    build-noavx2) echo "NO_AVX2=1 build-noavx2/heddle" ;;
    build-torture) echo "CFLAGS=-DHEDDLE_TORTURE B=build-torture build-torture/heddle unit" ;;
    esac
}

# --- the suites

# Do all builds that the suites need compile without a word?
suite_build() {
    local variant
    for variant in build $(for suite in $wanted; do variants "$suite"; done | tr ' ' '\n' | sort -u); do
        build "$variant" "$(arguments "$variant")"
    done
}

# Does each container, parser, allocator, reader work?
suite_unit() { unit_programs build; }

# Is a refused memory instruction issued again as it should, and predicted? A worked example, exact
# behaviours, every hazard policy with every tracker and predictor
suite_replay() {
    unit_programs build replay
    bash tests/replay/contract.sh build ${ALL:+--all}
}

# What do schedulers, re-execution and energy do when memory is saturated? The documents' examples, exact
# behaviours, every scheduler with every hazard policy and queue
suite_pressure() {
    unit_programs build pressure
    bash tests/pressure/contract.sh build ${ALL:+--all}
}

# Is the timing tight: ready at T and not at T-1? As it runs, and cycle by cycle in windows of one with the
# invariants looked at
suite_micro() {
    unit_programs build micro
    MICRO_TICK=1 unit_programs build micro
}

# Does each instruction give what silicon gives? As written, and on a machine whose assembler moves loads
suite_isa() {
    all_vectors build
    all_vectors build --machine gtx480 --set ptx.schedule=loads --set gpu.perfect_memory=true
}

# Do whole applications give silicon's output?
suite_apps() {
    local manifest
    for manifest in build/data/silicon_apps/manifest/*.json; do app build "$(basename "$manifest" .json)"; done
}

# Does each bundled workload agree with its CPU reference? Without timing at sizes tiny and small, with it at
# size tiny; with --all also timed at size small, and untimed at size paper
suite_workloads() {
    local name size map
    for name in $(sed -n 's/^WORKLOAD( *\([a-z0-9_]*\).*/\1/p' workloads/workloads.def); do
        for size in tiny small ${ALL:+paper}; do
            one "workload $name $size" build/heddle run "$name" --size "$size" --functional --quiet
        done
        for size in tiny ${ALL:+small}; do
            one "workload $name $size, timed" build/heddle run "$name" --size "$size" --machine gtx480 --quiet
        done
    done
    needs "workloads as RISC-V programs" riscv clang-19 ld.lld-19 || return
    local riscv="--machine vortex2021 --functional --quiet --set isa.riscv.ext=imaf --set isa.vortex.diverge="
    for name in $(sed -n 's/^WORKLOAD( *\([a-z0-9_]*\).*/\1/p' workloads/workloads.def); do
        for map in ${ALL:+group lanes}; do
            # shellcheck disable=SC2086
            one "workload $name as a RISC-V program, $map" build/heddle run "$name" --size tiny ${riscv}ipdom --set runtime.map="$map" --set sm.shared_b=65536
            # shellcheck disable=SC2086
            one "workload $name as a RISC-V program for v3, $map" build/heddle run "$name" --size tiny ${riscv}ipdom --set isa.vortex=v3 --set runtime.map="$map" --set sm.shared_b=65536
        done
    done
    for name in bfs btree nw psort kmeans vecadd saxpy sgemm sfilter nearn; do
        # shellcheck disable=SC2086
        one "workload $name with split and join" build/heddle run "$name" --size tiny ${riscv}split --set runtime.map=lanes
        if [ "$name" = btree ]; then continue; fi # its barriers depend on the query
        # shellcheck disable=SC2086
        one "workload $name with split and join, a group a thread" build/heddle run "$name" --size tiny ${riscv}split
    done
    for name in bfs btree nw psort kmeans vecadd saxpy sgemm sfilter nearn; do
        # shellcheck disable=SC2086
        one "workload $name with split and join of v3" build/heddle run "$name" --size tiny ${riscv}split --set isa.vortex=v3 --set runtime.map=lanes
        if [ -z "$ALL" ] || [ "$name" = btree ]; then continue; fi
        # shellcheck disable=SC2086
        one "workload $name with split and join of v3, a group a thread" build/heddle run "$name" --size tiny ${riscv}split --set isa.vortex=v3
    done
}

# Do programs under timing give the right output, with a clean audit, and does measuring control do what it
# says?
suite_timing() {
    tests/timing/outputs.sh build ${ALL:+--all}
    tests/timing/control.sh build
    tests/timing/sample.sh build
    if [ -n "$ALL" ]; then one "the interval of --sample holds in 93 of 100" tests/sampling/check.sh; fi
}

# Does any scheduler work with any divergence, fetch and hazard policy? With --all every order, scheduler,
# divergence policy, hazard policy and warp scaling with every other, else so that each order meets each of them
suite_contract() {
    tests/timing/contract.sh build ${ALL:+--all}
    if [ -n "$ALL" ]; then tests/timing/product.sh build; else tests/timing/product.sh build pairs; fi
}

# Do machines with queues of one and machines at random keep their invariants? With --all also the functional
# simulator with the shortest turns
suite_torture() {
    tests/timing/torture.sh build ${ALL:+--all}
    if [ -z "$ALL" ]; then tests/timing/random.sh build 60; return; fi
    tests/timing/random.sh build 600
    unit_programs build-torture
    local manifest
    for manifest in build/data/silicon_apps/manifest/*.json; do app build-torture "$(basename "$manifest" .json)"; done
}

# Is every counter of the recorded runs what it was? With --all every key is changed by a step and some run
# must notice
suite_golden() {
    tests/golden/check.sh build
    if [ -n "$ALL" ]; then tests/golden/mutation.sh build; fi
}

# Does each mistake get its exact message and exit code?
suite_bad() { tests/bad/run.sh build/heddle; }

# Do the commands print and write what they promise?
suite_cli() {
    local script
    for script in tests/cli/*.sh; do one "cli $(basename "$script" .sh)" bash "$script" build; done
}

# Does the laboratory give the lecture's answers to the cycle, and agree with a second model on 10,000 random
# programs, and the GPU core with both on 1,500? With --all on 10,000
suite_lab() {
    LAB_PROGRAMS=${ALL:+10000} unit_programs build lab
    one "lab command" bash tests/lab/command.sh build
}

# Are there Debian packages that lintian accepts? With --all also: do they install in a bare Debian 12, work and
# go again?
suite_package() {
    needs package package dpkg-buildpackage dh lintian || return
    one "package deb" bash tests/package/deb.sh build
    if [ -n "$ALL" ]; then one "package bare system" bash tests/package/bare.sh build; fi
}

# Does the command keep its promises on a full disk, a closed pipe, a busy host, when it is ended at any
# moment, and with input that has no end?
suite_host() {
    local script
    for script in tests/host/*.sh; do one "host $(basename "$script" .sh)" bash "$script" build ${ALL:+--all}; done
}

# Does the report page show what the results say, in a real browser: numbers, brush, sort, keys, dark, paper?
suite_page() {
    needs page page chromium python3 /usr/share/nodejs/d3/dist/d3.min.js || return
    within 540 python3 tests/page/test_page.py build
}

# Does a sweep keep every run, once, whatever is killed, full, missing or wrong? With --all 400 runs and ten kills
suite_sweep() {
    local script
    for script in tests/sweep/*.sh; do one "sweep $(basename "$script" .sh)" bash "$script" build ${ALL:+--all}; done
}

# Do runs on a real Slurm come back, each once, when a node, the controller and the sweep are killed? 200 of
# them with --all
suite_cluster() {
    needs cluster cluster slurmctld slurmd munged sbatch || return
    one "cluster slurm" bash tests/cluster/slurm.sh build "${ALL:+200}"
}

# Does the driver answer as the specification says, through the loader? Its functions, also under ASan;
# several threads under TSan, with --all everything; whole programs; clinfo
suite_opencl() {
    local script
    opencl_programs build
    for script in tests/opencl/*.sh; do one "opencl $(basename "$script" .sh)" bash "$script" build; done
    rm -f build-san/opencl/counts
    OCL_COUNTS=$PWD/build-san/opencl/counts opencl_programs build-san
    one "opencl every function right and wrong" tests/opencl/covered build-san/opencl/counts
    if [ -n "$ALL" ]; then opencl_programs build-tsan; else opencl_programs build-tsan test_threads; fi
}
# A build's tests with the same build's driver: all of them, or those of one name
opencl_programs() {
    XDG_CACHE_HOME=$PWD/build/opencl-cache OCL_ICD_VENDORS=$PWD/$1/libheddle-opencl.so unit_programs "$1" opencl "${2:-}"
}

# Are the lanes right without AVX2? As chosen when the command starts; with --all also as built without
suite_noavx2() {
    HEDDLE_NO_AVX2=1 all_vectors build
    if [ -n "$ALL" ]; then all_vectors build-noavx2; fi
}

# Does the other compiler's build behave the same?
suite_clang() {
    unit_programs build-clang
    unit_programs build-clang micro
    all_vectors build-clang
}

# Is a run the same for any number of threads, window, and compiler?
suite_determinism() { tests/timing/determinism.sh build build-clang; }

# Do gcc's ASan and UBSan find anything? With --all clang's too, and in every application and workload
suite_san() {
    sanitized build-san
    if [ -n "$ALL" ]; then sanitized build-clang-san; fi
}
sanitized() {
    local name manifest
    unit_programs "$1"
    unit_programs "$1" micro
    all_vectors "$1"
    tests/bad/run.sh "$1"/heddle
    if [ -n "$ALL" ]; then
        for manifest in build/data/silicon_apps/manifest/*.json; do app "$1" "$(basename "$manifest" .json)"; done
        for manifest in build/share/heddle/workloads/*; do one "workload $(basename "$manifest") tiny" "$1"/heddle run "$(basename "$manifest")" --size tiny --functional --quiet; done
    else
        for name in reduce_shfl lud bfs nw sgemm_reg; do app "$1" $name; done
    fi
}

# memcheck NAME COMMAND...: one test; results do not count, as valgrind computes some roundings in its own
# way, errors of memory do
memcheck() {
    local name=$1 out
    shift
    out=$(within 540 valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect "$@" 2>&1 </dev/null)
    case $? in
    99 | 124 | 152) echo "not ok memcheck $name"; grep '^==' <<<"$out" | head -40 | sed 's/^/# /' ;;
    *) echo "ok memcheck $name" ;;
    esac
}
# Does memcheck find anything?
suite_valgrind() {
    needs valgrind test valgrind || return
    local step=10 program
    [ -z "$ALL" ] || step=1
    memcheck "vectors, one in $step" build/heddle vectors "$(some_vectors build $step)"
    memcheck "check lud" build/heddle check build/data/silicon_apps/ptx/lud.ptx --disasm
    memcheck "run vecadd" build/heddle run vecadd --size tiny --functional
    memcheck "run nqueens" build/heddle run nqueens --size tiny --functional --json /dev/null
    memcheck "bad program" build/heddle check tests/bad/missing_semicolon.ptx
    [ -n "$ALL" ] || return
    for program in build/tests/test_*; do
        [ -x "$program" ] && memcheck "$(basename "$program")" "$program"
    done
}

# Does libFuzzer find anything in 30 seconds? `make fuzz` runs ten minutes a target
suite_fuzz() {
    local total=30
    [ -z "$ALL" ] || total=180
    FUZZ_SECONDS=$total tests/fuzz/run.sh
}

# --- the runner

now() { date +%s.%N; }
seconds() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", b - a }'; }

# cases LOG...: "passed failed" of the distinct cases in logs
cases() {
    awk '/^(not )?ok / {
             bad = $1 == "not"
             sub(/^(not )?ok /, "")
             sub(/ \(exit .*/, "")
             failed[$0] += bad
         }
         END { for (name in failed) if (failed[name]) f++; else p++; print p + 0, f + 0 }' "$@"
}

# run SUITE: into its log, then its line
run() {
    local suite=$1 p f cpu
    cpu=$({ TIMEFORMAT='%U %S'; time suite_"$suite" > "$LOGS/$suite" 2>&1; } 2>&1 | awk '{ printf "%.1f", $1 + $2 }')
    read -r p f < <(cases "$LOGS/$suite")
    {
        [ "$f" -eq 0 ] || grep -vE '^(ok|1\.\.|# ok - tests|# build[a-z0-9-]*\/tests|  (cc|cl|ar|link|data) )' "$LOGS/$suite" | head -200
        grep '^skip ' "$LOGS/$suite"
        [ $((p + f)) -eq 0 ] && grep -q '^skip ' "$LOGS/$suite" ||
            printf '%-12s %6d passed %4d failed %8s s\n' "$suite" "$p" "$f" "$cpu"
    } > "$LOGS/$suite.line"
    cat "$LOGS/$suite.line" # in one write: suites end at the same time
}

# skipped SUITE...: what was left out, for the line above the last: suites of which nothing ran, and cases
skipped() {
    local suite cases=0 n suites=
    for suite; do
        n=$(grep -c '^skip ' "$LOGS/$suite")
        [ "$n" -gt 0 ] || continue
        if grep -qE '^(not )?ok ' "$LOGS/$suite"; then cases=$((cases + n)); else suites="$suites $suite"; fi
    done
    echo "skipped for want of tools: $(wc -w <<<"$suites") suites${suites:+ (${suites# })}, $cases single cases"
}

list() {
    local suite
    for suite in $SUITES; do printf '%-12s %s\n' "$suite" "$(grep -B1 "^suite_$suite()" tests/run.sh | sed -n 's/^# //p')"; done
}

wanted=
for arg; do
    case $arg in
    --all) ALL=1 ;;
    --list) list; exit 0 ;;
    -*) echo "tests/run.sh: unknown option $arg (--all, --list or names of suites)" >&2; exit 2 ;;
    *)
        case " $SUITES " in
        *" $arg "*) wanted="$wanted $arg" ;;
        *) echo "tests/run.sh: no suite '$arg'; there are: $SUITES" >&2; exit 2 ;;
        esac ;;
    esac
done
[ -n "$wanted" ] || wanted=$SUITES
wanted="build $(for suite in $wanted; do [ "$suite" = build ] || echo "$suite"; done)" # what is tested is what lies there, not what was built last
mkdir -p "$LOGS"
rm -f "$LOGS"/*

begin=$(now)
run build
rest=${wanted#build }
! grep -q '^not ok' "$LOGS/build" || rest= # without the command nothing else can run
running=0 at_once=$JOBS
[ "$(wc -w <<<"$rest")" -le 1 ] || export JOBS=1 # a processor for each suite
for suite in $rest; do
    [ $running -lt "$at_once" ] || { wait -n; running=$((running - 1)); }
    run "$suite" &
    running=$((running + 1))
done
wait
read -r passed failed < <(for suite in build $rest; do echo "$LOGS/$suite"; done | xargs awk 1 | cases)
echo "in $(seconds "$begin" "$(now)") s, $(cat "$LOGS"/*.line | awk '/ s$/ { n += $(NF - 1) } END { print int(n) }') s of the processor; logs in $LOGS/"
# shellcheck disable=SC2086
skipped build $rest
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
