#!/bin/bash
# The study docs/studies/h200.md: machine h200 against recordings of a real H200. Prints its tables as
# Markdown.
#
#   tools/study_h200.sh [micro|apps|all]
#
#   micro   micro-benchmarks: each row of tests/data/h200_micro.tsv on the simulator, beside what silicon took
#   apps    the profiled launches of the 43 applications (tests/data/silicon_apps, tests/data/h200_ncu.csv),
#           in the order of their PTX and in that of
#           the machine's assembler (ptx.schedule = written, loads)
#
# B (build) is the build directory, MACHINE (h200) the machine, JOBS (1) the simulator's threads, SET further
# options of heddle run. Needs build/heddle and build/data (make all data). Results stay in $B/study.
#
# The profiler runs a kernel 22 times, with data caches emptied before each but not the instruction caches, so
# these are ideal here.
set -eu
cd "$(dirname "$0")/.."
B=${B:-build} MACHINE=${MACHINE:-h200} JOBS=${JOBS:-1} SET=${SET:-}
case ${1:-all} in
micro | apps | all) what=${1:-all} ;;
-h | --help) sed -n '2,15s/^# \{0,1\}//p' "$0"; exit 0 ;;
*) echo "tools/study_h200.sh: micro, apps or all, not '$1'" >&2; exit 2 ;;
esac
apps=$B/data/silicon_apps
out=$B/study
[ -x "$B/heddle" ] || { echo "tools/study_h200.sh: $B/heddle is not there: make" >&2; exit 2; }
[ -d "$apps/manifest" ] || { echo "tools/study_h200.sh: $apps is not there: make data" >&2; exit 2; }
mkdir -p "$out"
export HEDDLE_DATA=${HEDDLE_DATA:-$PWD/$B/share/heddle}

simulate() { # MANIFEST CSV [OPTION...]
    local manifest=$1 csv=$2
    shift 2
    # shellcheck disable=SC2086
    "$B/heddle" run "$manifest" --machine "$MACHINE" -j "$JOBS" --set sm.icache.ideal=true $SET --quiet --csv "$csv" "$@"
}

# --- micro-benchmarks

