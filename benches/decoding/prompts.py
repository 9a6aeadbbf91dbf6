"""The first N questions as prompts: `prompts.py ROWS.jsonl N > PROMPTS.jsonl`."""

import itertools
import json
import sys

with open(sys.argv[1], encoding="utf-8") as rows:
    for row in map(json.loads, itertools.islice(rows, int(sys.argv[2]))):
        print(json.dumps(dict(prompt=row["prefix"] + row["question"])))
