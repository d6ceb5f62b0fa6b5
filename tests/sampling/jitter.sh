#!/bin/bash
# Is a jitter what it says? Perturbed runs held against the jitter of others.
#
#   tests/sampling/jitter.sh [--table] [BUILD] [DATABASE]
#
# Eleven perturbations of launch latency, first SM, addresses and the data's seed (tests/sampling/jitter.ini);
# each is held against the jitter (stats/verdict.h) around the mean of the eight that follow it, in turn, and
# the last three against that of the first eight. Of normally distributed runs 95 of 100 fall inside. Passes
# at 90 of 100 of both. With DATABASE runs are kept there, and not repeated. --table: a row a kernel.
set -u
cd "$(dirname "$0")/../.." || exit 2
table=
[ "${1:-}" = --table ] && { table=1; shift; }
heddle=${1:-build}/heddle
export HEDDLE_DATA=${HEDDLE_DATA:-$PWD/${1:-build}/share/heddle}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
database=$(realpath -m "${2:-$work/jitter.db}")
mkdir -p "$(dirname "$database")" || exit 2
{ printf '[experiment]\ndatabase = %s\n' "$database"; cat tests/sampling/jitter.ini; } > "$work/jitter.ini"
"$heddle" sweep "$work/jitter.ini" --quiet || exit 1
"$heddle" query "$database" "SELECT p.program || '/' || k.name, p.repetition, k.cycles FROM plan p JOIN kernels k USING(run_hash)
    WHERE p.repetition > 0 ORDER BY 1, 2" --csv - | tr -d '"\r' | awk -F, -v table="$table" -v runs=11 '
    NR > 1 { cycles[$1, $2] = $3; if (!($1 in sum)) names[++n] = $1; sum[$1] += $3 }
    # one kernel: is run `of` within the jitter of the eight after `before`? 2.365: Student, seven degrees of freedom
    function inside(name, of, before,    k, x, mean, squares) {
        for (k = 1; k <= 8; k++) mean += cycles[name, (before + k - 1) % runs + 1] / 8
        for (k = 1; k <= 8; k++) { x = cycles[name, (before + k - 1) % runs + 1] - mean; squares += x * x }
        jitter = 2.365 * sqrt(1 + 1 / 8) * sqrt(squares / 7)
        widths += jitter / mean
        x = cycles[name, of] - mean
        return (x < 0 ? -x : x) <= jitter
    }
    END {
        if (table) print "| kernel | cycles | jitter | inside |\n| --- | --- | --- | --- |"
        for (i = 1; i <= n; i++) {
            if (sum[names[i]] / runs < 2000) continue
            for (of = 9; of <= runs; of++) fresh += inside(names[i], of, 0)
            widths = h = 0
            for (of = 1; of <= runs; of++) h += inside(names[i], of, of)
            turns += h
            kernels++
            if (table) printf "| %s | %d | %.2f %% | %d of %d |\n", names[i], sum[names[i]] / runs, 100 * widths / runs, h, runs
        }
        if (!kernels) { print "no kernel ran"; exit 1 }
        printf "%s%d kernels: %d of %d fresh runs are inside the jitter of the first eight, %.1f %%; each against the eight ", table ? "\n" : "",
               kernels, fresh, 3 * kernels, 100 * fresh / (3 * kernels)
        printf "after it: %d of %d, %.1f %%\n", turns, runs * kernels, 100 * turns / (runs * kernels)
        exit !(fresh >= 0.9 * 3 * kernels && turns >= 0.9 * runs * kernels)
    }'
