#!/usr/bin/env python3
"""Kills shards of a run at random moments and repeats their commands: merged, they have to give the files of one run, byte for
byte.

    tests/compat/shard_kills.py [KILLS] [SHARDS]      100 kills and 4 shards without

SURPRISAL names the binary. Exit code 1: a file differs.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SURPRISAL", str(REPOSITORY / "target/release/surprisal"))
COMMAND = ["run", "configs/demo.py", "--limit", "40", "--device", "cpu"]
TRY_AGAIN = 75

# Kills of a shard in one run, at most: all shards have their share of them.
KILLS_OF_A_SHARD = 4


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False)


def files(work_dir):
    """Predictions, results and summaries by name. The name of a run's folder, which is a time, is taken out."""
    (folder,) = [path for path in work_dir.iterdir() if (path / "configs").is_dir()]
    found = {}
    for kind in ["predictions", "results", "summary", "configs"]:
        for path in sorted((folder / kind).rglob("*")):
            if path.is_file():
                name = str(path.relative_to(folder)).replace(folder.name, "TIME")
                found[name] = path.read_bytes().replace(folder.name.encode(), b"TIME")
    return found


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    shards = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    draw = random.Random(20)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        whole = run(*COMMAND, "-w", str(scratch / "whole"))
        assert whole.returncode == 0, whole.stderr
        expected = files(scratch / "whole")
        done = passed = failed = rounds = 0
        longest = 3.0
        while done < kills:
            rounds += 1
            work = scratch / f"round-{rounds}"
            for number in range(1, shards + 1):
                command = [PROGRAM, *COMMAND, "-w", str(work), "--shard", f"{number}/{shards}"]
                # A shard that ends before it is killed says nothing of kills: the next one is given less time.
                for _ in range(KILLS_OF_A_SHARD):
                    if done >= kills:
                        break
                    child = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    time.sleep(draw.uniform(0.01, longest))
                    if child.poll() is not None:
                        longest = max(longest * 0.7, 0.05)
                        break
                    child.kill()
                    child.wait()
                    done += 1
                    # What is missing is said, and never made up.
                    if done % 10 == 0:
                        early = run("merge", str(work)) if (work / "shards").is_dir() else None
                        assert early is None or early.returncode in (2, TRY_AGAIN), early.stdout + early.stderr
                ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
                assert ended.returncode == 0, ended.stderr
            merged = run("merge", str(work))
            assert merged.returncode == 0, merged.stderr
            assert merged.stdout == whole.stdout
            found = files(work)
            for name in sorted(expected.keys() | found.keys()):
                if expected.get(name) == found.get(name):
                    passed += 1
                else:
                    failed += 1
                    print(f"round {rounds}: {name} differs", file=sys.stderr)
        print(f"{done} kills in {rounds} runs of {shards} shards")
        print(f"shard_kills: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
