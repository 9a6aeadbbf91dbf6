"""Times transformers on random weights of a known shape and the made-up questions of `surprisal bench`, as JSON.

    peer.py SHAPE WORKLOAD [--style opencompass|lm-eval] [--questions N] [--batch N] [--device cuda] [--dtype bfloat16]

`opencompass` asks as OpenCompass does for a perplexity: every candidate whole, in batches of neighbours that are padded on
the right, with the logits of every token, and the loss over all of them. `lm-eval` asks as lm-eval does for a
log-likelihood: sorted by length, padded on the left of the longest, one row for candidates of one token that share their
context, and logits narrowed to the continuation after the pass. `gen` continues greedily, all prompts of a batch together.
Shapes and lengths are those of `surprisal bench`, so tokens asked per second can be compared; tokens are other random ones.
"""

import argparse
import json
import random
import time

import torch
import transformers

LLAMA = dict(rms_norm_eps=1e-5, tie_word_embeddings=False)
SHAPES = {
    "llama25m": (transformers.LlamaConfig, dict(LLAMA, vocab_size=4096, hidden_size=384, intermediate_size=2048, num_hidden_layers=8,
        num_attention_heads=6, num_key_value_heads=2, max_position_embeddings=2048)),
    "llama3-8b": (transformers.LlamaConfig, dict(LLAMA, vocab_size=128256, hidden_size=4096, intermediate_size=14336,
        num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8, max_position_embeddings=8192)),
    "llama3.2-1b": (transformers.LlamaConfig, dict(LLAMA, vocab_size=128256, hidden_size=2048, intermediate_size=8192,
        num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8, max_position_embeddings=131072,
        tie_word_embeddings=True)),
    "qwen2.5-7b": (transformers.Qwen2Config, dict(vocab_size=152064, hidden_size=3584, intermediate_size=18944,
        num_hidden_layers=28, num_attention_heads=28, num_key_value_heads=4, max_position_embeddings=32768)),
}

# questions, those of the whole benchmark, those that share examples; tokens of examples, question, candidate; candidates; new tokens
WORKLOADS = {
    "gen": (64, 1319, 1319, 400, 60, 0, 1, 64),
    "hellaswag10": (100, 10042, 10042, 1000, 40, 25, 4, 0),
    "mmlu5": (246, 14042, 246, 620, 96, 1, 4, 0),
}


def questions_of(workload, vocabulary_size, count):
    """Prompts with their candidates, as token ids."""
    usual, whole, per_subject, shared, own, candidate, candidates, _ = WORKLOADS[workload]
    draw = random.Random(1)
    tokens = lambda length: [draw.randrange(vocabulary_size) for _ in range(length)]
    examples, found = [], []
    for question in range(count or usual):
        if question % per_subject == 0:
            examples = tokens(shared)
        found.append((examples + tokens(own), [tokens(candidate) for _ in range(candidates)]))
    return found, whole


def opencompass(model, questions, batch_size, device):
    texts = [prompt + candidate for prompt, candidates in questions for candidate in candidates]
    for first in range(0, len(texts), batch_size):
        batch = texts[first : first + batch_size]
        longest = max(map(len, batch))
        ids = torch.tensor([text + [0] * (longest - len(text)) for text in batch], device=device)
        mask = torch.tensor([[1] * len(text) + [0] * (longest - len(text)) for text in batch], device=device)
        logits = model(input_ids=ids, attention_mask=mask).logits
        loss = torch.nn.functional.cross_entropy(
            logits[:, :-1].float().flatten(0, 1), ids[:, 1:].flatten(), reduction="none"
        )
        (loss.view(len(batch), -1) * mask[:, 1:]).sum(-1).tolist()


def lm_eval(model, questions, batch_size, device):
    asked = []
    for prompt, candidates in questions:
        if all(len(candidate) == 1 for candidate in candidates):
            asked.append((prompt + candidates[0], [candidate[0] for candidate in candidates]))
        else:
            asked += [(prompt + candidate, candidate) for candidate in candidates]
    asked.sort(key=lambda one: -len(one[0]))
    for first in range(0, len(asked), batch_size):
        batch = asked[first : first + batch_size]
        longest = max(len(text) for text, _ in batch) - 1
        ids = torch.tensor([[0] * (longest + 1 - len(text)) + text[:-1] for text, _ in batch], device=device)
        logits = torch.nn.functional.log_softmax(model(input_ids=ids).logits, dim=-1)
        for row, (text, continuation) in enumerate(batch):
            logits[row, -1, continuation].tolist() if len(continuation) == 4 else logits[row, -len(continuation) :].gather(
                1, torch.tensor(continuation, device=device)[:, None]).sum().item()


def generate(model, questions, batch_size, device, new_tokens):
    for first in range(0, len(questions), batch_size):
        ids = torch.tensor([prompt for prompt, _ in questions[first : first + batch_size]], device=device)
        model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=new_tokens, min_new_tokens=new_tokens,
            do_sample=False, pad_token_id=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("--style", choices=["opencompass", "lm-eval"], default="opencompass")
    parser.add_argument("--questions", type=int)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dtype", default="bfloat16")
    arguments = parser.parse_args()
    kind, fields = SHAPES[arguments.shape]
    config = kind(**fields)
    config._attn_implementation = "sdpa"
    dtype = getattr(torch, arguments.dtype)
    torch.set_default_dtype(dtype)
    with torch.device(arguments.device):
        model = transformers.AutoModelForCausalLM.from_config(config).eval()
    torch.set_default_dtype(torch.float32)
    questions, whole = questions_of(arguments.workload, config.vocab_size, arguments.questions)
    new_tokens = WORKLOADS[arguments.workload][-1]

    def run(questions):
        with torch.inference_mode():
            if new_tokens:
                generate(model, questions, arguments.batch, arguments.device, new_tokens)
            elif arguments.style == "opencompass":
                opencompass(model, questions, arguments.batch, arguments.device)
            else:
                lm_eval(model, questions, arguments.batch, arguments.device)
        if arguments.device.startswith("cuda"):
            torch.cuda.synchronize()

    run(questions[: arguments.batch])
    begin = time.perf_counter()
    run(questions)
    seconds = time.perf_counter() - begin
    asked = sum(max(1, len(candidates)) * len(prompt) + sum(map(len, candidates)) for prompt, candidates in questions)
    print(json.dumps(dict(
        program="transformers " + transformers.__version__, style="generate" if new_tokens else arguments.style,
        model=arguments.shape, workload=arguments.workload, device=arguments.device, dtype=arguments.dtype,
        batch=arguments.batch, questions=len(questions), nominal_tokens=asked, new_tokens=new_tokens * len(questions),
        wall_seconds=seconds, benchmark_seconds=seconds * whole / len(questions),
    )))


main()
