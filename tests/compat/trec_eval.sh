#!/usr/bin/env bash
# Holds the figures of rankings against trec_eval's own code, on a thousand random runs with ties.
#
#   tests/compat/trec_eval.sh [FOLDER]
#
# pytrec-eval-terrier, which contains trec_eval, is fetched from PyPI into a virtual environment in FOLDER, which is kept and
# used again, or in a temporary one. RUNS and SEED say how many runs and which. Exit code: that of the test.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pytrec-eval-terrier==0.5.11

"$folder/venv/bin/python" "$repository/tests/compat/trec_eval.py" "${RUNS:-1000}" "${SEED:-1}" > "$folder/rankings.jsonl"
cd "$repository"
SURPRISAL_RANKINGS="$folder/rankings.jsonl" \
    cargo test --release --locked --test all ranking_fixtures -- --nocapture 2>&1 | tee "$folder/log"
# The same line once more, by the name of this script: other tests read rankings.jsonl, too.
sed -nE 's/^(test .* \.\.\. )?rankings\.jsonl: /trec_eval: /p' "$folder/log"
