# -q leaves all out but errors, -v says what is read, chosen, run and written; both on standard error or nowhere.
. "$(dirname "$0")"/common
expect 0 "$heddle" run vecadd --size tiny -q
out_empty
err_empty
expect 0 "$heddle" run vecadd --size tiny -v --json "$work/r.json"
for word in 'machine gtx480, config_hash [0-9a-f]\{16\}' 'manifest-tiny.json: 1 launches' 'launch 1 of 1, vecadd: ' "wrote $work/r.json (--json)"; do err_has "$word"; done
out_has 'vecadd on gtx480'
expect 0 "$heddle" compare vecadd --size tiny --vary sm.sched=lrr,gto -q
out_empty
expect 0 "$heddle" compare vecadd --size tiny --vary sm.sched=lrr,gto -v
err_has 'launch 1 of 1'
expect 0 "$heddle" check -q "$top/examples/kernel.ptx"
out_empty
expect 2 "$heddle" -v
err_has '\-v goes behind a command'
expect 0 "$heddle" --version
out_has '^heddle [0-9]'
out_has '^commit [0-9a-f]\{12\}\|^commit unknown'
out_has '^compiled by '
cp "$work/out" "$work/version"
expect 0 "$heddle" -V
cmp -s "$work/out" "$work/version" || complain "-V and --version differ"
finish
