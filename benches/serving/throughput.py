"""The same requests through `surprisal answer` and through `surprisal serve`: how many a second, CPU seconds, tokens computed.

    throughput.py CHECKPOINT [--requests N] [--connections N] [--most RATIO]

Half are scores of given text, half greedy continuations; prompts share beginnings, as those of few-shot tasks do. Every continuation has to be
the same, every log-likelihood within 1e-4 nats for a hundred tokens. The server shares the cores with its client, so CPU seconds of the program are what is held
against --most (1.1). SURPRISAL names the program.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from load import WORDS, Connection
from serve_process import Server

NATS = 1e-4
BEGINNINGS = 40
NEW_TOKENS = 16


def texts(count):
    """Prompts of some hundred tokens, of which most are shared."""
    draw = random.Random(0)
    text = lambda words: " ".join(draw.choice(WORDS) for _ in range(words))
    beginnings = [text(draw.randrange(100, 300)) for _ in range(BEGINNINGS)]
    return [f"{draw.choice(beginnings)} {text(draw.randrange(5, 30))}" for _ in range(count)]


def of_answer(checkpoint, prompts):
    """Answers, seconds and CPU seconds of one `surprisal answer`."""
    with tempfile.TemporaryDirectory() as scratch:
        asked = Path(scratch) / "requests.jsonl"
        with asked.open("w") as lines:
            for place, text in enumerate(prompts):
                first, rest = text.split(" ", 1)
                scored = dict(context=first, continuation=f" {rest}")
                own = scored if place % 2 else dict(context=text, until=[], max_gen_toks=NEW_TOKENS)
                lines.write(json.dumps(dict(id=place, **own)) + "\n")
        command = [os.environ["SURPRISAL"], "answer", asked, "--model", checkpoint, "--device", "cpu"]
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    return answers, time.monotonic() - began, cpu_s


async def of_server(address, prompts, connections):
    """Answers of a server, asked over so many connections."""
    left, answers = list(enumerate(prompts))[::-1], [None] * len(prompts)

    async def ask():
        connection = Connection(address)
        while left:
            place, text = left.pop()
            more = dict(echo=True, logprobs=0, max_tokens=0) if place % 2 else dict(max_tokens=NEW_TOKENS, temperature=0)
            while True:
                await connection.send(dict(prompt=text, **more))
                status, answer = await connection.answer()
                if status != 429:
                    break
                await asyncio.sleep(0.2)
            assert status == 200, answer
            [own] = json.loads(answer)["choices"]
            answers[place] = own["logprobs"]["token_logprobs"] if place % 2 else own["text"]
        connection.close()

    await asyncio.gather(*(ask() for _ in range(connections)))
    return answers


def are_equal(served, expected):
    """Whether a continuation, or the scores of the last tokens, are what `answer` has."""
    if "text" in expected:
        return served == expected["text"]
    scores = served[len(served) - expected["tokens"] :]
    return abs(sum(scores) - expected["log_likelihood"]) < NATS * max(1, len(scores) / 100)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--most", type=float, default=1.1)
    arguments = parser.parse_args()
    prompts = texts(arguments.requests)
    expected, seconds, cpu_s = of_answer(arguments.checkpoint, prompts)
    with Server(arguments.checkpoint, "--max-connections", str(arguments.connections + 8)) as server:
        began = time.monotonic()
        answers = asyncio.run(of_server(server.address, prompts, arguments.connections))
        served_s, served_cpu_s = time.monotonic() - began, server.cpu_seconds()
    wrong = [place for place, pair in enumerate(zip(answers, expected, strict=True)) if not are_equal(*pair)]
    print(f"{'':>8} {'wall s':>8} {'CPU s':>8} {'per CPU s':>10}")
    for name, wall, cpu in (("answer", seconds, cpu_s), ("serve", served_s, served_cpu_s)):
        print(f"{name:>8} {wall:8.1f} {cpu:8.1f} {len(prompts) / cpu:10.1f}")
    print(f"ratio of CPU seconds {served_cpu_s / cpu_s:.2f}; {len(wrong)} of {len(prompts)} answers differ")
    for place in wrong[:3]:
        print(place, expected[place], answers[place], file=sys.stderr)
    sys.exit(bool(wrong) or served_cpu_s > arguments.most * cpu_s)


main()
