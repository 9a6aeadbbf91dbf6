#!/usr/bin/env bash
# Holds the licences, versions and sources of all crates against deny.toml. Without cargo-deny in PATH it is built once, which takes some
# minutes, into target/release-tools.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo_deny=0.20.2
tools=${SURPRISAL_RELEASE_TOOLS:-$PWD/target/release-tools}
deny=$(command -v cargo-deny || echo "$tools/bin/cargo-deny")
if [ ! -x "$deny" ]; then
    # It is asked once: what it costs to build counts more than how fast it is.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        cargo install --quiet --locked --root "$tools" "cargo-deny@$cargo_deny"
fi
"$deny" --locked --log-level error check licenses bans sources