# Kernels k1, k2, ... of the rows, each a loop around its body
micro_ptx() {
    awk -F'\t' '
    /^#/ || $1 == "name" { next }
    BEGIN {
        print ".version 7.8\n.target sm_80\n.address_size 64\n.const .align 64 .b8 tab[65536];"
    }
    {
        print ".visible .entry k" ++n "(.param .u32 p_n, .param .u32 p_c, .param .u64 p_buf)\n{"
        print ".reg .pred %p<8>, %q;\n.reg .b16 %h<8>;\n.reg .b32 %x<8>, %v<16>, %c<3>, %n, %t, %l, %b, %s, %r;\n.reg .b64 %y<8>, %a<4>, %d<2>;"
        print ".reg .f32 %z<8>, %f<3>;\n.reg .f64 %w<8>, %g<3>;\n.shared .align 128 .b8 sm[8448];"
        print "ld.param.u32 %n, [p_n];\nld.param.u32 %c1, [p_c];\nld.param.u64 %a0, [p_buf];\nmov.u64 %a1, %a0;"
        print "mov.u32 %t, %tid.x;\nand.b32 %l, %t, 31;\nmov.u32 %b, %ctaid.x;\nmov.u32 %s, sm;"
        print "add.s32 %c2, %c1, 1;\ncvt.u64.u32 %d1, %c1;\ncvt.rn.f32.u32 %f1, %c1;\ncvt.rn.f32.u32 %f2, %c2;\ncvt.f64.f32 %g1, %f1;\ncvt.f64.f32 %g2, %f2;"
        for (i = 0; i < 8; i++) print "add.s32 %x" i ", %c1, " i ";\ncvt.u64.u32 %y" i ", %x" i ";\ncvt.rn.f32.u32 %z" i ", %x" i ";\ncvt.f64.f32 %w" i ", %z" i ";\nmov.u16 %h" i ", 0;"
        if ($10 != "-") print $10
        print "LOOP:"
        for (i = 0; i < $6; i++) {
            body = $11
            gsub(/#/, i % 8, body)
            print body
        }
        print "sub.u32 %n, %n, 1;\nsetp.ne.u32 %q, %n, 0;\n@%q bra LOOP;\nOUT:"
        for (i = 0; i < 8; i++) print "cvt.u32.u64 %r, %y" i ";\nadd.u32 %x0, %x0, %r;\nadd.u32 %x0, %x0, %x" i ";\nadd.f32 %z0, %z0, %z" i ";\nadd.f64 %w0, %w0, %w" i ";"
        print "cvt.rzi.u32.f32 %r, %z0;\nadd.u32 %x0, %x0, %r;\ncvt.rzi.u32.f64 %r, %w0;\nadd.u32 %x0, %x0, %r;"
        print "setp.ne.u32 %q, %x0, 0x12345678;\n@%q bra END;\nst.global.u32 [%a0], %x0;\nEND:\nret;\n}"
    }' tests/data/h200_micro.tsv
}

# Three launches of each row: one that fills caches, and two whose difference is eight rounds of the loop.
# Rows with cold caches may tell launches apart by their rounds (%n), so as not to meet the DRAM rows that
# others opened.
micro_manifest() { # COLD BYTES
    awk -F'\t' -v cold="$1" -v bytes="$2" '
    /^#/ || $1 == "name" { next }
    { n++ }
    $9 != cold { next }
    {
        for (i = 1; i <= 3; i++)
            list = list (list == "" ? "" : ",\n") "{\"kernel\": \"k" n "\", \"grid\": [" $4 "], \"block\": [" $5 "], \"registers\": 32, \"args\": [{\"type\": \"u32\", \"value\": " \
                   (i == 2 ? 4 : i == 1 && cold ? 2 : 12) "}, {\"type\": \"u32\", \"value\": 3}, {\"buf\": \"b\"}]}"
    }
    END { print "{\"name\": \"micro\", \"ptx\": \"micro.ptx\", \"buffers\": [{\"name\": \"b\", \"type\": \"u8\", \"count\": " bytes "}], \"launches\": [\n" list "]}" }' \
        tests/data/h200_micro.tsv
}

micro_table() {
    awk -F'[\t]' -v warm="$out/warm.csv" -v cold="$out/cold.csv" '
    function next_cycles(file,    line, w) { # of the next launch
        getline line < file
        if (!(file in column)) {
            k = split(line, w, ",")
            for (i = 1; i <= k; i++) if (w[i] == "cycles") column[file] = i
            getline line < file
        }
        split(line, w, ",")
        return w[column[file]]
    }
    /^#/ || $1 == "name" { next }
    {
        file = $9 ? cold : warm
        next_cycles(file)
        first = next_cycles(file)
        per = (next_cycles(file) - first) / (8 * $6)
        sim = $3 == "rate" ? $7 / per : per - $8
        off = sim / $2 > 1 ? sim / $2 : $2 / sim
        all++
        within += off <= 1.1
        twice += off > 2
        if (split($1, part, ".") > 2 && part[1] == "instructions" && $1 !~ /mix/) {
            if (part[3] == "latency") printf "%s| %s |", (all > 1 ? "\n" : ""), part[2]
            printf " %s / %.3g |", $2, sim
        } else rest = rest sprintf("| %s | %s | %.4g | %.2f |\n", $1, $2, sim, sim / $2)
    }
    BEGIN {
        print "Instructions: silicon / simulated. Latency in cycles; threads a cycle and SM with 1, 8 and 32 warps of eight chains.\n"
        print "| operation | latency | 1 warp | 8 warps | 32 warps |\n| --- | ---: | ---: | ---: | ---: |"
    }
    END {
        printf "\n\nAll else, in cycles, or in units a cycle where the name says throughput, bandwidth or instr_per_clk.\n\n"
        printf "| figure | silicon | simulated | ratio |\n| --- | ---: | ---: | ---: |\n%s", rest
        printf "\n%d of %d figures within 10 %%, %d off by more than a factor of two.\n", within, all, twice
    }' tests/data/h200_micro.tsv
}

micro() {
    micro_ptx > "$out/micro.ptx"
    micro_manifest 0 16777216 > "$out/warm.json"
    micro_manifest 1 125829120 > "$out/cold.json"
    simulate "$out/warm.json" "$out/warm.csv"
    simulate "$out/cold.json" "$out/cold.csv" --flush
    printf '## Micro-benchmarks\n\n'
    micro_table
}

# --- applications

# Every launch in the order ORDER, as $out/ORDER/NAME.csv
run_apps() { # ORDER
    local m
    mkdir -p "$out/$1"
    for m in "$apps"/manifest/*.json; do
        simulate "$m" "$out/$1/$(basename "$m" .json).csv" --flush --set ptx.schedule="$1"
    done
}

# One line for each profiled launch: app launch kernel silicon simulated instructions(both)
# long_scoreboard(both) ... for the tables
join_apps() { # DIR
    awk -F, -v dir="$1" '
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
        file = dir "/" $1 ".csv"
        if (file != open) {
            if (open != "") close(open)
            open = file
            getline line < file
            n = split(line, head, ",")
            for (i = 1; i <= n; i++) col[head[i]] = i
            launch = -1
        }
        while (launch < $2) {
            getline line < file
            split(line, w, ",")
            launch = w[col["launch"]]
        }
        inst = w[col["warp_instructions"]]
        printf "%s %s %s %s %s %s %s %s", $1, $2, $3, $at["gpc__cycles_elapsed.max"], w[col["cycles"]], $at["smsp__inst_executed.sum"], inst, $at["dram__bytes_read.sum"]
        printf " %d", w[col["dram_reads"]] * 32
        m = split("long_scoreboard short_scoreboard wait barrier branch_resolving no_instruction drain", cause, " ")
        for (i = 1; i <= m; i++)
            printf " %s %.2f", $at["smsp__average_warps_issue_stalled_" cause[i] "_per_issue_active.ratio"], inst ? w[col["stall." cause[i]]] / inst : 0
        printf "\n"
    }' tests/data/h200_ncu.csv
}

summary() { # NAME FILE
    awk -v name="$1" '
    {
        m = $4; s = $5; n++
        e = s / m > 1 ? s / m - 1 : 1 - s / m
        err[n] = e; sum += e
        bias += s / m - 1
        x += m; y += s; xx += m * m; yy += s * s; xy += m * s
        lm = log(m); ls = log(s)
        lx += lm; ly += ls; lxx += lm * lm; lyy += ls * ls; lxy += lm * ls
    }
    END {
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (err[j] < err[i]) { t = err[i]; err[i] = err[j]; err[j] = t }
        printf "| %s | %d | %.1f %% | %.1f %% | %+.1f %% | %.3f | %.3f |\n", name, n, 100 * sum / n, 100 * err[int((n + 1) / 2)], 100 * bias / n,
               (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y)), (n * lxy - lx * ly) / sqrt((n * lxx - lx * lx) * (n * lyy - ly * ly))
    }' "$2"
}

apps() {
    local order
    for order in written loads; do
        run_apps $order
        join_apps "$out/$order" > "$out/$order.txt"
    done
    printf '## Launches\n\n'
    paste -d' ' "$out/written.txt" "$out/loads.txt" | awk '
    BEGIN {
        print "| app | launch | kernel | measured | as written | ratio | loads moved up | ratio | instructions / measured | DRAM bytes read / measured |"
        print "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    }
    { printf "| %s | %s | %s | %d | %d | %.2f | %d | %.2f | %.2f | %.2f |\n", $1, $2, $3, $4, $5, $5 / $4, $28, $28 / $4, $7 / $6, $9 / $8 }'
    printf '\n| ptx.schedule | launches | mean absolute error | median | mean signed | correlation | of logarithms |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n'
    summary written "$out/written.txt"
    summary loads "$out/loads.txt"
    printf '\n## Warp cycles for each instruction, by cause: measured / simulated (loads moved up), first profiled launch of each kernel\n\n'
    awk '
    BEGIN {
        print "| kernel | long_scoreboard | short_scoreboard | wait | barrier | branch_resolving | no_instruction | drain |"
        print "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    }
    !(($1, $3) in seen) {
        seen[$1, $3] = 1
        printf "| %s |", $3
        for (i = 10; i < 24; i += 2) printf " %.1f / %.1f |", $i, $(i + 1)
        printf "\n"
    }' "$out/loads.txt"
}

case $what in
micro) micro ;;
apps) apps ;;
all) micro; echo; apps ;;
esac
