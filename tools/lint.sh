#!/bin/bash
# Checks that need no run: formatting, clang-tidy, include direction, drift of generated documents, words,
# files that comments name, width of prose. Sizes are a report.
#
#   tools/lint.sh [CHECK...]     all of CHECKS when none is named
set -u
CHECKS="format includes stages calls docs words names documents tidy sizes wrap"
cd "$(dirname "$0")/.." || exit 2
FORMAT=${CLANG_FORMAT:-clang-format-19}
TIDY=${CLANG_TIDY:-clang-tidy-19}
status=0

fail() { status=1; echo "lint: $*"; }
sources() { find src include bench tools tests workloads -name '*.[ch]' | sort; }
need() {
    command -v "$1" > /dev/null && return
    fail "$1 is not installed (tools/setup.sh lint)"
    return 1
}

check_format() {
    need "$FORMAT" || return
    { sources; find src/report/page -name '*.js' | sort; } | xargs "$FORMAT" --dry-run -Werror || fail "run $FORMAT -i on the files above"
}

# The lane files are the same code over and over for the analyser, and the most expensive: the compilers'
# warnings have to do there.
check_tidy() {
    need "$TIDY" || return
    # shellcheck disable=SC2016
    find src bench tools -name '*.c' ! -path 'src/func/lanes/*' | sort |
        xargs -P "$(nproc)" -n 4 sh -c '"$0" --quiet "$@" -- -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -I. -ffp-contract=off' "$TIDY" 2> /dev/null ||
        fail "clang-tidy"
}

# Includes point one way. A room may include itself and any room with a smaller number.
room_rank() {
    case $1 in
    base) echo 0 ;;
    config | stats) echo 1 ;;
    isa) echo 2 ;;
    func | trace) echo 3 ;;
    ptx | riscv) echo 4 ;;
    mem | front) echo 5 ;;
    core) echo 6 ;;
    gpu) echo 7 ;;
    api) echo 8 ;;
    power | manifest) echo 9 ;;
    report) echo 10 ;;
    lab | sweep) echo 11 ;;
    cli | opencl | cuda) echo 12 ;;
    *) echo "" ;;
    esac
}
check_includes() {
    local file line room other
    while IFS=: read -r file line other; do
        room=${file#src/}
        room=${room%%/*}
        if [ -z "$(room_rank "$room")" ]; then fail "$file: src/$room has no place in tools/lint.sh's list of rooms"; continue; fi
        if [ -z "$(room_rank "$other")" ]; then fail "$file:$line: no such room: $other/"; continue; fi
        if [ "$room" = lab ]; then case $other in base | trace | report | lab) ;; *) fail "$file:$line: lab/ must not include $other/" ;; esac; fi
        if [ "$room" != "$other" ] && [ "$(room_rank "$other")" -ge "$(room_rank "$room")" ]; then
            fail "$file:$line: $room/ must not include $other/"
        fi
    done < <(grep -rn --include='*.[ch]' --include='*.def' '^#include "[a-z]*/' src | grep -v '#include "workloads/' | sed 's,^\([^:]*:[0-9]*\):#include "\([a-z]*\)/.*,\1:\2,')
}

# A stage of src/core owns its state: its struct stands in a private header, which one file includes; such a
# header includes what all stages share and no other stage's. Three are of two or three files that are one
# stage. A policy kind's header includes nothing of the core's insides.
#
# Known to more than one file, and why:
#   flight.h      the record of an instruction in flight is what the memory stages hand each other
#   struct watch  in core.h: each access asks whether somebody listens, without a call
check_stages() {
    local header owner file
    while read -r header owner; do
        [ -f "src/core/$header" ] || { fail "src/core/$header is listed in tools/lint.sh and does not exist"; continue; }
        for file in $(grep -rl --include='*.[ch]' "#include \"core/$header\"" src tests tools bench); do
            case " $owner " in *" ${file#src/core/} "*) ;; *) fail "$file: src/core/$header is for $owner of src/core alone" ;; esac
        done
        grep -n '#include "core/' "src/core/$header" | grep -vE '"core/(core|flight)\.h"' && fail "src/core/$header must include no other stage's header"
    done << END
fetch.h 10_fetch.c 20_ibuffer.c
issue.h 29_look.c 30_issue.c 31_sched.c account.c
predict.h 35_predict.c
operands.h 40_operands.c 50_execute.c
lsu.h 60_lsu.c
l1.h 61_l1.c
port.h 62_port.c
replay.h 63_replay.c
reexec.h 64_reexec.c
texture.h 67_texture.c
split.h 36_split.c
weave.h 41_weave.c
early.h 71_early.c
memview.h memport.c
blocks.h cta.c
END
    grep -rn '#include "core/' src/gpu | grep -v '"core/sm\.h"' && fail "the chip knows src/core by sm.h alone"
    grep -rn '#include "core/' src --include='*.[ch]' | grep -vE '^src/(core|gpu)/|"core/(policies|sm)\.h"' && fail "others know src/core by policies.h and sm.h alone"
    for header in src/core/*_policy.h; do
        grep -n '#include "\(core\|mem\|gpu\)/' "$header" | grep -vE '_policy\.h"|policies\.def"' && fail "$header: a kind of policy sees nothing of the core's insides"
    done
    grep -n '#include "core/' src/core/*/*.c | grep -vE '^src/core/([a-z]+)/[a-z_]+\.c:[0-9]+:#include "core/\1_policy\.h"' && fail "a policy includes its kind's header alone"
}

