#!/usr/bin/env python3
"""How long 1,000 shards take to merge: as many are asked, one after the other, and merged.

    tests/compat/shard_count.py [SHARDS]      1,000 without

SURPRISAL names the binary. Prints seconds, and compares the table with that of one run. Exit code 1: it differs.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SURPRISAL", str(REPOSITORY / "target/release/surprisal"))
COMMAND = ["run", "configs/demo.py", "--limit", "200", "--device", "cpu"]


def run(*arguments):
    ended = subprocess.run([PROGRAM, *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended


def main():
    shards = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as scratch:
        whole = run(*COMMAND, "-w", f"{scratch}/whole")
        for number in range(1, shards + 1):
            run(*COMMAND, "-w", f"{scratch}/apart", "--shard", f"{number}/{shards}")
        started = time.monotonic()
        merged = run("merge", f"{scratch}/apart")
        seconds = time.monotonic() - started
        print(f"shard_count: {shards} shards merged in {seconds:.1f} s")
        return 0 if merged.stdout == whole.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
