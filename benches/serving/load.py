"""Many connections to `surprisal serve` at once: no answer differs from the same request alone, memory stays flat, p99 is told.

    load.py CHECKPOINT [--connections N] [--seconds S] [--seed N]

Some hundred requests are first asked one by one: scores of given text, greedy and drawn continuations, whole and streamed. Then
every connection asks one after another, drawn with the seed, for so long; one in ten is given up on the way. Exit code 1: an answer
is another one, the server failed, or its memory grew by more than a tenth after the first third. SURPRISAL names the program.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from urllib.parse import urlsplit

from serve_process import Server

WORDS = "one two three four five six seven eight nine ten eleven twelve plus minus times makes".split()
REQUESTS = 240
#: Prompts that requests begin with.
BEGINNINGS = 12
GIVEN_UP = 0.1
MIB = 2**20


def requests(seed):
    """Bodies whose prompts share beginnings, as those of few-shot tasks do."""
    draw = random.Random(seed)
    text = lambda words: " ".join(draw.choice(WORDS) for _ in range(words))
    beginnings = [text(draw.randrange(5, 60)) for _ in range(BEGINNINGS)]
    bodies = []
    for place in range(REQUESTS):
        prompt = f"{draw.choice(beginnings)} {text(draw.randrange(1, 12))}"
        match place % 4:
            case 0 | 1:
                body = dict(prompt=prompt, echo=True, logprobs=1, max_tokens=0)
            case 2:
                body = dict(prompt=prompt, max_tokens=draw.randrange(1, 12), temperature=0, logprobs=1)
            case _:
                body = dict(prompt=prompt, max_tokens=draw.randrange(1, 12), temperature=1, seed=place)
        bodies.append(body)
    return bodies


class Connection:
    """A connection that is opened where there is none, and kept."""

    def __init__(self, address):
        self.host, self.port = urlsplit(address).hostname, urlsplit(address).port
        self.reader = self.writer = None

    async def send(self, body):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        said = json.dumps(body).encode()
        head = f"POST /v1/completions HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n"
        self.writer.write(head.encode() + said)
        await self.writer.drain()

    async def answer(self):
        """The status and the body; chunks are put together."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        status = int(head.split(" ", 2)[1])
        if "transfer-encoding: chunked" in head:
            whole = b""
            while size := int(await self.reader.readline(), 16):
                whole += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        else:
            [length] = [line.split(":")[1] for line in head.split("\r\n") if line.startswith("content-length:")]
            whole = await self.reader.readexactly(int(length))
        return status, whole.decode()

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


def of_whole(answer):
    return json.loads(answer)["choices"][0]


def of_stream(answer):
    """What the pieces say together: text, and how it ended."""
    events = [json.loads(event[6:]) for event in answer.strip().split("\n\n") if event.startswith("data: {")]
    pieces = [event["choices"][0] for event in events if event["choices"]]
    ends = [piece["finish_reason"] for piece in pieces if piece["finish_reason"]]
    return dict(text="".join(piece["text"] for piece in pieces), finish_reason=ends[-1] if ends else None)


class Load:
    def __init__(self, address, bodies, seed):
        self.address, self.bodies, self.seed = address, bodies, seed
        self.expected, self.seconds, self.wrong, self.failed = [], [], [], []
        self.given_up = self.waited = 0

    async def alone(self):
        connection = Connection(self.address)
        for body in self.bodies:
            await connection.send(body)
            status, answer = await connection.answer()
            if status != 200:
                sys.exit(f"{body}: {status} {answer}")
            self.expected.append(of_whole(answer))
        connection.close()

    async def ask(self, number, until):
        """Asks until the time is over."""
        draw, connection = random.Random(f"{self.seed} {number}"), Connection(self.address)
        while time.monotonic() < until:
            place = draw.randrange(len(self.bodies))
            streams = self.bodies[place]["max_tokens"] > 0 and draw.random() < 0.3
            began = time.monotonic()
            try:
                await connection.send(dict(self.bodies[place], stream=True) if streams else self.bodies[place])
                if draw.random() < GIVEN_UP:
                    await asyncio.sleep(draw.random() * 0.05)
                    connection.close()
                    self.given_up += 1
                    continue
                status, answer = await connection.answer()
            except (OSError, asyncio.IncompleteReadError) as error:
                self.failed.append(f"{type(error).__name__}: {error}")
                connection.close()
                continue
            if status == 429:
                self.waited += 1
                await asyncio.sleep(0.5 + draw.random())
                continue
            if status != 200:
                self.failed.append(f"{status}: {answer[:200]}")
                continue
            self.seconds.append(time.monotonic() - began)
            said, expected = (of_stream if streams else of_whole)(answer), self.expected[place]
            if any(said[name] != expected[name] for name in said):
                self.wrong.append((self.bodies[place], expected, said))
        connection.close()

    async def run(self, connections, seconds, memory):
        await self.alone()
        until = time.monotonic() + seconds
        watch = asyncio.create_task(memory(until))
        await asyncio.gather(*(self.ask(number, until) for number in range(connections)))
        return await watch


def resident_bytes(process):
    [line] = [line for line in open(f"/proc/{process.pid}/status") if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with Server(arguments.checkpoint, "--max-connections", str(arguments.connections + 8)) as server:
        load = Load(server.address, requests(arguments.seed), arguments.seed)

        async def memory(until):
            held = []
            while time.monotonic() < until:
                held.append(resident_bytes(server.process))
                await asyncio.sleep(min(1, arguments.seconds / 30))
            return held

        began = time.monotonic()
        held = asyncio.run(load.run(arguments.connections, arguments.seconds, memory))
        seconds, cpu_s = time.monotonic() - began, server.cpu_seconds()
    third = len(held) // 3
    early, late = max(held[: max(third, 1)]), max(held[-max(third, 1) :])
    taken = sorted(load.seconds)
    at = lambda share: taken[min(len(taken) - 1, int(share * len(taken)))] if taken else float("nan")
    print(f"{len(taken)} answers in {seconds:.0f} s over {arguments.connections} connections, {cpu_s:.0f} CPU s in the server")
    print(f"given up {load.given_up}, told to wait {load.waited}, failed {len(load.failed)}, other than alone {len(load.wrong)}")
    print(f"seconds: p50 {at(0.5):.3f}, p90 {at(0.9):.3f}, p99 {at(0.99):.3f}, longest {at(1):.3f}")
    print(f"memory: {early / MIB:.0f} MiB in the first third at most, {late / MIB:.0f} MiB in the last")
    for what in load.failed[:3] + [json.dumps(wrong) for wrong in load.wrong[:3]]:
        print(what, file=sys.stderr)
    sys.exit(bool(load.failed or load.wrong or not taken or late > early * 1.1))


if __name__ == "__main__":
    main()
