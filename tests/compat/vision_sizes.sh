#!/usr/bin/env bash
# Models that see and hear, of other sizes than the fixtures: configs, weights, images and sounds are drawn, transformers computes what comes of
# them, and the tests of the fixtures compare.
#
#   tests/compat/vision_sizes.sh FOLDER [SEED ...]
#
# FOLDER is for what is installed from PyPI (2 GB) and what is drawn; it is kept. A seed (default: 1) takes some ten minutes on two cores.
# SURPRISAL_VISION_FIXTURES names the fixtures whose tokenizers and chat templates are taken (default: tests/fixtures/vision). Exit code 1: a
# number is another.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
mkdir -p "${1:?"vision_sizes.sh: name a folder for what is installed"}"
folder=$(cd "$1" && pwd)
shift
fixtures=$(cd "${SURPRISAL_VISION_FIXTURES:-$repository/tests/fixtures/vision}" && pwd)

python=$folder/venv/bin/python
[ -x "$python" ] || python3 -m venv "$folder/venv"
installed() { "$python" -m pip install --quiet --disable-pip-version-check "$@"; }
installed numpy tokenizers==0.23.3 pillow librosa num2words filelock fsspec jinja2 networkx sympy typing-extensions safetensors==0.8.0 \
    packaging pyyaml regex requests tqdm huggingface_hub psutil typer click rich
# Without gigabytes of CUDA.
installed --no-deps torch==2.15.0 torchvision==0.29.2 transformers==5.23.0
"$python" -c 'import torch' 2>"$folder/torch.log" || "$python" "$here/stub_cuda.py" >>"$folder/torch.log"
export HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error PYTHONDONTWRITEBYTECODE=1

[ $# -gt 0 ] || set -- 1
for seed in "$@"; do
    drawn=$folder/seed-$seed
    "$python" "$here/vision_cases.py" "$fixtures" "$seed" "$drawn"
    "$python" "$here/sound_cases.py" "$fixtures" "$seed" "$drawn"
    # The others of these tests are about cases that the fixtures alone have.
    SURPRISAL_VISION_FIXTURES=$drawn cargo test --release --manifest-path "$repository/Cargo.toml" --test all -- \
        vision_fixtures_processed vision_fixtures::seeing vision_fixtures::scoring vision_fixtures::hearing \
        --skip of_videos --skip a_video_is --skip no_row --skip not_computed --nocapture
done
