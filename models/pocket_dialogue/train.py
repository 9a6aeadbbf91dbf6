"""Train the dialogue model, a small Llama, on text drawn by `corpus.py`, and export it.

    python train.py --out .                  # train, then write the checkpoint
    python train.py --evaluate .             # measure an exported checkpoint on texts drawn anew

Training runs in `--ranks` processes of one thread each on the CPU; they share a gradient per step.
The result depends on the seed, the number of ranks and the versions of the packages.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import random
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import torch
import torch.distributed as dist
import torch.nn.functional as F
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import Tensor
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

import corpus
import names as invented

VOCAB = 2048  # at most; the texts have fewer pairs to merge
SHORT_ROW = 208  # tokens of the short packed rows; a stage says those of the long ones
STEP_TOKENS = 3000  # at least this many per rank and step
WIDTH, LAYERS = 160, 6
EMA = 0.99  # decay of the averaged weights, which are the ones exported

# One Chinese letter or mark, a capitalised word, capitals, a lower-case word with the space before it, one digit,
# punctuation with the space behind it, one white-space character, other letters. So a name reads the same
# wherever it stands, and a prompt that ends in ": " ends where a token ends.
SPLIT = r"\p{Han}|[，。？“”：；、]|\p{Lu}\p{Ll}+|\p{Lu}+| ?\p{Ll}+|\p{N}|[^\s\p{L}\p{N}，。？“”：；、]+ ?|\s|\p{L}+"

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


# ------------------------------------------------------------------------------------- tokenizer


def train_tokenizer(seed: int) -> Tokenizer:
    """A byte-level BPE whose digits stay single, trained on documents of the mixture."""
    rng = random.Random(seed)
    invented.blank = True
    documents = [corpus.training_document(rng, corpus.LAST) for _ in range(6000)]
    invented.blank = False
    documents += [[(letter, 0.0)] for letter in invented.LETTERS * 3]
    texts = ["".join(text for text, _ in pieces) for pieces in documents]
    for token in corpus.SPECIAL_TOKENS:
        texts = [text.replace(token, "\n") for text in texts]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB,
        special_tokens=corpus.SPECIAL_TOKENS,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    bos = corpus.BOS
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A $B", special_tokens=[(bos, tokenizer.token_to_id(bos))]
    )
    return tokenizer


def encode(tokenizer: Tokenizer, pieces: list[corpus.Piece]) -> tuple[list[int], list[float]]:
    """Token ids and, for each, the weight of the piece its first character lies in."""
    weights = [w for text, w in pieces for _ in range(len(text))]
    encoding = tokenizer.encode("".join(text for text, _ in pieces), add_special_tokens=False)
    return encoding.ids, [weights[start] for start, _ in encoding.offsets]


def packed_batches(
    tokenizer: Tokenizer, rng: random.Random, stage: Stage
) -> list[tuple[Tensor, ...]]:
    """The documents of one step, packed into long and short rows.

    First fit, longest first. Each batch holds ids, loss weights and document numbers (0 = padding).
    """
    drawn: list[tuple[list[int], list[float]]] = []
    while sum(len(ids) for ids, _ in drawn) < STEP_TOKENS:
        ids, weights = encode(tokenizer, corpus.training_document(rng, stage.mixture))
        if len(ids) <= stage.long_row:
            drawn.append((ids, weights))
    drawn.sort(key=lambda d: -len(d[0]))
    rows: list[tuple[int, list[int], list[float], list[int]]] = []
    for ids, weights in drawn:
        row = next((r for r in rows if len(r[1]) + len(ids) <= r[0]), None)
        if row is None:
            row = (SHORT_ROW if len(ids) <= SHORT_ROW else stage.long_row, [], [], [])
            rows.append(row)
        row[3].extend([row[3][-1] + 1 if row[3] else 1] * len(ids))
        row[1].extend(ids)
        row[2].extend(weights)
    batches = []
    for size in (SHORT_ROW, stage.long_row):
        chosen = [r[1:] for r in rows if r[0] == size]
        if chosen:
            padded = [[f + [0] * (size - len(f)) for f in fields] for fields in zip(*chosen)]
            batches.append(tuple(torch.tensor(field) for field in padded))
    return batches


# ----------------------------------------------------------------------------------------- model


def new_model(entries: int) -> LlamaForCausalLM:
    special = corpus.SPECIAL_TOKENS.index
    config = LlamaConfig(
        vocab_size=entries,
        hidden_size=WIDTH,
        intermediate_size=512,
        num_hidden_layers=LAYERS,
        num_attention_heads=5,
        num_key_value_heads=5,
        head_dim=32,
        max_position_embeddings=1024,
        rms_norm_eps=1e-6,
        tie_word_embeddings=True,
        bos_token_id=special(corpus.BOS),
        eos_token_id=special(corpus.EOS),
        pad_token_id=special(corpus.PAD),
    )
    return LlamaForCausalLM(config)


def loss_sum(model: LlamaForCausalLM, ids: Tensor, weights: Tensor, document: Tensor) -> Tensor:
    """Weighted next-token loss with bfloat16 products; attention stays inside a document.

    The same function as the model's own `forward`, written out because that is several times
    slower on a CPU. Positions need no reset per document: rotary embedding sees differences only.
    """
    c = model.config
    rows, length, dim = *ids.shape, c.head_dim
    heads, groups = c.num_attention_heads, c.num_key_value_heads
    half = torch.bfloat16

    def linear(x: Tensor, *weights: Tensor) -> Tensor:
        return F.linear(x, torch.cat([w.to(half) for w in weights]))

    def norm(x: Tensor, weight: Tensor) -> Tensor:
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + c.rms_norm_eps)
        return (x * scale * weight).to(half)

    frequency = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    angle = torch.outer(torch.arange(length), frequency)
    cos, sin = angle.cos().to(half), angle.sin().to(half)

    def rotate(x: Tensor) -> Tensor:
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    same = document[:, :, None] == document[:, None, :]
    mask = torch.zeros(rows, 1, 1, length, length, dtype=half)
    mask.masked_fill_(~same.tril()[:, None, None], -1e9)

    x = F.embedding(ids, model.model.embed_tokens.weight)
    for layer in model.model.layers:
        attention, mlp = layer.self_attn, layer.mlp
        h = norm(x, layer.input_layernorm.weight)
        h = linear(h, attention.q_proj.weight, attention.k_proj.weight, attention.v_proj.weight)
        h = h.view(rows, length, -1, dim).transpose(1, 2)
        q, k, v = h.split([heads, groups, groups], 1)
        q = (rotate(q) * dim**-0.5).reshape(rows * groups, -1, dim)
        k = rotate(k).reshape(rows * groups, length, dim)
        score = torch.bmm(q, k.transpose(1, 2)).view(rows, groups, -1, length, length)
        score = (score + mask).softmax(-1).view(rows * groups, -1, length)
        h = torch.bmm(score, v.reshape(rows * groups, length, dim))
        h = h.view(rows, heads, length, dim).transpose(1, 2).reshape(rows, length, -1)
        x = x + linear(h, attention.o_proj.weight)
        h = norm(x, layer.post_attention_layernorm.weight)
        gate, up = linear(h, mlp.gate_proj.weight, mlp.up_proj.weight).chunk(2, -1)
        x = x + linear(F.silu(gate) * up, mlp.down_proj.weight)
    # Only positions whose next token belongs to the same document and counts.
    target = weights[:, 1:] * (document[:, 1:] == document[:, :-1])
    keep = target.flatten().nonzero().squeeze(1)
    hidden = norm(x[:, :-1].reshape(-1, c.hidden_size)[keep], model.model.norm.weight)
    logits = linear(hidden, model.model.embed_tokens.weight).float()
    loss = F.cross_entropy(logits, ids[:, 1:].flatten()[keep], reduction="none")
    return (loss * target.flatten()[keep]).sum()


# -------------------------------------------------------------------------------------- training


class Stage(NamedTuple):
    first: int  # step it begins with
    mixture: corpus.Mixture
    long_row: int  # tokens of the longest document


STAGES = (
    Stage(0, corpus.FIRST, 320),
    Stage(250, corpus.SECOND, 416),
    Stage(1500, corpus.LAST, 640),  # the learning rate falls along this one
)
STEPS = 2700


def rate(step: int) -> float:
    """Warm up for 100 steps, stay, and fall to zero along half a cosine in the last stage."""
    left = min(1.0, (STEPS - step) / (STEPS - STAGES[-1].first))
    return min(1.0, (step + 1) / 100) * 0.5 * (1 - math.cos(math.pi * left))


def train(rank: int, args: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    dist.init_process_group(
        "gloo", init_method=f"tcp://127.0.0.1:{args.port}", rank=rank, world_size=args.ranks
    )
    tokenizer = train_tokenizer(args.seed)
    model = new_model(tokenizer.get_vocab_size())
    names = sorted(
        (n for n, _ in model.named_parameters()), key=lambda n: "embed" in n or "norm" in n
    )  # matrices first, in the order of the layers
    parameters = [model.get_parameter(n) for n in names]
    matrices = [p for n, p in zip(names, parameters) if "embed" not in n and "norm" not in n]
    others = parameters[len(matrices) :]
    optimizers = [
        torch.optim.Muon(matrices, lr=args.muon_lr, weight_decay=0.05, momentum=0.95),
        torch.optim.AdamW(others, lr=args.adam_lr, betas=(0.9, 0.98), weight_decay=0.0),
    ]
    averaged = copy.deepcopy(model)
    average = [averaged.get_parameter(n).detach() for n in names]
    started = last = time.time()
    steps = min(STEPS, args.stop or STEPS)
    tokens = 0
    running = 0.0
    stage, rng = STAGES[0], random.Random()
    for step in range(steps):
        for begun in STAGES:
            if begun.first == step:  # each stage draws from a generator of its own
                stage, rng = begun, random.Random(f"{args.seed} {rank} {step}")
        totals = torch.zeros(3)  # loss, weight, tokens
        for ids, weights, document in packed_batches(tokenizer, rng, stage):
            loss = loss_sum(model, ids, weights, document)
            loss.backward()
            totals += torch.stack([loss.detach(), weights.sum(), (document > 0).sum()])
        flat = torch.cat([p.grad.flatten() for p in parameters] + [totals])
        dist.all_reduce(flat)
        loss_total, weight_total, count = flat[-3:].tolist()
        tokens += int(count)
        parts = flat[:-3].div_(weight_total).split([p.numel() for p in parameters])
        for p, g in zip(parameters, parts):
            p.grad = g.view_as(p)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        scale = rate(step)
        for optimizer, lr in zip(optimizers, (args.muon_lr, args.adam_lr)):
            optimizer.param_groups[0]["lr"] = lr * scale
            optimizer.step()
            optimizer.zero_grad()
        with torch.no_grad():
            torch._foreach_lerp_(average, parameters, 1 - min(EMA, (step + 1) / (step + 10)))
        running = 0.98 * running + 0.02 * loss_total / weight_total
        if rank:
            continue
        if step % 50 == 49:
            speed = tokens / (time.time() - started)
            seen = 1 - 0.98 ** (step + 1)
            report = f"step {step + 1} loss {running / seen:.4f} tokens {tokens}"
            print(f"{report} per second {speed:.0f}", flush=True)
        if time.time() - last > 60 * args.every or step + 1 == steps:
            last = time.time()
            export(copy.deepcopy(averaged), tokenizer, Path(args.out))
            print(evaluate(args.out, 40), flush=True)
    dist.destroy_process_group()


def export(model: LlamaForCausalLM, tokenizer: Tokenizer, folder: Path) -> None:
    """Write the checkpoint in Hugging Face layout, each file replaced in one move."""
    folder.mkdir(parents=True, exist_ok=True)
    special = corpus.SPECIAL_TOKENS.index
    generation = {
        "bos_token_id": special(corpus.BOS),
        "eos_token_id": [special(corpus.EOS), special(corpus.IM_END)],
        "pad_token_id": special(corpus.PAD),
    }
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        model.to(torch.bfloat16).save_pretrained(scratch)
        # Older readers look for these two names.
        config = json.loads(Path(scratch, "config.json").read_text())
        config.update(torch_dtype="bfloat16", rope_theta=config["rope_parameters"]["rope_theta"])
        tokenizer.save(f"{scratch}/tokenizer.json")
        names = {
            "bos_token": corpus.BOS,
            "eos_token": corpus.EOS,
            "pad_token": corpus.PAD,
        }
        settings = {
            **names,
            "tokenizer_class": "PreTrainedTokenizerFast",
            "add_bos_token": True,
            "add_eos_token": False,
            "clean_up_tokenization_spaces": False,
            "model_max_length": model.config.max_position_embeddings,
            "additional_special_tokens": [corpus.IM_START, corpus.IM_END],
            "chat_template": CHAT_TEMPLATE,
        }
        names["additional_special_tokens"] = settings["additional_special_tokens"]
        for name, content in (
            ("config", config),
            ("generation_config", generation),
            ("tokenizer_config", settings),
            ("special_tokens_map", names),
        ):
            Path(scratch, f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")
        for file in sorted(os.listdir(scratch)):
            os.chmod(f"{scratch}/{file}", 0o644)
            os.replace(f"{scratch}/{file}", folder / file)


# ------------------------------------------------------------------------------------ evaluation


@torch.no_grad()
def evaluate(folder: str, items: int, seed: int = 1) -> dict[str, float]:
    """Share of items drawn anew that are answered, by task, through transformers.

    An answer counts when every token of it, and of the line end after it, is the most likely one;
    that is when greedy generation writes exactly it.
    """
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    result = {}
    for name, language in (("en", corpus.english), ("zh", corpus.chinese)):
        for task in (*corpus.CASES, "reading 1", "reading 3"):
            rng = random.Random(f"{seed} {name} {task}")
            right = 0
            for _ in range(items):
                if task.startswith("reading"):
                    prompt, answer = corpus.reading(rng, language, int(task[-1]))
                else:
                    weights = tuple(int(case == task) for case in corpus.CASES)
                    row = corpus.rewriting_row(rng, language, weights)
                    prompt, answer = corpus.rewriting_prompt(row), corpus.rewriting_answer(row)
                start = len(tokenizer.encode(prompt).ids)
                ids = torch.tensor(tokenizer.encode(prompt + answer + "\n").ids)
                logits = model(ids[None]).logits[0, start - 1 : -1]
                right += bool((logits.argmax(-1) == ids[start:]).all())
            result[f"{name} {task}"] = right / items
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=".", help="folder of the checkpoint")
    parser.add_argument("--muon-lr", type=float, default=0.02)
    parser.add_argument("--adam-lr", type=float, default=0.004)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ranks", type=int, default=1, help="processes of one thread each")
    parser.add_argument("--port", type=int, default=29511)
    parser.add_argument("--every", type=float, default=10, help="minutes between exports")
    parser.add_argument("--stop", type=int, help="end after this many steps (to try it out)")
    parser.add_argument("--evaluate", metavar="FOLDER", help="only measure this checkpoint")
    parser.add_argument("--items", type=int, default=500, help="held-out items per measurement")
    args = parser.parse_args()
    if args.evaluate:
        print(json.dumps(evaluate(args.evaluate, args.items), indent=2))
    else:
        torch.multiprocessing.spawn(train, (args,), nprocs=args.ranks)


if __name__ == "__main__":
    main()
