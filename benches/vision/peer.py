"""The questions as a benchmark harness asks them of transformers: candidate by candidate, each with its image.

    peer.py FOLDER --threads N --out FILE [--part K/N]

Each request goes through the processor, with the classes that resize with Pillow, and through the model once. Written are the sum of
surprisals of each candidate, passes of the tower, tokens that the decoder read, and CPU and wall seconds, loading excluded. With `--part`
only the questions of the K-th of N parts are asked.
"""

import argparse
import json
import time
from pathlib import Path

import torch
from PIL import Image
from transformers import AutoProcessor, LlavaForConditionalGeneration


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", default="1/1")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    folder = arguments.folder
    processor = AutoProcessor.from_pretrained(folder / "model", backend="pil")
    model = LlavaForConditionalGeneration.from_pretrained(folder / "model", dtype=torch.float32).eval()
    counts = dict(tower_passes=0, tokens=0)

    def count_image(_, arguments, named, result):
        pixels = named["pixel_values"] if "pixel_values" in named else arguments[0]
        counts["tower_passes"] += len(pixels)

    model.model.vision_tower.register_forward_hook(count_image, with_kwargs=True)
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    part, parts = map(int, arguments.part.split("/"))
    first, end = (len(lines) * number // parts for number in (part - 1, part))
    questions = [json.loads(line) for line in lines[first:end]]

    def nll(question: dict, candidate: str) -> float:
        with Image.open(folder / question["image"]) as image:
            inputs = processor(images=image, text=question["prompt"] + candidate, return_tensors="pt")
        scored = len(processor.tokenizer(candidate, add_special_tokens=False)["input_ids"])
        counts["tokens"] += inputs["input_ids"].shape[1]
        with torch.inference_mode():
            logits = model(**inputs, logits_to_keep=scored + 1).logits[0, :-1]
        targets = inputs["input_ids"][0, -scored:]
        return torch.nn.functional.cross_entropy(logits.float(), targets, reduction="sum").item()

    wall, cpu = time.perf_counter(), time.process_time()
    nlls = [[nll(question, candidate) for candidate in question["candidates"]] for question in questions]
    cost = dict(wall_s=time.perf_counter() - wall, cpu_s=time.process_time() - cpu)
    arguments.out.write_text(json.dumps(counts | cost | dict(nlls=nlls)), encoding="utf-8")


if __name__ == "__main__":
    main()
