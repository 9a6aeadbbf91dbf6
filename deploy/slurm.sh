#!/bin/sh
# A run in shards on Slurm: a job array with a task for each shard, and a merge that waits for all of them. `surprisal submit slurm`
# fills in what stands between two @; by hand, write it there, and start this file in the folder that paths are relative to.
#
# A task that is preempted, or that is told to end because its time is over, goes back into the queue and on where it was. The merge
# prints the results. Where answers are missing it says so, and this file, started once more, asks them and nothing else.
set -eu

array=$(sbatch --parsable <<'TASK'
#!/bin/bash
#SBATCH --job-name=@NAME@
#SBATCH --array=1-@SHARDS@
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
#SBATCH --open-mode=append
#SBATCH --output=@NAME@-%A_%a.log
@TASK_OPTIONS@
@RUN@ --shard auto/@SHARDS@ &
child=$!
cancelled=
trap 'kill -USR1 "$child" 2>/dev/null' USR1
# From who cancels the task, or takes its node away: then Slurm alone decides whether it is queued again.
trap 'cancelled=yes; kill -USR1 "$child" 2>/dev/null' TERM
# A signal ends `wait`, and not the shard.
while wait "$child"; code=$?; kill -0 "$child" 2>/dev/null; do :; done
# 75 is "try again": the shard was told to end, and has kept what it had.
if [ "$code" -eq 75 ] && [ -z "$cancelled" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
TASK
)
array=${array%%;*}
echo "array $array: @NAME@-${array}_*.log"

merge=$(sbatch --parsable --dependency=afterany:"$array" <<'MERGE'
#!/bin/bash
#SBATCH --job-name=@NAME@-merge
#SBATCH --output=@NAME@-merge-%j.log
@MERGE_OPTIONS@
@MERGE@
MERGE
)
merge=${merge%%;*}
echo "merge $merge: @NAME@-merge-$merge.log"