# ARCHITECTURE.md draws who calls whom inside src/core. Its table has a row for each file that calls others,
# with all of them, and an arrow of its drawing is a call. The truth is what the linker sees: a file that
# needs a function of another calls it.
check_calls() {
    make -s build/libheddle.a || { fail "the library does not build"; return; }
    local name objects=
    for name in src/core/*.c src/core/*/*.c; do name=${name#src/}; objects="$objects build/obj/${name%.c}.o"; done
    # shellcheck disable=SC2086
    { nm -A $objects; echo; cat ARCHITECTURE.md; } | awk '
        !told && NF {
            file = $1; sub(/:.*/, "", file); sub(/^build\/obj\/core\//, "", file); sub(/[.]o$/, "", file); sub(/\/.*/, "/", file)
            kind = $(NF - 1); sub(/.*:/, "", kind)
            if (kind == "T") home[$NF] = file
            if (kind == "U") needs[file, $NF]
            next
        }
        !told {
            told = 1
            for (pair in needs) {
                split(pair, at, SUBSEP)
                if (at[2] in home && home[at[2]] != at[1]) real[at[1], home[at[2]]]
            }
        }
        /^<!-- calls -->$/ { table = 1; next }
        table && /^$/ && rows { table = 0 }
        table && /^\| `/ {
            rows++; split($0, cell, "|"); gsub(/[` ]/, "", cell[2]); n = split(cell[3], to, " ")
            for (i = 1; i <= n; i++) said[cell[2], to[i]]
        }
        /^    / {
            line = $0
            while (match(line, /[a-z0-9_]+ (--+>|<--+) [a-z0-9_]+/)) {
                split(substr(line, RSTART, RLENGTH), end, " ")
                if (end[2] ~ />/) drawn[end[1], end[3]]; else drawn[end[3], end[1]]
                line = substr(line, RSTART + length(end[1] end[2]) + 2)
            }
        }
        END {
            if (!rows) print "ARCHITECTURE.md: no table of calls under <!-- calls -->"
            for (pair in real) if (!(pair in said)) { split(pair, at, SUBSEP); print "ARCHITECTURE.md: " at[1] " calls " at[2] ", which its table does not say" }
            for (pair in said) if (!(pair in real)) { split(pair, at, SUBSEP); print "ARCHITECTURE.md: " at[1] " does not call " at[2] ", as its table says" }
            for (pair in drawn) { split(pair, at, SUBSEP); if (!((at[1], at[2]) in real)) print "ARCHITECTURE.md: " at[1] " does not call " at[2] ", as its drawing says" }
        }' | sort | { ! grep .; } || fail "ARCHITECTURE.md, who calls whom"
}

check_docs() {
    make -s build/gen_docs build/gen_stats build/gen_policies || { fail "the programs that print documents do not build"; return; }
    local doc
    for doc in isa config; do
        build/gen_docs $doc | cmp -s - docs/$doc.md || fail "docs/$doc.md is not what the tables say: run make docs"
    done
    for doc in stats policies; do
        build/gen_$doc | cmp -s - docs/$doc.md || fail "docs/$doc.md is not what the tables say: run make docs"
    done
}

