#!/usr/bin/env bash
# Searches passages in the real server of milvus-lite, with pymilvus as a witness of what it holds: collections are made, filled,
# searched, killed and resumed; passages, order and scores are those of exact search in memory.
#
#   tests/compat/milvus.sh [FOLDER]
#
# A virtual environment is made in FOLDER, which is kept and used again, or in a temporary one. SURPRISAL names a binary
# with the feature milvus; without it, one is built. The server listens on 127.0.0.1 and is stopped at the end. The last
# line tells how many checks there were. Exit code 1: one failed.
set -euo pipefail

packages=(milvus-lite==3.2.2 pymilvus==3.0.2)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -z "${SURPRISAL:-}" ]; then
    # What it costs to build counts more here than how fast it is.
    cargo build --release --locked --quiet --features milvus --config 'profile.release.package.surprisal.opt-level=1' \
        --manifest-path "$here/../../Cargo.toml"
    SURPRISAL=${CARGO_TARGET_DIR:-$here/../../target}/release/surprisal
fi
source "$here/environment.sh" "$@"
"$python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"

rm -rf "$folder/runs"
mkdir "$folder/runs"
"$python" "$here/milvus_messages.py" | cmp - "$repository/tests/fixtures/milvus/messages.json"
"$python" "$here/milvus.py" "$surprisal" "$repository/tests/fixtures/embeddings" "$folder/runs"
