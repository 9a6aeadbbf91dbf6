#!/usr/bin/env bash
# Shards on a real Slurm: a controller and two daemons on this machine, and `surprisal submit slurm`. While they run, one task is
# cancelled for good, one is killed and put back into the queue, and one is told to end and puts itself back; merged, the shards have to give
# the files of one run, byte for byte.
#
#   tests/compat/slurm.sh
#
# Needs root, and Debian's `slurm-wlm` and `munge`; starts munged, slurmctld and two slurmd in a scratch folder, on 127.0.0.1, and
# stops them. SURPRISAL names a binary. Exit code 1: a file differs.
set -Eeuo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
surprisal=$(realpath "${SURPRISAL:-$repository/target/release/surprisal}")
work=$(mktemp -d)
shards=8
daemons=()
trap 'set +e; cd "$work"; tail -n 20 surprisal-*.log slurmctld.log; sacct 2>/dev/null' ERR
trap 'for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null || true; done; wait 2>/dev/null; rm -rf "$work"' EXIT

chmod 755 "$work"
mkdir -p "$work/state" "$work/spool/one" "$work/spool/two"
mkdir -m 755 "$work/munge"
export SURPRISAL_CACHE=$work/cache
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --seed-file="$work/munge/seed" --log-file="$work/munge/log" \
    >"$work/munge/out" 2>&1 &
daemons+=($!)

# A job that is put back waits until the credentials of its last start are void: two minutes, if nobody says otherwise.
cat >"$work/slurm.conf" <<CONF
ClusterName=shards
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=16817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
CryptoType=crypto/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
KillWait=5
NodeName=one NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=16818 CPUs=1
NodeName=two NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=16819 CPUs=1
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
for ((try = 0; try < 50; try++)); do [ -S "$work/munge/socket" ] && break; sleep 0.2; done
slurmctld -D -f "$SLURM_CONF" >"$work/slurmctld.out" 2>&1 &
daemons+=($!)
for node in one two; do
    slurmd -D -N "$node" -f "$SLURM_CONF" >"$work/slurmd-$node.out" 2>&1 &
    daemons+=($!)
done
for ((try = 0; try < 100; try++)); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] && break
    sleep 0.3
done
[ "$(sinfo -h -t idle -o %D)" = 2 ] || { sinfo; tail -5 "$work"/*.log "$work"/*.out; exit 2; }

# In the scratch folder, where the logs of the jobs are written, too.
cp -r "$repository/models" "$repository/configs" "$work"
cd "$work"
options=(configs/demo.py --limit 200 --device cpu)
"$surprisal" run "${options[@]}" -w whole >whole.txt 2>/dev/null

# submitted: hands the shards and their merge to Slurm; sets $array and $merge.
submitted() {
    "$surprisal" submit slurm "${options[@]}" -w apart --shards "$shards" --time 10 >submitted.txt
    array=$(sed -n 's/^array \([0-9]*\):.*/\1/p' submitted.txt)
    merge=$(sed -n 's/^merge \([0-9]*\):.*/\1/p' submitted.txt)
    echo "array $array, merge $merge"
}

# over JOBS: waits until none of them is in the queue.
over() {
    for ((try = 0; try < 900; try++)); do
        [ -n "$(squeue -h -j "$1" 2>/dev/null)" ] || return 0
        sleep 0.5
    done
    squeue
    tail -3 surprisal-*.log slurmctld.log
    exit 2
}

# What is done to the first tasks that are seen to have asked something.
harm() {
    case $1 in
        killed)
            scancel --signal=KILL --full "$2" && for ((try = 0; try < 50; try++)); do
                scontrol requeue "$2" 2>/dev/null && return 0
                sleep 0.2
            done
            ;;
        told)
            scancel --signal=USR1 --batch "$2"
            ;;
        cancelled)
            scancel "$2"
            ;;
    esac
}
submitted
harms=(cancelled killed told)
for ((try = 0; try < 600 && ${#harms[@]} > 0; try++)); do
    for task in $(squeue -h -t running -j "$array" -o %K 2>/dev/null); do
        [ -e "apart/shards/$task-of-$shards/surprisal.db" ] && [ ! -e "harmed-$task" ] || continue
        harm "${harms[0]}" "${array}_$task" || continue
        echo "task $task was ${harms[0]}"
        touch "harmed-$task"
        harms=("${harms[@]:1}")
        break
    done
    sleep 0.05
done
harmed=$(find . -maxdepth 1 -name 'harmed-*' | wc -l)
over "$array,$merge"
lost() { grep -hE "shard [0-9/]+ (has not ended|is not there)" "surprisal-merge-$merge.log"; }
# The task that was cancelled for good is missing. The same command asks it again, and nothing else.
lost
submitted
over "$array,$merge"
# The table stands between what is said of the run.
results() { grep -E '^[a-z_]+ +[a-z_]+ ' "$1"; }
diff <(results whole.txt) <(results "surprisal-merge-$merge.log")
files() {
    local folder
    folder=$(dirname "$(dirname "$(ls "$1"/*/configs/*.py)")")
    (cd "$folder" && find predictions results summary configs -type f | sort | while read -r file; do
        echo "${file//$(basename "$folder")/TIME} $(sed "s/$(basename "$folder")/TIME/g" "$file" | sha256sum)"
    done)
}
diff <(files whole) <(files apart)
[ "$harmed" = 3 ] || { echo "only $harmed tasks were harmed while they ran"; exit 2; }
echo "slurm: $(files whole | wc -l) passed, 0 failed"
