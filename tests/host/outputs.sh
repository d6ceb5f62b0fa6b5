#!/bin/bash
# Every option that writes, against a full disk, a closed pipe, an unwritable path, a name twice, an input,
# and another run on the same file
. "$(dirname "$0")"/common
cd "$work" || exit 1
run() { "$heddle" run vecadd --size tiny --machine small "$@"; }
functional() { "$heddle" run vecadd --size tiny --functional --quiet "$@"; }
compare() { "$heddle" compare vecadd --size tiny --machine small --vary sm.warps=8,16 "$@"; }
exec_() { "$heddle" exec --machine small "$@" -- "$work/patient" 2; }

# a full disk: a small one where we may mount, else the device that is always full
full=/dev/full
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=64k heddle-test disk 2> /dev/null; then
    trap 'umount "$work/disk"; rm -rf "$work"' EXIT
    head -c 65536 /dev/zero > disk/filler 2> /dev/null
    full=$work/disk/out
fi

# each CODE what FILE: what every output option does when its file is FILE
fails() { # FILE TEXT
    local file=$1 text=$2 option
    for option in json html csv samples konata perfetto trace-replay; do
        expect 2 run --quiet --"$option" "$file"
        err_has "$text"
    done
    expect 2 functional --trace-exec="$file"; err_has "$text"
    expect 2 functional --dump c "$file"; err_has "$text"
    for option in json html csv; do expect 2 compare --quiet --"$option" "$file"; err_has "$text"; done
    expect 2 "$heddle" check "$top"/tests/bad/endless_loop.ptx --json "$file"; err_has "$text"
    for option in html dot konata json; do expect 2 "$heddle" lab tomasulo six --"$option" "$file"; err_has "$text"; done
    [ -z "$have_exec" ] || for option in json html csv konata perfetto; do expect 2 exec_ --quiet --"$option" "$file"; err_has "$text"; done
}
have_exec=
if patient; then have_exec=1; else echo "# no OpenCL: heddle exec is not tried"; fi

fails /dev/full 'cannot write: No space left on device'
if [ "$full" != /dev/full ]; then
    fails "$full" 'cannot write: No space left on device'
    [ ! -e "$full" ] && [ ! -e "$full.incomplete" ] || complain "a file stands on the full disk"
fi
fails "$work/no/such/folder/x" 'cannot write: No such file'
fails "$work" 'cannot write: Is a directory'

# standard output: full, closed, a pipe that nobody reads
mkfifo pipe
for command in "run" "compare" "functional --trace-exec" "$heddle list keys" "$heddle explain ipc" "$heddle --help" "$heddle help run" "run --json -" "run --dump-config"; do
    # shellcheck disable=SC2086
    { $command > /dev/full; } 2> err; same $? 2 "exit code of $command on a full device"
    grep -q 'cannot write' err || complain "$command says nothing of a full device"
    # shellcheck disable=SC2086
    { $command >&-; } 2> err; same $? 2 "exit code of $command on a closed standard output"
    : < pipe &
    exec 4> pipe
    wait $! # its only reader has gone; the shell of a pipeline may hold the reading end a moment longer
    # shellcheck disable=SC2086
    { $command >&4; } 2> err; same $? 2 "exit code of $command on a closed pipe"
    grep -q 'cannot write: Broken pipe' err || complain "$command takes a closed pipe for something else: $(cat err)"
    same "$(grep -c 'cannot write' err)" 1 "times that $command speaks of a closed pipe"
    exec 4>&-
done
expect 0 run --quiet --json r.json
same "$(json r.json finished)" true "finished with standard output closed"

# names
expect 2 run --json x --csv x; err_has 'both name x'
expect 2 run --json x --csv ./x; err_has 'both name ./x'
expect 2 run --json - --csv -; err_has 'both go to standard output'
expect 2 compare --json - --csv -; err_has 'both go to standard output'
cp "$HEDDLE_DATA"/workloads/vecadd/manifest-tiny.json m.json
cp "$HEDDLE_DATA"/workloads/vecadd/vecadd.ptx .
sed -i 's/"mode": *"reference"/"mode": "bits"/' m.json
for option in json csv konata; do expect 2 "$heddle" run vecadd.ptx --manifest m.json --machine small --$option m.json; err_has 'is an input'; done
expect 2 "$heddle" run vecadd.ptx --manifest m.json --machine small --json vecadd.ptx; err_has 'is an input'
[ -s vecadd.ptx ] && [ -s m.json ] || complain "an input was written over"
touch kept.json; chmod 400 kept.json
[ "$(id -u)" -eq 0 ] || { expect 2 run --json kept.json; err_has 'Permission denied'; }
echo old > old.json; ln -s old.json link.json; chmod 600 old.json
expect 0 run --quiet --json link.json
[ -L link.json ] || complain "a link was replaced by a file"
same "$(json old.json finished)" true "what the link points to"
same "$(stat -c %a old.json)" 600 "the file's permissions"
echo before > stays.json
expect 2 run --quiet --json stays.json --csv /dev/full
"$B"/json_get stays.json > /dev/null || complain "the JSON is lost because the CSV could not be written"

# two runs on one file: one waits in a FIFO of its own, the other is refused
sed -n '/^\.version/,$p' "$top/tests/bad/endless_loop.ptx" > loop.ptx
sed -n 's,^// manifest: \{0\,1\},,p' "$top/tests/bad/endless_loop.ptx" > loop.json
"$heddle" run loop.ptx --manifest loop.json --machine small --quiet --json both.json 2> /dev/null & first=$!
for i in $(seq 300); do [ -e both.json.incomplete ] && break; sleep 0.1; done
expect 2 run --quiet --json both.json; err_has 'being written by another run'
kill -KILL $first; wait $first 2> /dev/null
[ -e both.json.incomplete ] || complain "a killed run leaves no mark"
expect 0 run --quiet --json both.json
[ ! -e both.json.incomplete ] || complain "NAME.incomplete of a killed run stays"

# found before anything runs
expect 2 compare --vary sm.sched=lrr,gtoo; err_has 'did you mean gto'; out_empty
expect 2 "$heddle" compare vecadd vecad --size tiny --vary sm.warps=8,16; err_has 'vecad'; out_empty
expect 2 compare --vary sm.warps=8 --vary sm.warps=16; err_has 'twice'
[ -z "$(find . -name '*.incomplete' ! -path './disk/*')" ] || complain "left: $(find . -name '*.incomplete')"
finish
