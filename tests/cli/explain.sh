# What a name means: keys, groups of keys, machines; an unknown one gets the nearest.
. "$(dirname "$0")"/common
expect 0 "$heddle" explain sm.l1.mshrs
out_has '^sm.l1.mshrs: a key of the machine'
out_has 'an integer from 1 to 16384'
out_has 'gtx480  *64$'
expect 0 "$heddle" explain sm.l1
out_has '^  sm.l1.sets '
out_has '^  sm.l1.ways '
expect 0 "$heddle" explain gtx480
out_has '^gtx480: a machine'
out_has 'Mascar'
out_has 'config_hash: [0-9a-f]\{16\}$'
expect 2 "$heddle" explain l1.mshrs
err_has 'unknown name "l1.mshrs"; did you mean .*sm.l1.mshrs'
expect 2 "$heddle" explain gtx48
err_has 'did you mean "gtx480"?'
# several names, and patterns: of several names that match a line each, of one the whole
expect 0 "$heddle" explain gtx480 gto
out_has '^gtx480: a machine'
out_has '^gto: a policy for sm.sched'
expect 0 "$heddle" explain 'sm.l1.m*'
out_has '^sm.l1.mshrs  *key '
out_has '^sm.l1.merge  *key '
out_lacks 'on the bundled machines'
expect 0 "$heddle" explain 'sm.l1.mshr?'
out_has '^sm.l1.mshrs: a key of the machine'
expect 0 "$heddle" explain 'vec*d'
out_has '^vecadd: a bundled workload'
expect 2 "$heddle" explain gtx480 'zzz*'
err_has 'no name matches "zzz\*"'
out_has '^gtx480: a machine'
expect 2 "$heddle" explain nosuch.name gto
out_has '^gto: a policy'
# every key that is listed can be explained
expect 0 "$heddle" list keys
tail -n +2 "$work/out" | cut -d' ' -f1 > "$work/keys"
[ "$(wc -l < "$work/keys")" -gt 100 ] || complain "few keys"
while read -r key; do "$heddle" explain "$key" > "$work/one" || complain "heddle explain $key fails"; done < "$work/keys"
# and every machine
expect 0 "$heddle" list machines
cut -d' ' -f1 "$work/out" > "$work/machines"
for name in small gtx480 turner2012 jin2012 h200; do grep -q "^$name$" "$work/machines" || complain "heddle list machines lacks $name"; done
while read -r name; do "$heddle" explain "$name" > "$work/one" || complain "heddle explain $name fails"; done < "$work/machines"
# and every study
expect 0 "$heddle" list studies
tail -n +2 "$work/out" | cut -d' ' -f1 > "$work/studies"
grep -q '^turner$' "$work/studies" || complain "heddle list studies lacks turner"
while read -r name; do
    expect 0 "$heddle" explain "$name"
    out_has "^$name: a study"
done < "$work/studies"
# the word names every part of the stack
expect 0 "$heddle" explain cpi
for part in $(sed -n 's/^CPI([A-Z_]*, "\([a-z_]*\)".*/\1/p' "$top/src/stats/cpi.def"); do out_has "^    $part  "; done
# a statistic is found without its prefix, by name and by pattern
for name in data_structural 'data_struct*' cpi.data_structural; do expect 0 "$heddle" explain "$name"; out_has '^cpi.data_structural: a part of the CPI stack'; done
# a key that names a policy lists what it may name, all of them
"$heddle" list policies > "$work/policies"
for key in $(sed -n 's/^\([a-z._]*\): .*/\1/p' "$work/policies"); do
    expect 0 "$heddle" explain "$key"
    for name in $(awk -v key="$key:" '/^[^ ]/ { on = $1 == key; next } on && NF { print $1 }' "$work/policies"); do out_has "^    $name  "; done
done
finish
