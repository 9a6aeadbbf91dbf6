#!/usr/bin/env bash
# Compares classes of data sets with those of the OpenCompass release, on invented files in the real layouts.
#
#   tests/compat/loaders.sh [FOLDER]
#
# The package and what its classes need are fetched from PyPI into FOLDER, which is kept and used again, or into a temporary
# one. Nothing of the package is part of this repository. `loader_classes.txt` names the classes that are vouched for; a
# case of another one, and a line without a case, end this with an error.
set -euo pipefail

opencompass=0.5.4

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The comparison is a test of cargo's, and needs no binary.
export SURPRISAL=${SURPRISAL:-/bin/true}
source "$here/environment.sh" "$@"
"$python" -m pip install --quiet --disable-pip-version-check \
    datasets==2.21.0 pyarrow==17.0.0 pandas==2.2.3 numpy==1.26.4 fsspec==2024.6.1 regex scipy
if [ ! -d "$folder/package-$opencompass" ]; then
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "opencompass==$opencompass"
    # Unpacked under another name first, so that an interrupted run leaves no half of a package.
    "$python" -m zipfile -e "$folder/opencompass-$opencompass-py3-none-any.whl" "$folder/unpacking"
    mv "$folder/unpacking" "$folder/package-$opencompass"
fi

mkdir -p "$folder/loaders"
"$python" "$here/loaders.py" "$folder/package-$opencompass" "$folder/loaders/loaders.json"
cd "$repository"
SURPRISAL_LOADERS="$folder/loaders" SURPRISAL_VOUCHED=1 SURPRISAL_OPENCOMPASS="$folder/package-$opencompass" \
    cargo test --release --quiet --test loader_fixtures -- --nocapture
