#!/usr/bin/env bash
# Compares `surprisal config --json` with OpenCompass's own loader on every config of the OpenCompass release.
#
#   tests/compat/opencompass.sh [FOLDER]
#
# Everything is fetched from PyPI into FOLDER, which is kept and used again, or into a temporary one. Nothing of the
# package is part of this repository. SURPRISAL names a binary; without it, one is built. Exit code 1: something differs.
set -euo pipefail

# The version that this release of OpenCompass asks for.
mmengine=0.11.0rc3

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/environment.sh" "$@"
# mmengine-lite does not declare the last three, but imports them.
"$python" -m pip install --quiet --disable-pip-version-check "mmengine-lite==$mmengine" packaging requests tqdm
# A lazy import loads no class, so the package is enough.
source "$here/package.sh"
"$python" "$here/dump.py" "$package" "$folder/original.jsonl"
status=0
"$python" "$here/compare.py" "$package" "$folder/original.jsonl" "$surprisal" || status=$?

if [ $# -gt 0 ]; then
    echo
    echo "Prompt versions of the same configs:"
    echo "  SURPRISAL_OPENCOMPASS=$package cargo test --release --test all golden_prompt_hash -- --nocapture"
fi
exit "$status"
