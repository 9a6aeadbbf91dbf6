#!/usr/bin/env bash
# What scoring through `surprisal serve` costs beside `surprisal run`, and how the server bears many connections.
#
#   benches/serving/compare.sh FOLDER [--limit N] [--connections N] [--seconds S]
#
# FOLDER holds the likelihood workloads. The 800 candidates of mmlu_like (those of the first N questions with --limit) are sent by lm-eval's
# `local-completions`; then N connections (1,000) ask models/pocket for S seconds (600). Environment: see benches/peers.sh. Exit code 1: an
# answer is not the one it should be, or costs more than 1.3 times what the run does.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
workloads=$(cd "${1:?"compare.sh: name the folder of the likelihood workloads"}" && pwd)
shift
limit=() load=()
while [ $# -gt 0 ]; do
    case $1 in
        --limit) limit=(--limit "${2:?"--limit needs a number"}") ;;
        --connections | --seconds) load+=("$1" "${2:?"$1 needs a number"}") ;;
        *) echo "compare.sh: there is no option $1" >&2; exit 2 ;;
    esac
    shift 2
done

source "$here/../peers.sh"
python_with light
weights llama25m
"$repository/tests/compat/lm_eval_client_installed.sh" "$python"
export SURPRISAL=$surprisal SURPRISAL_LIKELIHOOD=$workloads PYTHONPATH=$repository/tests/compat
status=0
"$python" "$here/cost.py" "$model" "$scratch/results/serving" "${limit[@]}" || status=1
"$python" "$here/load.py" "$repository/models/pocket" "${load[@]}" || status=1
exit "$status"
