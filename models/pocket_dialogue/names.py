"""Invented names, and which of them belong to training and which to the test.

The side is decided by a checksum: of each syllable of an English name, of each pair of letters that stand side by side
in a Chinese one. Training and test draw from the same letters, and never from the same syllables or pairs.
"""

from __future__ import annotations

import random
import zlib

from words import ZH_COMMON

ONSETS = (
    "b c d f g h j k l m n p r s t v w z br cr dr fr gr kr pr tr bl cl fl gl pl sl sh th ch qu st"
).split()
VOWELS = "a e i o u a e i o u ai ea io oo y ei au".split()
CODAS = ["", "", "", "", "n", "r", "l", "s", "x", "m", "k", "t", "nd", "rt", "lv", "sk", "ng"]
LETTERS = sorted(set(ZH_COMMON) - set("它他她这那其们"))  # none that stands for something else
# The tokenizer is trained on texts without names, so that its entries are those of words.
blank = False


def of_test(part: str) -> bool:
    """Whether a syllable, or a pair of Chinese letters, belongs to the test: one in four."""
    return zlib.crc32(part.encode()) % 4 == 0


def word(rng: random.Random, syllables: int, test: bool = False) -> str:
    """An English name. All its syllables are of one side."""
    if blank:
        return "X"
    parts: list[str] = []
    while len(parts) < syllables:
        part = rng.choice(ONSETS) + rng.choice(VOWELS)
        if len(parts) + 1 == syllables:
            part += rng.choice(CODAS)
        if of_test(part) == test and len("".join(parts) + part) > 2:
            parts.append(part)
    return "".join(parts).capitalize()


def letters(rng: random.Random, count: int, test: bool = False, pool: list[str] = LETTERS) -> str:
    """A Chinese name. All its pairs are of one side, and no letter stands in it twice."""
    if blank:
        return ""
    while True:
        drawn = rng.sample(pool, count)
        pairs = zip(drawn, drawn[1:])
        if all(of_test(a + b) == test for a, b in pairs):
            return "".join(drawn)


def blend(rng: random.Random, listed: list[str]) -> str:
    """The begin of one word and the end of another, so that words which are not known are copied, too."""
    if blank:
        return rng.choice(listed)
    while True:
        one, other = rng.choice(listed).split()[0], rng.choice(listed).split()[-1]
        text = one[: rng.randint(1, len(one))] + other[rng.randint(0, len(other) - 1) :]
        if 2 < len(text) < 12:
            return text
