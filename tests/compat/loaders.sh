#!/usr/bin/env bash
# Compares classes of data sets with those of the OpenCompass release, on invented files in the real layouts.
#
#   tests/compat/loaders.sh [FOLDER]
#
# The package and what its classes need are fetched from PyPI into FOLDER, which is kept and used again, or into a temporary
# one. Nothing of the package is part of this repository. `loader_classes.txt` names the classes that are vouched for; a
# case of another one, and a line without a case, end this with an error.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The comparison is a test of cargo's, and needs no binary.
export SURPRISAL=${SURPRISAL:-/bin/true}
source "$here/environment.sh" "$@"
"$python" -m pip install --quiet --disable-pip-version-check \
    datasets==2.21.0 pyarrow==17.0.0 pandas==2.2.3 numpy==1.26.4 fsspec==2024.6.1 regex scipy \
    tiktoken==0.12.0
source "$here/package.sh"

# tiktoken would fetch its table of tokens. The one in the crate is under the name by which tiktoken looks for it; it checks
# its sum.
host=$(rustc -vV | sed -n 's/^host: //p')
manifest=$(cargo metadata --locked --format-version 1 --filter-platform "$host" --manifest-path "$repository/Cargo.toml" | "$python" -c '
import json, sys
print(next(p["manifest_path"] for p in json.load(sys.stdin)["packages"] if p["name"] == "tiktoken-rs"))')
mkdir -p "$folder/tiktoken"
cp "$(dirname "$manifest")/assets/cl100k_base.tiktoken" "$folder/tiktoken/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
export TIKTOKEN_CACHE_DIR=$folder/tiktoken

mkdir -p "$folder/loaders"
"$python" "$here/loaders.py" "$package" "$folder/loaders/loaders.json"
cd "$repository"
SURPRISAL_LOADERS="$folder/loaders" SURPRISAL_VOUCHED=1 SURPRISAL_OPENCOMPASS="$package" \
    cargo test --release --quiet --test all loader_fixtures -- --nocapture
