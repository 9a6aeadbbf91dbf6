#!/usr/bin/env bash
# The crate as `cargo package` makes it: it holds what a user needs and nothing else, is below 10 MB, and builds where nothing of the
# repository is; its program runs the demo in an empty folder, without a network, and what the demo says to try next.
#
#   tests/release/package.sh [--short | OPTIONS of cargo build]
#
# Dependencies that target/release holds are not built again. The program that lies there stays. --short only checks that the crate
# compiles, and takes that program in the place of the one that the crate would make.
set -euo pipefail
is_short=
if [ "${1:-}" = --short ]; then
    is_short=yes
    shift
fi
cd "$(dirname "$0")/../.."
root=$PWD
target=${CARGO_TARGET_DIR:-$root/target}
most_bytes=10000000

fail() {
    echo "package.sh: $*" >&2
    exit 1
}

list=$(cargo package --allow-dirty --no-verify --offline --list)
for file in Cargo.lock LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md build.rs src/main.rs kernels/paged_attention.cu configs/demo.py \
    configs/datasets/sums/test.jsonl models/pocket/model.safetensors models/pocket/README.md; do
    grep -qx "$file" <<<"$list" || fail "$file is missing"
done
# Each file below src/ and configs/ that the repository has, but none that Python left there.
for folder in src configs; do
    missing=$(comm -23 <(git ls-files "$folder" | sort) <(sort <<<"$list"))
    [ -z "$missing" ] || fail "missing: $missing"
done
idle=$(grep -E '^(tests|benches|docs|python|target|outputs|\.ci)/|__pycache__|\.pyc$' <<<"$list" || true)
[ -z "$idle" ] || fail "no user needs these: $idle"

cargo package --allow-dirty --no-verify --offline --quiet --target-dir "$target"
crate=$(ls -t "$target"/package/surprisal-*.crate | head -1)
bytes=$(stat -c %s "$crate")
[ "$bytes" -lt "$most_bytes" ] || fail "$crate has $bytes bytes, more than $most_bytes"
echo "$(wc -l <<<"$list") files, $bytes bytes"

# Always the same folder, so that building it again costs nothing where nothing changed.
unpacked=${crate%.crate}
rm -rf "$unpacked"
tar -xzf "$crate" -C "$target/package"
scratch=$(mktemp -d)
kept=$target/release/surprisal
[ ! -e "$kept" ] || cp -p "$kept" "$scratch/kept"
finish() {
    [ ! -e "$scratch/kept" ] || mv "$scratch/kept" "$kept"
    rm -rf "$scratch"
}
trap finish EXIT
if [ -n "$is_short" ]; then
    (cd "$unpacked" && cargo check --release --locked --offline --bin surprisal --target-dir "$target" "$@")
else
    (cd "$unpacked" && cargo build --release --locked --offline --bin surprisal --target-dir "$target" "$@")
fi
mkdir "$scratch/bin" "$scratch/home" "$scratch/work"
cp "$kept" "$scratch/bin/surprisal"
# Nothing that it could find beside itself.
rm -rf "$unpacked"

alone=(env -i "PATH=$scratch/bin:/usr/bin:/bin" "HOME=$scratch/home")
if unshare --user --net true 2>/dev/null; then
    alone=(unshare --user --net "${alone[@]}")
fi
cd "$scratch/work"
begun=$(date +%s%N)
"${alone[@]}" surprisal demo >demo.out 2>demo.err || fail "the demo ended with $?: $(cat demo.err)"
echo "the demo took $((($(date +%s%N) - begun) / 1000000)) ms"
grep -q '^sums_chat .* 100.00' demo.out || fail "the demo's table: $(cat demo.out)"
commands=$(sed -n 's/^  \(surprisal [^#]*\)#.*/\1/p' demo.err)
[ "$(wc -l <<<"$commands")" -ge 4 ] || fail "the demo does not say what to try next: $(cat demo.err)"
while read -r command; do
    "${alone[@]}" sh -c "$command" >next.out 2>next.err || fail "$command: $(cat next.err)"
    echo "  $command: $(wc -l <next.out) lines"
done <<<"$commands"
