#!/usr/bin/env bash
# Counts the configs of the OpenCompass release of which every part is built in, each part with a passing vector behind it,
# and lists what the others lack.
#
#   SURPRISAL_LOADERS=… tests/compat/config_parts.sh [FOLDER]
#
# The package is fetched into FOLDER as tests/compat/opencompass.sh does, or taken from there. SURPRISAL_LOADERS names the folder of
# the vectors of data set classes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:-$here/../../target/opencompass}
mkdir -p "$folder"
if ! ls -d "$folder"/package-* >/dev/null 2>&1; then
    "$here/opencompass.sh" "$folder" >/dev/null
fi
cd "$here/../.."
SURPRISAL_OPENCOMPASS=$(echo "$folder"/package-*) cargo test --release --test all config_parts -- --nocapture
