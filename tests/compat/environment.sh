# What the comparisons with programs from PyPI share: the binary and a virtual environment. To be sourced, with the folder for it
# as the only argument; without one it is a temporary folder.
#
# SURPRISAL  a binary; without it, one is built
#
# Sets $repository, $surprisal, $folder and $python.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ -n "${SURPRISAL:-}" ]; then
    surprisal=$(realpath "$SURPRISAL")
else
    cargo build --release --quiet --manifest-path "$repository/Cargo.toml"
    surprisal=$(realpath "${CARGO_TARGET_DIR:-$repository/target}/release/surprisal")
fi

if [ $# -gt 0 ]; then
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
python=$folder/venv/bin/python
[ -x "$python" ] || python3 -m venv "$folder/venv"
