# --perturb and compare --jitter: what does not matter changes time a little and output not at all; a
# difference below that is none.
. "$(dirname "$0")"/common
for n in 0 1 2 3; do expect 0 "$heddle" run bfs --size tiny --machine gtx480 --perturb $n --quiet --json "$work/p$n.json"; done
expect 0 "$heddle" run bfs --size tiny --machine gtx480 --quiet --json "$work/plain.json"
same "$(json "$work/p0.json" state_hash)" "$(json "$work/plain.json" state_hash)" "perturbation 0 is none"
for n in 1 2 3; do
    same "$(json "$work/p$n.json" checksum)" "$(json "$work/plain.json" checksum)" "output of perturbation $n"
done
[ "$(json "$work/p1.json" config_hash)" != "$(json "$work/plain.json" config_hash)" ] || complain "a perturbation is part of the configuration"
expect 0 "$heddle" run bfs --size tiny --machine gtx480 --dump-config --perturb 1
out_has 'first_sm *= 7'
# a key without any effect makes no difference, one that costs four times the cycles does
expect 0 "$heddle" compare bfs --size tiny --machine gtx480 --vary stats.sample_cy=0,1000 --jitter --json "$work/j.json"
out_has '^jitter '
same "$(json "$work/j.json" programs.0.configurations.1.effect)" none "the effect of nothing"
same "$(json "$work/j.json" programs.0.configurations.1.jitter_is_own)" true "a difference near jitter is looked at again"
expect 0 "$heddle" compare bfs --size tiny --machine gtx480 --vary l2.latency_cy=40,2000 --jitter=8 --json "$work/j.json"
same "$(json "$work/j.json" programs.0.configurations.1.effect)" loss "the effect of a slow L2"
expect 2 "$heddle" compare bfs --vary sm.sched=lrr,gto --jitter=7
err_has 'must be an integer from 8'
expect 2 "$heddle" run bfs --perturb 5000
err_has 'perturb must be an integer'
finish
