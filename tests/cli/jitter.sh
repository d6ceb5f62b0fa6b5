# --perturb and compare --jitter: what does not matter changes time a little and output not at all; a
# difference below that is none.
. "$(dirname "$0")"/common
seen=
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
# --seed: other data, checked by the CPU reference; the same N is the same data
for n in 1 1 2; do
    expect 0 "$heddle" run spmv --size tiny --functional --seed $n --quiet --json "$work/s.json"
    same "$(json "$work/s.json" checksum_ok)" true "the output with --seed $n"
    seen="$seen $(json "$work/s.json" checksum)"
done
read -r first again other <<< "$seen"
same "$first" "$again" "the output with the same seed"
[ "$first" != "$other" ] || complain "--seed 1 and --seed 2 have the same output"
expect 0 "$heddle" run spmv --size tiny --functional --seed 0 --quiet --json "$work/s.json"
expect 0 "$heddle" run spmv --size tiny --functional --quiet --json "$work/t.json"
same "$(json "$work/s.json" checksum)" "$(json "$work/t.json" checksum)" "the output with --seed 0"
expect 2 "$heddle" run mandelbrot --size tiny --seed 1
err_has 'so --seed changes nothing'
expect 2 "$heddle" run "$top/tests/timing/ptx/spin_lock.json" --seed 1
err_has 'recorded for the data that the manifest has'
expect 2 "$heddle" run spmv --seed x
err_has 'seed must be an integer'
finish
