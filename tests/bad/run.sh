#!/bin/bash
# Bad programs, bad manifests and bad commands, each with its exact message and exit code; prints TAP.
#
#   tests/bad/run.sh [--update] HEDDLE [NAME...]
#
# A case is one file that holds input and expectation together. Its first lines are a header:
#   // run: check FILE                   arguments of the command; FILE is the case itself, MANIFEST the lines
#                                        below
#   // exit: 2
#   // stderr: text                      one per line of the exact standard error
#   // manifest: {...}                   optional, one per line of a manifest
# NAME.ptx is handed over as it is. NAME.manifest is JSON: the header is replaced by empty lines, so that line
# numbers agree. NAME.cmd is a header only. Every case runs in a directory of its own beside a copy of good/,
# so that messages name files without a path. --update writes what heddle says now into the header: read every
# line of the diff before you believe it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
update=
if [ "${1:-}" = --update ]; then update=1; shift; fi
heddle=$(realpath "${1:?usage: tests/bad/run.sh [--update] HEDDLE [NAME...]}")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

header() { sed -n "s,^// $2: \{0\,1\},,p" "$1"; }

run_case() {
    local case=$1 name base dir file args rc want
    base=$(basename "$case")
    name=${base%.*}
    dir=$work/$name
    mkdir -p "$dir"
    cp "$here"/good/* "$dir"
    file=$base
    case $base in
    *.manifest)
        file=$name.json
        sed 's,^// .*,,' "$case" > "$dir/$file" ;;
    *.ptx) cp "$case" "$dir/$file" ;;
    esac
    header "$case" manifest > "$dir/manifest.json"
    args=$(header "$case" run)
    args=${args//FILE/$file}
    args=${args//MANIFEST/manifest.json}
    case $args in # a busy host shows progress, which is no part of the message
    *--quiet*) ;;
    run\ * | compare\ * | exec\ *) args="${args%% *} --quiet ${args#* }" ;;
    esac
    # shellcheck disable=SC2086
    (cd "$dir" && "$here/../within" 60 "$heddle" $args > "$work/out" 2> "$work/err" < /dev/null)
    rc=$?
    if [ -n "$update" ]; then
        {
            sed -n '/^\/\/ run:/p' "$case"
            echo "// exit: $rc"
            sed 's,^,// stderr: ,; s, $,,' "$work/err"
            sed -n '/^\/\/ manifest:/p' "$case"
            sed '/^\/\/ \(run\|exit\|stderr\|manifest\):/d' "$case"
        } > "$work/new"
        cat "$work/new" > "$case"
        return
    fi
    want=$(header "$case" exit)
    header "$case" stderr > "$work/want"
    if [ "$rc" = "$want" ] && cmp -s "$work/want" "$work/err"; then
        echo "ok bad $name"
    else
        echo "not ok bad $name (exit $rc, expected $want)"
        diff -u --label expected "$work/want" --label got "$work/err" | sed 's/^/# /'
    fi
}

if [ $# -eq 0 ]; then
    for case in "$here"/*.ptx "$here"/*.manifest "$here"/*.cmd; do
        [ -f "$case" ] && run_case "$case"
    done
else
    for name; do
        for case in "$here/$name".*; do run_case "$case"; done
    done
fi
exit 0
