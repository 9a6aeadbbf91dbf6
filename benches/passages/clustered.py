"""Vectors in clusters, as those of passages on some subjects are, with a corpus and queries beside them.

    clustered.py FOLDER PASSAGES QUERIES

Writes FOLDER/{corpus.jsonl,queries.jsonl,passages.npy,queries.npy}: vectors of 384 numbers, each near to one of PASSAGES / 200
directions. A passage has 60 words by Zipf's law, and a query 8 words of one passage. The same figures give the same files.
"""

import json
import sys
from pathlib import Path

import numpy

WIDTH = 384
# How far a vector is from its direction, by the length of that: cosines within a cluster are 0.8 in the mean.
SPREAD = 0.5
VOCABULARY = 200_000
PASSAGE_WORDS, QUERY_WORDS = 60, 8
CHUNK = 10_000


def write_vectors(path, count, centres, chance):
    vectors = numpy.lib.format.open_memmap(path, "w+", "<f4", (count, WIDTH))
    for start in range(0, count, CHUNK):
        rows = min(CHUNK, count - start)
        chosen = centres[chance.integers(len(centres), size=rows)]
        vectors[start : start + rows] = chosen + SPREAD * chance.standard_normal((rows, WIDTH), dtype="f4")
    vectors.flush()


def write_texts(folder, passages, queries, chance):
    words = numpy.array([f"w{number:x}" for number in range(VOCABULARY)])
    shares = 1 / numpy.arange(1, VOCABULARY + 1)
    bounds = numpy.cumsum(shares / shares.sum())
    asked = set(chance.choice(passages, size=min(queries, passages), replace=False).tolist())
    texts = []
    with open(folder / "corpus.jsonl", "w", encoding="utf-8") as corpus:
        for start in range(0, passages, CHUNK):
            rows = min(CHUNK, passages - start)
            drawn = numpy.searchsorted(bounds, chance.random((rows, PASSAGE_WORDS)))
            for number, row in enumerate(words[numpy.minimum(drawn, VOCABULARY - 1)], start):
                corpus.write(json.dumps({"id": str(number), "text": " ".join(row)}) + "\n")
                if number in asked:
                    texts.append(" ".join(chance.choice(row, QUERY_WORDS, replace=False)))
    with open(folder / "queries.jsonl", "w", encoding="utf-8") as file:
        for number in range(queries):
            file.write(json.dumps({"query": texts[number % len(texts)]}) + "\n")


def main():
    folder, passages, queries = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    chance = numpy.random.default_rng(1)
    centres = chance.standard_normal((max(1, passages // 200), WIDTH), dtype="f4")
    write_vectors(folder / "passages.npy", passages, centres, chance)
    write_vectors(folder / "queries.npy", queries, centres, chance)
    write_texts(folder, passages, queries, chance)


main()
