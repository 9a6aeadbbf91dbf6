"""Measures the dialogue model on `configs/datasets/dialogues`: rewriting, need, recall of passages, answers.

    python evaluate.py [FOLDER] [--form direct|few_shot|plain|none] [--show]

Greedy, f32 on the CPU, through transformers. BM25 (k1 = 1.5, b = 0.75) over titles and texts: lower-case words
in English, pairs of letters and digits in Chinese; k = 3, ties by place.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
from collections import Counter, defaultdict
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM

DATA = Path(__file__).resolve().parents[2] / "configs/datasets/dialogues"
PROMPTS = Path(__file__).resolve().parents[2] / "configs/rag/prompts.py"
FORMS = {"few_shot": "rewriting_prompt", "plain": "plain_prompt"}


def terms(text: str) -> list[str]:
    """Words, and of Chinese runs each pair of letters."""
    found = []
    for run in re.findall(r"[\u4e00-\u9fff]+|[a-z]+|[0-9]+", text.lower()):
        if "\u4e00" <= run[0] <= "\u9fff":
            found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        else:
            found.append(run)
    return found


class Bm25:
    def __init__(self, rows: list[dict]) -> None:
        self.ids = [row["id"] for row in rows]
        self.counts = [Counter(terms(row["title"] + "\n" + row["text"])) for row in rows]
        self.lengths = [sum(counts.values()) for counts in self.counts]
        self.mean = sum(self.lengths) / len(rows)
        self.documents = Counter(term for counts in self.counts for term in counts)

    def best(self, query: str, k: int = 3) -> list[str]:
        scores = []
        for place, (counts, length) in enumerate(zip(self.counts, self.lengths)):
            score = 0.0
            for term in terms(query):
                if counts[term]:
                    n = self.documents[term]
                    weight = math.log(1 + (len(self.ids) - n + 0.5) / (n + 0.5))
                    tf = counts[term]
                    score += weight * tf * 2.5 / (tf + 1.5 * (0.25 + 0.75 * length / self.mean))
            scores.append((-score, place))
        return [self.ids[place] for _, place in sorted(scores)[:k]]


@torch.no_grad()
def generate(model, tokenizer: Tokenizer, prompt: str, most: int = 160) -> str:
    """What the model writes greedily up to the end of the line."""
    ids = tokenizer.encode(prompt).ids
    given, cache, step = len(ids), None, torch.tensor([ids])
    while len(ids) - given < most:
        out = model(step, past_key_values=cache, use_cache=True)
        cache, token = out.past_key_values, int(out.logits[0, -1].argmax())
        if token in (1, 4):
            break
        ids.append(token)
        if "\n" in tokenizer.decode(ids[given:][-1:]):
            break
        step = torch.tensor([[token]])
    return tokenizer.decode(ids[given:]).split("\n")[0]


def rewritten(text: str, question: str) -> str:
    """As the post-processor `cot_output` reads it."""
    word = re.split(r"\W", text.strip(), maxsplit=1)[0].lower()
    if word == "no":
        return question
    at = text.find("OUTPUT QUESTION:")
    return text[at + len("OUTPUT QUESTION:") :].strip() if word == "yes" and at >= 0 else ""


def share(values: list[bool]) -> str:
    return f"{100 * sum(values) / len(values):5.1f} % of {len(values)}" if values else "none"


def interval(differences: list[float], seed: int = 0) -> tuple[float, float]:
    """95 % of means of pairs drawn again."""
    rng = random.Random(seed)
    n = len(differences)
    means = sorted(sum(rng.choices(differences, k=n)) / n for _ in range(4000))
    return means[100], means[3899]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", default=str(Path(__file__).parent))
    parser.add_argument("--form", choices=["direct", "few_shot", "plain", "none"], default="direct")
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    args = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(f"{args.folder}/tokenizer.json")
    model = AutoModelForCausalLM.from_pretrained(args.folder, dtype=torch.float32).eval()
    read = lambda name: [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    passages, rows = read("passages.jsonl"), read("test.jsonl")
    text_of = {row["id"]: f"{row['title']}{': ' if row['lang'] == 'en' else '：'}{row['text']}" for row in passages}
    index = {lang: Bm25([row for row in passages if row["lang"] == lang]) for lang in ("en", "zh")}
    prompts: dict = {}
    exec(PROMPTS.read_text(encoding="utf-8"), prompts)
    exact, need, recall, answers = defaultdict(list), Counter(), defaultdict(list), defaultdict(list)
    for row in rows:
        name = {"direct": "rewriting_direct", "none": "rewriting_direct"}.get(args.form)
        prompt = prompts[name or f"{FORMS[args.form]}_{row['lang']}"].format(**row)
        wrote = generate(model, tokenizer, prompt) if args.form != "none" else ""
        new = wrote.strip() if args.form == "plain" else rewritten(wrote, row["question"])
        if args.form == "none":
            new = row["question"]
        right = new == row["gold_rewriting"]
        if args.show and not right:
            print(row["id"], row["dialogue"].replace("\n", " / "), ">>", row["question"], "\n   wrote", wrote, "\n   gold ", row["gold_rewriting"])
        for group in (row["phenomenon"], row["lang"], "hand written" if row["hand_written"] else "seeded", "all"):
            exact[f"{group}"].append(right)
        if args.form == "plain":
            said = new != row["question"]
        else:
            said = wrote.strip().lower().startswith("yes")
        need[said, row["needs_rewriting"]] += 1
        if row["relevant"]:
            searches = {"no rewriting": row["question"], "model": new or row["question"], "gold": row["gold_rewriting"]}
            for name, query in searches.items():
                found = set(index[row["lang"]].best(query)) & set(row["relevant"])
                recall[name].append(len(found) / len(row["relevant"]))
                recall[f"{name} {row['lang']}"].append(len(found) / len(row["relevant"]))
            passage = f"[1] {text_of[row['relevant'][0]]}"
            prompt = prompts["answer_prompt"].format(passages=passage, question=row["gold_rewriting"])
            if len(row["relevant"]) == 1:
                answer = generate(model, tokenizer, prompt, 40).strip()
                answers[row["lang"]].append(answer == row["answer"])
                if args.show and answer != row["answer"]:
                    print("   ", prompt.replace("\n", " / "), answer, "GOLD", row["answer"])
    for name, values in exact.items():
        print(f"exact rewriting {name:16} {share(values)}")
    precision = need[True, True] / max(1, need[True, True] + need[True, False])
    print(f"need: precision {100 * precision:.1f} %, recall {100 * need[True, True] / (need[True, True] + need[False, True]):.1f} %", dict(need))
    for name, values in recall.items():
        print(f"recall@3 {name:16} {100 * sum(values) / len(values):5.1f} % of {len(values)}")
    low, high = interval([a - b for a, b in zip(recall["model"], recall["no rewriting"])])
    print(f"model − no rewriting, paired: 95 % {100 * low:.1f} to {100 * high:.1f} points")
    for lang, values in answers.items():
        print(f"answer read off the right passage, {lang}: {share(values)}")


if __name__ == "__main__":
    main()
