#!/bin/bash
# A run in shards on Slurm, a task of the array for each; edit what stands in capitals. A preempted or requeued task goes on where
# it was, one that is told to end is put back into the queue, and the merge says what is missing.
#
#   array=$(sbatch --parsable deploy/slurm.sh) && sbatch --dependency=afterany:"$array" --wrap "surprisal merge WORK_FOLDER"
#
#SBATCH --job-name=surprisal
#SBATCH --array=1-16
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
#SBATCH --open-mode=append
#SBATCH --output=shard-%A_%a.log

surprisal run CONFIG -w WORK_FOLDER --shard auto &
child=$!
trap 'kill -USR1 "$child" 2>/dev/null' USR1 TERM
# A signal ends `wait`, and not the shard.
while wait "$child"; code=$?; kill -0 "$child" 2>/dev/null; do :; done
# 75 is "try again": the shard was told to end, and has kept what it had.
if [ "$code" -eq 75 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
