"""Holds the training texts against the test set `configs/datasets/dialogues`: nothing of it may occur in them.

    python check.py [DOCUMENTS]      # at most so many of each stage; without it all that training drew

Looked for: entities, persons, rivers and cities by their full names, each invented word of English ones, passages, what stands in
the templates of passages between two blanks, the rewritten questions with any names in the place of theirs, and the
short questions of the phenomenon `ellipsis`. Only Python's standard library is needed.
"""

from __future__ import annotations

import ast
import json
import random
import re
import sys
from pathlib import Path

import chinese
import corpus
import english

HERE = Path(__file__).resolve().parent
DATA = corpus.TEST.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(DATA))

import make  # noqa: E402
import parts_en  # noqa: E402
import parts_zh  # noqa: E402

# How many documents of each stage the shipped checkpoint was trained on: those of its 2,430 steps.
TRAINED = (5035, 19615, 10138)
# Where the passages' facts hold invented names; of a place only where it is a city.
INVENTED = ("river", "town", "near", "person", "person2")
NAME = {"en": r"(?:the [\w' ]{2,60}|[A-Z][\w' ]{1,60})", "zh": r"[\u4e00-\u9fff]{2,24}"}


def stages() -> list[tuple[int, str]]:
    """First step and mixture of each stage, as `train.py` has them; it is not imported, for it needs torch."""
    found = []
    for node in ast.walk(ast.parse((HERE / "train.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Stage":
            found.append((node.args[0].value, node.args[1].attr))
    return sorted(found)


def drawn(most: int) -> list[str]:
    """The training texts in the order of training, at most so many of each stage."""
    texts = []
    for (first, mixture), count in zip(stages(), TRAINED, strict=True):
        rng = random.Random(f"0 0 {first}")
        for _ in range(min(count, most)):
            pieces = corpus.training_document(rng, getattr(corpus, mixture))
            texts.append("".join(text for text, _ in pieces))
    return texts


def fragments(template: str, least: int) -> list[str]:
    return [text for text in re.split(r"\{\w+\}|[.,;，。；]", template) if len(text) >= least]


def names_of_test() -> set[str]:
    """Whatever is invented, as the passages name it."""
    names = set()
    for lang, parts in (("en", parts_en), ("zh", parts_zh)):
        _, entities = make.passages(random.Random(f"{make.SEED} {lang}"), parts, lang)
        for entity in entities:
            fields = [*INVENTED, "place"] if entity.kind in ("engineer", "machine") else INVENTED
            names |= {entity.name, *(str(entity.facts[field]) for field in fields if field in entity.facts)}
    return names


def main() -> None:
    texts = drawn(int(sys.argv[1]) if len(sys.argv) > 1 else max(TRAINED))
    read = lambda name: [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    passages, rows = read("passages.jsonl"), read("test.jsonl")
    whole = "\n".join(texts)
    words = set(re.findall(r"[A-Za-z]+", whole))
    wrong: list[str] = []

    names = names_of_test() | {name for row in rows for name in row["names"] if not name.isdecimal()}
    wrong += [f"name {name}" for name in sorted(names) if name in whole]
    known = set(re.findall(r"[A-Za-z]+", " ".join([*parts_en.FEASTS, *parts_en.MACHINES, "the Bridge Festival"])))
    own = {word for name in names for word in re.findall(r"[A-Za-z]+", name)} - known
    wrong += [f"word of a name {word}" for word in sorted(own & words)]
    wrong += [f"passage {row['id']}" for row in passages if row["text"] in whole]

    for parts, least in ((parts_en, 14), (parts_zh, 6)):
        for kind in (*parts.KINDS.values(), parts.EDITION):
            for template in kind["texts"]:
                wrong += [f"template of a passage {part!r}" for part in fragments(template, least) if part in whole]
    shared = set(parts_en.MORE) & set(english.MORE) | set(parts_zh.MORE) & set(chinese.MORE)
    wrong += [f"template {text}" for text in sorted(shared)]

    lines = re.findall(r"(?:Q|NOW QUESTION|QUESTION|REWRITTEN QUESTION): (?:.* OUTPUT QUESTION: )?(.*)", whole)
    lines = {*lines, *re.findall(r"OUTPUT QUESTION: (.*)", whole)}
    for skeleton in sorted({(row["lang"], corpus.skeleton(row["gold_rewriting"], row["names"])) for row in rows}):
        lang, text = skeleton
        parts = text.split("{}")
        longest = max(parts, key=len)
        pattern = re.compile(NAME[lang].join(re.escape(part) for part in parts))
        wrong += [f"question {text}: {line}" for line in lines if longest in line and pattern.fullmatch(line)]

    for line in wrong[:40]:
        print(line)
    print(f"{len(texts)} documents, {len(whole)} letters, {len(lines)} questions: {len(wrong)} things of the test in them")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
