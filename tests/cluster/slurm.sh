#!/bin/bash
# A sweep on a real Slurm, started here: munge, a controller and two nodes. A node is killed half-way and comes back, the
# controller is restarted, a task is requeued, the sweep itself is killed: all results, none twice.
#
#   tests/cluster/slurm.sh BUILD [RUNS, 40]   exit code 77, with the reason in the last line, where Slurm cannot start
. "$(dirname "$0")"/../cli/common
. "$(dirname "$0")"/../sweep/common
cd "$work" || exit 1
skip() { echo "$*"; exit 77; }
for tool in slurmctld slurmd munged sbatch squeue; do command -v $tool > /dev/null || skip "no $tool; to install: tools/setup.sh cluster"; done
[ "$(id -u)" -eq 0 ] || skip "Slurm's daemons are started as root, and this is not"
chmod 755 "$work"

# --- the cluster
port=$((20000 + RANDOM % 20000))
host=$(hostname -s)
mkdir state munge
head -c 1024 /dev/urandom > munge/key
chmod 400 munge/key
cat > slurm.conf <<END
ClusterName=heddle_test
SlurmctldHost=$host
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
SlurmctldPort=$port
StateSaveLocation=$work/state
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/%n.pid
SlurmdSpoolDir=$work/spool_%n
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=10000
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
JobRequeue=1
ReturnToService=2
SlurmdTimeout=10
KillWait=2
MinJobAge=2
MessageTimeout=5
TCPTimeout=2
MpiDefault=none
NodeName=n1 NodeHostname=$host Port=$((port + 1)) CPUs=3 RealMemory=2000 State=UNKNOWN
NodeName=n2 NodeHostname=$host Port=$((port + 2)) CPUs=3 RealMemory=2000 State=UNKNOWN
PartitionName=test Nodes=n1,n2 Default=YES MaxTime=60 State=UP
END
export SLURM_CONF=$work/slurm.conf
controller='' nodes=() munge=''
start_controller() { slurmctld -D > ctld.out 2>&1 & controller=$!; }
start_node() { slurmd -D -N "n$1" > "n$1.out" 2>&1 & nodes[$1]=$!; }
children() { # PID: and all below
    local one
    for one in $(ps -o pid= --ppid "$1"); do children "$one"; done
    echo "$1"
}
steps() { # NODE: its steps are no children of its daemon; they work in its spool folder
    local pid
    for pid in $(pgrep -x slurmstepd); do
        if readlink "/proc/$pid/fd/"* "/proc/$pid/cwd" 2> /dev/null | grep -q "^$work/spool_n$1"; then echo "$pid"; fi
    done
}
kill_all() { # PID...: with all below
    local pid below
    for pid; do for below in $(children "$pid"); do kill -KILL "$below" 2> /dev/null; done; done
}
kill_node() { # as if its plug was pulled
    # shellcheck disable=SC2046
    kill_all "${nodes[$1]}" $(steps "$1")
    wait "${nodes[$1]}" 2> /dev/null
}
end_cluster() {
    scancel --user root > /dev/null 2>&1
    # shellcheck disable=SC2046,SC2086
    kill_all ${nodes[1]:-} ${nodes[2]:-} $(steps 1) $(steps 2) $controller $munge
    wait 2> /dev/null
    rm -rf "$work"
}
trap end_cluster EXIT
munged --foreground --force --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" > munge.out 2>&1 &
munge=$!
for _ in $(seq 50); do [ -S munge/socket ] && break; sleep 0.1; done
[ -S munge/socket ] || skip "munged does not start: $(tail -1 munge.out)"
start_controller
start_node 1
start_node 2
up() { sinfo --noheader --format '%T %D' 2> /dev/null | awk '/idle|mixed|allocated/ { n += $2 } END { print n + 0 }'; }
for _ in $(seq 100); do [ "$(up)" -eq 2 ] && break; sleep 0.3; done
[ "$(up)" -eq 2 ] || skip "Slurm's daemons do not start here: $(tail -1 ctld.out n1.out | tr '\n' ' ')"

