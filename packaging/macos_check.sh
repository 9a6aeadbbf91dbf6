#!/usr/bin/env bash
# Checks the types of the program for macOS on Apple's processors, with its features metal and accelerate, on Linux: what can be said
# of them without a Mac. `rustup target add aarch64-apple-darwin` comes first. C code is left out, so nothing is linked and nothing runs.
set -euo pipefail

cd "$(dirname "$0")/.."
target=aarch64-apple-darwin
if ! rustup target list --installed | grep -qx "$target"; then
    echo "macos_check.sh: rustup target add $target" >&2
    exit 2
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# In place of Apple's compiler and archiver: files without anything in them.
cat > "$folder/cc" << 'EOF'
#!/bin/sh
output=
previous=
for argument in "$@"; do
    case $argument in
        -E | --version) exec cc "$@" ;;
    esac
    [ "$previous" != -o ] || output=$argument
    previous=$argument
done
[ -z "$output" ] || : > "$output"
EOF
cat > "$folder/ar" << 'EOF'
#!/bin/sh
for argument in "$@"; do
    case $argument in *.a) printf '!<arch>\n' > "$argument" ;; esac
done
EOF
chmod +x "$folder/cc" "$folder/ar"
mkdir "$folder/sdk"
export CC_aarch64_apple_darwin=$folder/cc CXX_aarch64_apple_darwin=$folder/cc AR_aarch64_apple_darwin=$folder/ar SDKROOT=$folder/sdk

for features in metal accelerate; do
    cargo check --locked --release --target "$target" --features "$features"
    echo "types with the feature $features for $target: ok"
done
