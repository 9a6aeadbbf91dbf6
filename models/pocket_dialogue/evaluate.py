"""Measures rewritings of `configs/datasets/dialogues`: exact match, need, recall of passages by BM25.

    surprisal run configs/rag/rewriting.py
    python evaluate.py outputs/RUN

BM25 (k1 = 1.5, b = 0.75) over titles and texts of one language: lower-case words and numbers, and of Chinese each pair
of letters; three passages, ties by place. Only Python's standard library is needed.
"""

from __future__ import annotations

import json
import math
import random
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "configs/datasets/dialogues"


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


def rewritten(text: str, question: str) -> str:
    """As the post-processor `cot_output` reads it."""
    word = re.split(r"\W", text.strip(), maxsplit=1)[0].lower()
    if word == "no":
        return question
    for line in text.strip().splitlines() if word == "yes" else []:
        if "OUTPUT QUESTION:" in line:
            return line.rsplit("OUTPUT QUESTION:", 1)[1].strip()
    return text.strip().split("\n", 1)[0].strip()


def interval(differences: list[float], seed: int = 0) -> tuple[float, float]:
    """95 % of means of pairs drawn again."""
    rng = random.Random(seed)
    n = len(differences)
    means = sorted(sum(rng.choices(differences, k=n)) / n for _ in range(4000))
    return means[100], means[3899]


def predictions(folder: Path, form: str, lang: str) -> list[str]:
    """What a run of `configs/rag/rewriting.py` wrote, in the order of the rows."""
    path = next(folder.glob(f"predictions/*/rewriting_{form}_{lang}.json"))
    kept = json.loads(path.read_text(encoding="utf-8"))
    return [kept[str(place)]["prediction"].strip() for place in range(len(kept))]


def measure(rows: list[dict], wrote: list[str], form: str, index: dict[str, Bm25]) -> None:
    exact, need, recall = defaultdict(list), Counter(), defaultdict(list)
    for row, text in zip(rows, wrote, strict=True):
        new = text if form == "plain" else rewritten(text, row["question"])
        said = new != row["question"] if form == "plain" else text.lower().startswith("yes")
        need[said, row["needs_rewriting"]] += 1
        for group in (row["phenomenon"], row["lang"], "hand written" if row["hand_written"] else "seeded", "all"):
            exact[group].append(new == row["gold_rewriting"])
        searches = {"no rewriting": row["question"], "model": new or row["question"], "gold": row["gold_rewriting"]}
        for name, query in searches.items() if row["relevant"] else ():
            found = set(index[row["lang"]].best(query)) & set(row["relevant"])
            for group in (name, f"{name}, {row['lang']}", f"{name}, {row['phenomenon']}"):
                recall[group].append(len(found) / len(row["relevant"]))
    print(f"== {form}")
    for name, values in exact.items():
        print(f"exact rewriting, {name:15} {100 * sum(values) / len(values):5.1f} % of {len(values)}")
    right = need[True, True]
    print(
        f"need: precision {100 * right / max(1, right + need[True, False]):.1f} %, "
        f"recall {100 * right / max(1, right + need[False, True]):.1f} %"
    )
    for name, values in sorted(recall.items()):
        print(f"recall@3, {name:32} {100 * sum(values) / len(values):5.1f} % of {len(values)}")
    low, high = interval([a - b for a, b in zip(recall["model"], recall["no rewriting"])])
    print(f"model − no rewriting, paired, 95 %: {100 * low:.1f} to {100 * high:.1f} points")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER, that of a run of configs/rag/rewriting.py")
    read = lambda name: [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    passages, rows = read("passages.jsonl"), read("test.jsonl")
    index = {lang: Bm25([row for row in passages if row["lang"] == lang]) for lang in ("en", "zh")}
    for form in ("direct", "few_shot", "plain"):
        wrote = [text for lang in ("en", "zh") for text in predictions(Path(sys.argv[1]), form, lang)]
        measure(rows, wrote, form, index)


if __name__ == "__main__":
    main()