# --- the sweep
count=${2:-40}
list() { seq -s, "$1" "$2"; }
cat > c.ini <<END
[programs]
run = vecadd, saxpy, scan, transpose
size = tiny
[machines]
run = small
[keys]
sm.l1.mshrs = $(list 2 $((count / 8 + 1)))
sm.sched = lrr, gto
[slurm]
partition = test
time = 5
memory = 100M
array = 80
poll = 1s
END
cp c.ini here.ini
expect 0 "$heddle" sweep here.ini
runs=$(ask here.ini 'SELECT count(*) FROM plan')
"$heddle" sweep c.ini --slurm > out 2> err < /dev/null &
sweep=$!
rows_now() { [ -s c.db ] && ask c.db 'SELECT count(*) FROM runs' 2> /dev/null || echo 0; }
wait_rows() { for _ in $(seq 600); do [ "$(rows_now)" -ge "$1" ] && return; kill -0 $sweep 2> /dev/null || return; sleep 0.2; done; }
wait_rows $((runs / 5))
before=$(rows_now)
[ "$before" -lt "$runs" ] || complain "the sweep was over before anything could be killed"
kill_node 1
kill -KILL $sweep; wait $sweep 2> /dev/null # and with it who waits
echo "# node n1 and the sweep killed with $before of $runs rows"
"$heddle" sweep c.ini --slurm > out 2> err < /dev/null &
sweep=$!
wait_rows $((runs / 3))
kill -KILL $controller; wait $controller 2> /dev/null
echo "# controller killed with $(rows_now) rows"
sleep 3
start_controller
sleep 1
start_node 1
wait_rows $((runs / 2))
task=$(squeue --noheader --array --states=R --format %i 2> /dev/null | head -1)
[ -z "$task" ] || { scontrol requeue "$task" && echo "# $task requeued with $(rows_now) rows"; }
wait $sweep
same $? 0 "exit code of the sweep on Slurm"
grep -v '^heddle sweep: job\|runs; ' err | head -5
grep -q "$runs runs, $runs done" out || complain "not all are done: $(cat out)"
same "$(ask c.ini 'SELECT count(*) FROM runs')" "$runs" "rows"
rows here.db > here.rows
rows c.db > there.rows
cmp here.rows there.rows || complain "the rows of the cluster are not those of this machine"
same "$(find c.tasks -name '*.json' | wc -l)" 0 "files of results that were left"
echo "# $(ask c.db 'SELECT count(*) FROM tasks') tasks in $(ask c.db 'SELECT count(*) FROM batches') arrays for $runs runs"

# a run that leaves no result is handed in again, then recorded; a full quota is such a case
cat > q.ini <<END
[programs]
run = vecadd
size = tiny
[machines]
run = small
[slurm]
partition = test
attempts = 2
poll = 1s
option = --export=ALL,HEDDLE_DATA=/nowhere
END
expect 1 "$heddle" sweep q.ini --slurm
same "$(ask q.ini "SELECT status FROM runs")" failed "a run that cannot start on its node"
sed -i '/option/d; s/partition = test/partition = none/' q.ini
expect 2 "$heddle" sweep q.ini --slurm --retry
err_has 'sbatch: .*artition'
sed -i 's/partition = none/partition = test/' q.ini
expect 0 "$heddle" sweep q.ini --slurm --retry
same "$(ask q.ini "SELECT status FROM runs")" "done" "the same with its files"

# a full quota where results go: tried again for a while, recorded, and made when there is room
cp q.ini full.ini
sed -i 's/attempts = 2/attempts = 1/' full.ini
mkdir full.tasks
if mount -t tmpfs -o size=32k heddle-test full.tasks 2> /dev/null; then
    trap 'umount "$work/full.tasks"; end_cluster' EXIT
    head -c 16384 /dev/zero > full.tasks/filler
    expect 1 "$heddle" sweep full.ini --slurm
    same "$(ask full.ini 'SELECT status FROM runs')" failed "a run whose result found no room"
    grep -q 'No space left on device; trying again' full.tasks/*.out || complain "the task does not say that there is no room"
    mount -o remount,size=8m full.tasks
    expect 0 "$heddle" sweep full.ini --slurm --retry
    same "$(ask full.ini 'SELECT status FROM runs')" "done" "the same with room"
fi
finish
