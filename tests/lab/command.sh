# heddle lab: pages, grids, files, exercises, mistakes, and the terminal.
. "$(dirname "$0")"/../cli/common
export HEDDLE_DATA=$B/share/heddle

# the lecture's page, and its neighbours
expect 0 "$heddle" lab tomasulo six --cycle 7
out_has '^tomasulo, end of cycle 7 of 20'
out_has 'R5   0  d    ~'
out_has 'd    0  a    ~      0  y    ~ '
expect 0 "$heddle" lab tomasulo six --from 7 --to 8
same "$(grep -c 'end of cycle' "$work/out")" 2 "pages"
expect 0 "$heddle" lab run L1 --table
out_has '|............F-----D-------1234W$'
cp "$work/out" "$work/right"
expect 0 "$heddle" lab run L2
out_has '^cycles  *20 '

# exercises: right, wrong with the first difference, as a number and as a table
expect 0 "$heddle" lab check L1 31
out_has '^L1: right, 31$'
expect 1 "$heddle" lab check L1 25
out_has 'first cycle where you and the machine differ is 26'
out_has '25 is the answer to L1-forwarding'
expect 1 "$heddle" lab check L1 33
out_has 'differ is 32: you go on, the machine has ended'
expect 0 "$heddle" lab check L1 "$work/right"
out_has 'right, every cell'
sed 's/|\.FD-------1234W/|.FD------1234W/' "$work/right" > "$work/wrong"
expect 1 "$heddle" lab check L1 "$work/wrong"
out_has 'cycle 10: your line 4 has ADD R5 <- R3, R4 (i2) in E, the machine has it waiting'
# a spreadsheet's commas, letters repeated while waiting
sed -n 's/.*|//p' "$work/right" | sed '2s/-/D/g; s/[0-9]/E/g; s/\./ /g; s/./&,/g' > "$work/commas"
expect 0 "$heddle" lab check L1 "$work/commas"
expect 2 "$heddle" lab check L1 "$top/README.md"
err_has 'rows of stages found, the machine has 6 instructions'
expect 2 "$heddle" lab check L1 many
err_has 'neither a number nor a file'
expect 1 "$heddle" lab check L1 25 --json "$work/v.json"
same "$(json "$work/v.json" right) $(json "$work/v.json" first_cycle)" "false 26" "the verdict in JSON"
expect 1 "$heddle" lab check L1 "$work/wrong" --json "$work/v.json"
same "$(json "$work/v.json" first_cycle)" 10 "the first difference in JSON"
expect 0 "$heddle" lab list --json "$work/l.json"
same "$(json "$work/l.json" machines.2.name)" tomasulo "the third machine in JSON"
expect 2 "$heddle" lab check L11 31
err_has 'did you mean "L1"'
# every exercise can be shown and run; lab/*.ini are what the tables say
expect 0 "$heddle" lab list
sed -n '/^exercises/,/^programs/s/^  \([A-Z][^ ]*\) .*/\1/p' "$work/out" > "$work/ids"
[ "$(wc -l < "$work/ids")" -gt 35 ] || complain "few exercises"
while read -r id; do
    "$heddle" lab show "$id" > "$work/one" || complain "heddle lab show $id fails"
    "$heddle" lab run "$id" > "$work/one" 2>&1
    case $? in 0) ;; 3) grep -q 'fault:' "$work/one" || complain "$id ends with 3 and no fault" ;; *) complain "heddle lab run $id fails" ;; esac
