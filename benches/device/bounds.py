"""How far transformers' own 16-bit scores are from its f32 ones, for every checkpoint below a folder: `bounds.py FOLDER [--device cuda]`.

Prints what `surprisal selftest` reads, from FOLDER/bounds.json or with --bounds: by checkpoint and type, the largest and the mean
difference of a surprisal from that in f32, in nats. A program that computes in 16 bits need not be nearer than that. Scored are
the texts in each expected.json and 16 random sequences of 120 tokens, half of which are common, as the selftest's are. It judges
the mean: the largest difference is that of one unlucky token, whose experts were others perhaps.

The checkpoints are tiny and their weights random: the figures say what is usual for these files, not for models that people use.
"""

import argparse
import json
import pathlib
import random
import sys

import torch
import transformers

SEQUENCES, MOST_TOKENS, SEED = 16, 120, 1
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16}


def model_of(folder, dtype, device):
    config = json.loads((folder / "config.json").read_text())
    kind = transformers.AutoModelForImageTextToText if {"text_config", "vision_config"} & config.keys() else transformers.AutoModelForCausalLM
    # Batched experts change bits; and some have no kernel for 16 bits on a CPU.
    options = dict(experts_implementation="eager") if any("expert" in key for key in config.get("text_config", config)) else {}
    return kind.from_pretrained(folder, dtype=dtype, **options).to(device).eval()


def sequences(folder):
    config = json.loads((folder / "config.json").read_text())
    config = config.get("text_config", config)
    sizes = [config[key] for key in ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length") if config.get(key)]
    longest = min([MOST_TOKENS, *sizes])
    draw = random.Random(SEED)
    tokens = lambda count: [draw.randrange(config["vocab_size"]) for _ in range(count)]
    common = tokens(longest // 2)
    texts = [case["ids"] for case in json.loads((folder / "expected.json").read_text())["cases"]]
    return texts + [common + tokens(longest - len(common)) for _ in range(SEQUENCES)]


def nlls(folder, dtype, device):
    model = model_of(folder, dtype, device)
    found = []
    with torch.inference_mode():
        for sequence in sequences(folder):
            ids = torch.tensor([sequence], device=device)
            logits = model(input_ids=ids).logits[0].float()
            found.append(-torch.log_softmax(logits[:-1], -1).gather(1, ids[0, 1:, None])[:, 0])
    return torch.cat(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    # The checkpoints are tiny: threads would wait for each other.
    torch.set_num_threads(1)
    bounds = {}
    for folder in sorted(path.parent for path in arguments.folder.glob("*/expected.json")):
        try:
            exact = nlls(folder, torch.float32, arguments.device)
            bounds[folder.name] = {}
            for name, dtype in TYPES.items():
                differences = (exact - nlls(folder, dtype, arguments.device)).abs().double()
                if not differences.isfinite().all():
                    print(f"{folder.name}: not finite in {name}", file=sys.stderr)
                    continue
                figures = dict(max_nats=differences.max().item(), mean_nats=differences.mean().item())
                bounds[folder.name][name] = {figure: float(f"{nats:.3g}") for figure, nats in figures.items()}
        except Exception as error:  # a family that this transformers cannot run says nothing about the others
            print(f"{folder.name}: {type(error).__name__}: {error}", file=sys.stderr)
    print("{")
    print(",\n".join(f" {json.dumps(name)}: {json.dumps(of_types)}" for name, of_types in bounds.items() if of_types))
    print("}")


main()
