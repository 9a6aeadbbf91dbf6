"""The same continuations by transformers' `generate`: one batch, padded on the left, greedy, f32, no early end.

    peer.py PROMPTS.jsonl --model DIR --new-tokens N --threads N --out FILE

Writes the ids, and the CPU and wall seconds of one token after each prompt and of all N, loading excluded: their
difference is what decoding costs.
"""

import argparse
import json
import time
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("prompts", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--new-tokens", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    tokenizer = AutoTokenizer.from_pretrained(arguments.model, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(arguments.model, dtype=torch.float32).eval()
    prompts = [json.loads(line)["prompt"] for line in arguments.prompts.read_text(encoding="utf-8").split("\n") if line]
    batch = tokenizer(prompts, return_tensors="pt", padding=True)
    inputs = dict(
        input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], pad_token_id=tokenizer.pad_token_id
    )

    def generate(new_tokens: int):
        wall, cpu = time.perf_counter(), time.process_time()
        with torch.inference_mode():
            ids = model.generate(**inputs, do_sample=False, max_new_tokens=new_tokens, min_new_tokens=new_tokens)
        cost = dict(wall_s=time.perf_counter() - wall, cpu_s=time.process_time() - cpu)
        return ids[:, batch["input_ids"].shape[1] :].tolist(), cost

    _, first = generate(1)
    ids, all_tokens = generate(arguments.new_tokens)
    arguments.out.write_text(json.dumps(dict(ids=ids, first=first, all=all_tokens)), encoding="utf-8")


if __name__ == "__main__":
    main()
