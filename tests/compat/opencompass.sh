#!/usr/bin/env bash
# Compares `surprisal config --json` with OpenCompass's own loader on every config of the OpenCompass release.
#
#   tests/compat/opencompass.sh [FOLDER]
#
# Everything is fetched from PyPI into FOLDER, which is kept and used again, or into a temporary one. Nothing of the
# package is part of this repository. SURPRISAL names a binary; without it, one is built. Exit code 1: something differs.
set -euo pipefail

opencompass=0.5.4
# The version that this release of OpenCompass asks for.
mmengine=0.11.0rc3

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/environment.sh" "$@"
# mmengine-lite does not declare the last three, but imports them.
"$python" -m pip install --quiet --disable-pip-version-check "mmengine-lite==$mmengine" packaging requests tqdm
if [ ! -d "$folder/package-$opencompass" ]; then
    # Without its dependencies, which are gigabytes: a lazy import loads no class.
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "opencompass==$opencompass"
    # Unpacked under another name first, so that an interrupted run leaves no half of a package.
    "$python" -m zipfile -e "$folder/opencompass-$opencompass-py3-none-any.whl" "$folder/unpacking"
    mv "$folder/unpacking" "$folder/package-$opencompass"
fi

"$python" "$here/dump.py" "$folder/package-$opencompass" "$folder/original.jsonl"
status=0
"$python" "$here/compare.py" "$folder/package-$opencompass" "$folder/original.jsonl" "$surprisal" || status=$?

if [ $# -gt 0 ]; then
    echo
    echo "Prompt versions of the same configs:"
    echo "  SURPRISAL_OPENCOMPASS=$folder/package-$opencompass cargo test --release --test golden_prompt_hash -- --nocapture"
fi
exit "$status"