done < "$work/ids"
for machine in $("$heddle" lab list | sed -n '/^machines/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    "$heddle" lab keys "$machine" | cmp -s - "$top/lab/$machine.ini" || complain "lab/$machine.ini is not what heddle lab keys $machine prints"
    expect 0 "$heddle" lab show "$machine"
done
expect 0 "$heddle" lab show instructions
out_has '^DECBNZ  *branch'

# the pictures of docs/lab.md are what the commands in them print
awk -v w="$work" '/^```/ { inside = !inside; file = ""; next } inside && /^\$ heddle lab/ { n++; file = w "/doc" n; print substr($0, 3) > (file ".cmd"); next } inside && file { print > file }' "$top/docs/lab.md"
[ -e "$work/doc12" ] || complain "few pictures in docs/lab.md"
for cmd in "$work"/doc*.cmd; do
    (cd "$B" && sh -c "./$(cat "$cmd")" 2> /dev/null) | sed 's/ *$//' | cmp -s - "${cmd%.cmd}" || complain "docs/lab.md: another picture now: $(cat "$cmd")"
done

# files
expect 0 "$heddle" lab tomasulo six --html "$work/p.html" --dot "$work/p.dot" --konata "$work/p.log" --json "$work/p.json" --from 1 --to 20
for word in '<svg' 'data-at="7"' 'prefers-color-scheme: dark' '&lt;- R1, R2' 'id="slider"'; do grep -q -- "$word" "$work/p.html" || complain "the page lacks $word"; done
! grep -qE 'https?://|src=|@import' "$work/p.html" || complain "the page reaches out"
same "$(grep -c 'class="at"' "$work/p.html")" 20 "pages in the HTML"
same "$(grep -c ' -> ' "$work/p.dot")" 5 "arcs"
expect 0 "$heddle" lab tomasulo six --dot - --cycle 14
same "$(grep -c ' -> ' "$work/out")" 1 "arcs of the window of cycle 14"
if command -v dot > /dev/null; then dot -Tsvg "$work/p.dot" > "$work/p.svg" 2> "$work/err" || complain "graphviz does not read the graph"; fi
same "$(head -1 "$work/p.log")" "$(printf 'Kanata\t0004')" "first line of the Konata file"
same "$(grep -c '^R' "$work/p.log")" 6 "rows that end"
same "$(json "$work/p.json" answers.cycles)" 20 "cycles in JSON"
same "$(json "$work/p.json" rows.5.stages.0.from)" 6 "F of the sixth instruction in JSON"
same "$(json "$work/p.json" pages.6.tables.0.rows.2.2)" x "the tag of R3 in cycle 7 in JSON"
same "$(json "$work/p.json" fault)" null "fault in JSON"

# the program's faults are 3, the user's mistakes 2
expect 3 "$heddle" lab run L3-fault
err_has 'fault.s:6:9: fault: division by zero in "DIV R3 <- R1, R2"; younger instructions have written: ADD R4'
printf 'ADD R1 <- R2\n' > "$work/bad.s"
expect 2 "$heddle" lab rob "$work/bad.s"
err_has 'bad.s:1:11: error: ADD takes 3 operands, not 2'
expect 2 "$heddle" lab tomasulu six
err_has 'there is no machine "tomasulu"; did you mean "tomasulo"'
expect 2 "$heddle" lab tomasulo sic
err_has 'there is no program "sic"; did you mean "six"'
expect 2 "$heddle" lab tomasulo "$work/none.s"
err_has 'none.s: cannot read'
expect 2 "$heddle" lab tomasulo "$work"
err_has 'cannot read: Is a directory'
expect 2 "$heddle" lab tomasulo six --set busses=1
err_has 'machine tomasulo has no key "busses"; did you mean "buses"'
expect 2 "$heddle" lab tomasulo six --set buses
err_has 'must be KEY=VALUE'
printf '[add]\nlatency = 2\nstatoins = 3\n' > "$work/m.ini"
expect 2 "$heddle" lab tomasulo six --machine "$work/m.ini"
err_has 'm.ini:3: error: machine tomasulo has no key "add.statoins"; did you mean "add.stations"'
printf '[add]\nlatency = 1\n' > "$work/m.ini"
expect 0 "$heddle" lab scoreboard six --machine "$work/m.ini" --set forwarding=on
out_has '^cycles  *19 ' # MUL 3-8, ADD 9, ADD 10, ADD 11, MUL 12-17, ADD 18, W 19
expect 2 "$heddle" lab tomasulo six --cycle 21
err_has 'the run has 20 cycles'
expect 2 "$heddle" lab tomasulo six --cycle 3 --from 2
err_has 'give one of the two'
expect 2 "$heddle" lab rob six --set precise=checkpoint --set checkpoint.every=20
err_has 'must not be larger than rob.entries'
expect 2 "$heddle" lab tomasulo six --html "$work/no/such/folder"
err_has 'cannot write'
expect 2 "$heddle" lab tomasulo six --step
err_has 'step needs a terminal'
printf 'x: J x\n' > "$work/loop.s"
expect 0 "$heddle" lab rob "$work/loop.s" --max-cycles 100
out_has 'had not ended'

# the terminal: cursor keys move, and its mode is as before, also after a signal
if command -v python3 > /dev/null; then
    python3 "$top/tests/lab/terminal.py" "$heddle" > "$work/out" 2>&1 || complain "terminal: $(tail -3 "$work/out")"
else
    echo "# python3 is not installed: the terminal is not tried"
fi
finish
