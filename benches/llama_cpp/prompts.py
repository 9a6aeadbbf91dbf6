"""Prompts that share nothing, of about as many tokens each: `prompts.py WORKLOADS COUNT TOKENS > PROMPTS.jsonl`.

They are stretches of the questions of mmlu_like, one after the other.
"""

import json
import sys
from pathlib import Path

from tokenizers import Tokenizer


def main() -> None:
    workloads, count, length = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    tokenizer = Tokenizer.from_file(str(workloads / "tokenizer.json"))
    with open(workloads / "mmlu_like.jsonl", encoding="utf-8") as rows:
        text = "\n\n".join(json.loads(row)["question"] for row in rows)
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    # One token is the beginning of the text.
    step = length - 1
    for number in range(count):
        print(json.dumps(dict(prompt=tokenizer.decode(ids[number * step : (number + 1) * step]))))


if __name__ == "__main__":
    main()
