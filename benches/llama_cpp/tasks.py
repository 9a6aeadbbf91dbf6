"""The rows of a workload as a file for `llama-perplexity --multiple-choice`: `tasks.py ROWS.jsonl > TASKS.bin`.

It begins with the number of tasks and where each begins; a task is its question, its answers and which of them is right, and
a second list of answers, which is empty. llama.cpp puts a blank between question and answer; ours begin with it.
"""

import json
import struct
import sys


def text(words: str) -> bytes:
    raw = words.encode()
    return struct.pack("<I", len(raw)) + raw


def task(row: dict) -> bytes:
    answers = [choice.removeprefix(" ") for choice in row["choices"]]
    labels = [int(index == row["gold"]) for index in range(len(answers))]
    listed = struct.pack("<I", len(answers)) + b"".join(map(text, answers)) + struct.pack(f"<{len(labels)}i", *labels)
    return text(row["prefix"] + row["question"]) + listed + struct.pack("<I", 0)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as rows:
        tasks = [task(json.loads(row)) for row in rows]
    at, places = 4 + 4 * len(tasks), []
    for raw in tasks:
        places.append(at)
        at += len(raw)
    sys.stdout.buffer.write(struct.pack(f"<{len(tasks) + 1}I", len(tasks), *places) + b"".join(tasks))


if __name__ == "__main__":
    main()
