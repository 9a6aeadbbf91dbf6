"""How far transformers' own 16-bit scores are from its f32 ones, for every checkpoint below a folder: `bounds.py FOLDER [--device cuda]`.

Prints what `surprisal selftest --bounds` reads: by checkpoint, the largest difference of a surprisal in bf16 from that in
f32, in nats, over the texts in its expected.json. A program that computes in bf16 need not be nearer than that.
"""

import argparse
import json
import pathlib
import sys

import torch
import transformers


def nlls(folder, dtype, device, cases):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).to(device).eval()
    found = []
    with torch.inference_mode():
        for case in cases:
            ids = torch.tensor([case["ids"]], device=device)
            logits = model(input_ids=ids).logits[0].float()
            found.append(-torch.log_softmax(logits[:-1], -1).gather(1, ids[0, 1:, None])[:, 0])
    return torch.cat(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    bounds = {}
    for folder in sorted(path.parent for path in arguments.folder.glob("*/expected.json")):
        try:
            cases = json.loads((folder / "expected.json").read_text())["cases"]
            exact, rounded = (nlls(folder, dtype, arguments.device, cases) for dtype in (torch.float32, torch.bfloat16))
            bounds[folder.name] = (exact - rounded).abs().max().item()
        except Exception as error:  # a family that this transformers cannot run says nothing about the others
            print(f"{folder.name}: {error}", file=sys.stderr)
    print(json.dumps(bounds, indent=1))


main()
