#!/bin/bash
# Results stay what they are: runs that did not end are none, outputs spare the database, and no text of a study, a
# result or a folder's name becomes a command
. "$(dirname "$0")"/../cli/common
. "$(dirname "$0")"/common
study=$(realpath "$(dirname "$0")"/small_study.ini)
cd "$work" || exit 1
experiment() { # FILE PROGRAMS
    printf '[programs]\nrun = %s\nsize = tiny\n[machines]\nrun = small\n' "$2" > "$1"
}

# --collect: a run that was ended is made again, one that faults has failed
sed -n '/^\.version/,$p' "$top/tests/bad/endless_loop.ptx" > loop.ptx
sed -n 's,^// manifest: \{0\,1\},,p' "$top/tests/bad/endless_loop.ptx" > loop.json
sed -n '/^\.version/,$p' "$top/tests/bad/trap.ptx" > trap.ptx
sed -n 's,^// manifest: \{0\,1\},,p' "$top/tests/bad/trap.ptx" > trap.json
experiment c.ini 'loop.ptx@loop.json, trap.ptx@trap.json, vecadd'
expect 0 "$heddle" sweep c.ini --print-commands
same "$(wc -l < out)" 3 "commands"
cp out commands
# shellcheck disable=SC2091 # a command of ours, without the signs that need a shell
$(sed -n 1p commands) 2> /dev/null < /dev/null &
loop=$!
worked $loop 20
kill -TERM $loop
wait $loop
same $? 143 "exit code of the run that was ended"
sed -n 2,3p commands | sh 2> /dev/null
same "$(find c.tasks -name '*.json' | wc -l)" 3 "files that the commands left"
expect 1 "$heddle" sweep c.ini --collect
err_has 'did not end: ended by SIGTERM.*its run is made again'
out_has '3 runs, 1 done, 1 failed, 1 to do'
same "$(ask c.ini "SELECT program, status, exit_code FROM results ORDER BY 1")" "trap.ptx@trap.json,failed,3
vecadd,done,0" "what was collected"
same "$(ask c.ini "SELECT message LIKE '%trap%' FROM results WHERE status = 'failed'")" 1 "the fault's message"

# outputs do not go over the database, its lock and the experiment
for file in c.db c.db.lock c.ini; do
    cp $file before
    for command in "query c.ini 'SELECT 1' --csv $file" "query c.db 'SELECT 1' --csv $file" "sweep c.ini --status --csv $file" "sweep c.ini --status --html $file"; do
        [ "$file" != c.ini ] || [ "${command#query c.db}" = "$command" ] || continue
        expect 2 sh -c "'$heddle' $command"
        err_has "would write over $file"
        cmp before $file || { complain "$command wrote over $file"; cp before $file; }
    done
done
# nor over those that the first sweep will make
for file in d.db ./d.db.lock "$work/d.db"; do expect 2 "$heddle" sweep c.ini --database d.db --csv "$file"; err_has "would write over $file"; done
[ ! -e d.db ] || complain "a refused sweep made its database"

# a folder's name is no command: Slurm's script, with commands of our own in Slurm's place
mkdir bin 'a"$(touch pwned)`touch pwned`'"'s %j"
printf '#!/bin/sh\necho "$*" >> "$FAKE/words"\nfor script; do :; done\nSLURM_ARRAY_TASK_ID=0 sh "$script" > "$FAKE/said" 2>&1\necho 1\n' > bin/sbatch
printf '#!/bin/sh\n' | tee bin/squeue > bin/scancel
chmod +x bin/*
(
    cd ./a*j || exit 1
    experiment q.ini vecadd
    printf '[slurm]\npoll = 1s\nattempts = 1\n' >> q.ini
    expect 0 env FAKE="$work" PATH="$work/bin:$PATH" "$heddle" sweep q.ini --slurm
    out_has '1 run, 1 done'
    [ $failures -eq 0 ]
) || complain "Slurm in a folder of many signs: $(cat said)"
[ -z "$(find . -name pwned)" ] || complain "a folder's name was run"
grep -q -- "--output=.*s %%j/" words || complain "a % of the folder is a pattern of sbatch: $(cat words)"

# a study's question is one, and only reads; names may have quotes
wrong() { # SED MESSAGE
    sed "$1" "$study" > w.ini
    expect 2 "$heddle" study w.ini --database s.db --quick --quiet
    err_has "$2"
    [ "$(ask s.db 'SELECT count(*) FROM runs')" -gt 0 ] || complain "the results are gone after $1"
}
sed "s/configuration lrr/configuration it's/; s/baseline = lrr/baseline = it's/; s/'lrr'/'it''s'/; s/!= lrr/!= \"it's\"/; s/:GTO,/:\"GTO\",/; s/set all/set o'all/; s/set = all/set = o'all/" "$study" > quotes.ini
expect 0 "$heddle" study quotes.ini --database s.db --quick
grep -q '"GTO"' quotes-quick.md || complain "no title in quotes"
grep -q '^| vecadd/vecadd | [0-9]' quotes-quick.md || complain "the study with quotes has no figures"
delete='DELETE FROM runs'
wrong "/^\[set all/,/sql/s/^sql.*/sql = SELECT program, kernel FROM k); $delete; SELECT (1/" 'w.ini:[0-9]*: error: \[set all\] sql: near ")"'
wrong "/^\[set all/,/sql/s/^sql.*/sql = $delete/" '\[set all\] sql: a query only reads'
wrong "/^\[later/,/sql/s/^sql.*/sql = SELECT 1; $delete/" '\[later slow\] sql: more than one'
wrong "s/^why.*/why = $delete/" '\[statement gto\] why: a query only reads'
wrong "s/^columns.*/sql = $delete/" '\[figure speed\] sql: a query only reads'
wrong "s,^why.*,why = ATTACH '$work/more.db' AS more," 'too many attached'
expect 2 "$heddle" query s.db "ATTACH '$work/more.db' AS more"
[ ! -e more.db ] || complain "a question made a file"

# a result's keys become columns when they are names, and do not say what the sweep knows itself
experiment k.ini vecadd
expect 0 "$heddle" sweep k.ini --print-commands
sh < out
file=$(echo k.tasks/*.json)
sed -i '0,/{/s//{ "x\\" INT); DROP TABLE runs; --": 1, "status": "lost", "program": "none", "fine_1": 7,/' "$file"
expect 0 "$heddle" sweep k.ini --collect
same "$(ask k.ini 'SELECT program, status, fine_1 FROM results')" vecadd,done,7 "the row of a result with odd keys"

# a task's command is a list of words
for command in '[1]' '["heddle", null]' '"heddle"' '[]' '{}'; do
    printf '{"file": "x", "command": %s}\n' "$command" > t.tasks
    expect 2 "$heddle" sweep --task t.tasks:0
    err_has 'no command'
done
finish