check_words() {
    local text
    text=$(find src include bench tools tests workloads docs man machines .ci ./*.md Makefile -type f ! -name '*.zst' ! -path 'tools/lint.sh' 2> /dev/null)
    # shellcheck disable=SC2086
    grep -nE '\b(TODO|FIXME|XXX|HACK)\b' $text && fail "finish it, or say in plain words what it does not do"
    # shellcheck disable=SC2086
    grep -nP '\t' $(sources) && fail "tabs"
    # shellcheck disable=SC2086
    grep -nE '[[:space:]]+$' $(sources) && fail "white space at the end of a line"
    # shellcheck disable=SC2046
    grep -nE '^typedef (struct|union|enum)[ a-z0-9_]*(\{|;)|^struct [a-z0-9_]+_t\b' $(sources) && fail "structs go by their own name, without typedef or _t"
    # shellcheck disable=SC2046
    grep -nE '\b(assert|abort)\(' $(find src -name '*.[ch]' ! -name base.c) && fail "CHECK stays on in release; assert does not"
}

# A file that a comment names exists: beside it for the "--- file.c" that groups a header's prototypes,
# anywhere in the tree else.
check_names() {
    local at name files
    files=$(git ls-files 2> /dev/null || find . -type f)
    while read -r at name; do
        case $name in
        =*) [ -e "$(dirname "${at%:*}")/${name#=}" ] || ls "$(dirname "${at%:*}")"/*/"${name#=}" > /dev/null 2>&1 || fail "$at: there is no ${name#=} beside it" ;;
        *) grep -qE "(^|/)$name\$" <<< "$files" || fail "$at: there is no $name" ;;
        esac
    done < <(sources | xargs awk '
        FNR == 1 { inside = 0 }
        {
            line = $0; text = ""; own = ""
            while (1) {
                if (inside) {
                    end = index(line, "*/")
                    if (!end) { text = text line; break }
                    text = text substr(line, 1, end - 1) " "; line = substr(line, end + 2); inside = 0
                } else {
                    start = index(line, "/*")
                    if (!start) break
                    line = substr(line, start + 2); inside = 1
                }
            }
            if (text ~ /^ --- [a-z0-9_]+\.c/) { own = text; sub(/^ --- /, "", own); sub(/\.c.*/, ".c", own); print FILENAME ":" FNR, "=" own }
            gsub(/<[^>]*>|sys\/types[.]h/, "", text)
            n = split(text, word, /[^A-Za-z0-9_.\/-]+/)
            for (i = 1; i <= n; i++) {
                sub(/\.$/, "", word[i])
                if (word[i] ~ /^[a-z0-9_][a-z0-9_\/-]*\.(c|h|def|sh|py|md)$/) print FILENAME ":" FNR, word[i]
            }
        }')
}

# A file that a document names, by its folder, exists. The changelog may name what was; docs/howto-policy.md
# names files that its reader makes, and a name with capitals in a row stands for others.
check_documents() {
    local at name files
    files=$(git ls-files 2> /dev/null || find . -type f)
    while IFS=: read -r at name; do
        grep -qE "(^|/)$name\$" <<< "$files" || fail "$at: there is no $name"
    done < <(grep -oE '\b(docs|include|lab|machines|python|src|studies|tests|tools|workloads)/[A-Za-z0-9_./-]+\.(c|cl|def|h|ini|md|py|s|sh)\b' \
        README.md ARCHITECTURE.md CONTRIBUTING.md workloads/README.md $(ls docs/*.md docs/studies/*.md | grep -v howto-policy) | grep -vE ':.*[A-Z]{3}' | sort -u)
}

# Prose has at most 110 columns: block comments, lines of their own, and Markdown but for tables, code and
# links; code has 130.
check_wrap() {
    {
        find src include bench tools tests workloads -name '*.[ch]' -o -name '*.def' -o -name '*.cl' | sort | xargs awk '
            FNR == 1 { inside = 0 }
            !inside && /^ *\/\*/ && !/\\$/ { inside = 1; sample = 0 }
            length > 110 && inside && !/[^ ]   +[^ ].*[^ ]   +[^ ]|->.*->|----|====/ { print FILENAME ":" FNR ": comment of " length " columns" }
            length > 130 && !inside && FILENAME !~ /\.(def|cl)$/ && /\/\*/ { print FILENAME ":" FNR ": line of " length " columns" }
            inside && /\*\// { inside = 0 }'
        find ./*.md docs workloads -name '*.md' ! -name isa.md ! -name config.md ! -name stats.md ! -name policies.md | sort | xargs awk '
            FNR == 1 { fence = 0 }
            /^ *```/ { fence = !fence }
            length > 110 && !fence && !/^\||^#|^    |^<!--|\]\(/ { print FILENAME ":" FNR ": " length " columns" }'
    } | { ! grep .; } || fail "prose wraps at 110 columns"
}

# Report only: the tail is what makes code hard to read.
check_sizes() {
    sources | xargs wc -l | awk '$2 != "total" && $1 > 700 { printf "long file: %s (%d lines)\n", $2, $1 }'
    # a function is from a line that starts in column 1 and ends with "{" to the "}" in column 1
    sources | xargs awk '
        FNR == 1 { name = "" }
        /^[a-z_].*\) \{$/ { name = $0; start = FNR }
        /^\}/ && name != "" { if (FNR - start > 60) printf "long function: %s:%d (%d lines)\n", FILENAME, start, FNR - start; name = "" }'
}

for check in ${*:-$CHECKS}; do
    case " $CHECKS " in
    *" $check "*) check_"$check" ;;
    *) echo "tools/lint.sh: no check '$check'; there are: $CHECKS" >&2; exit 2 ;;
    esac
done
[ $status -eq 0 ] && echo "lint: clean"
exit $status
