"""Rows with a list of choices as rows with a column for each: `choice_columns.py ROWS.jsonl > FLAT.jsonl`."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as rows:
    for row in map(json.loads, rows):
        choices = row.pop("choices")
        print(json.dumps(row | {f"choice_{gold}": choice for gold, choice in enumerate(choices)}))
