#!/usr/bin/env python3
"""How long 1,000 shards take to merge: as many are asked, and merged.

    tests/compat/shard_count.py [SHARDS]      1,000 without

Each shard is asked in a working folder of its own, as on machines that share no disk, so that none looks at the answers of hundreds of
others. SURPRISAL names the binary. Prints seconds, and compares the table with that of one run. Exit code 1: it differs, or the merge
took longer than 10 s for 1,000 shards.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SURPRISAL", str(REPOSITORY / "target/release/surprisal"))
COMMAND = ["run", "configs/demo.py", "--limit", "200", "--device", "cpu", "--threads", "1"]
#: Seconds for 1,000 shards.
MOST_SECONDS = 10


def run(*arguments):
    ended = subprocess.run([PROGRAM, *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended


def main():
    shards = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as scratch:
        whole = run(*COMMAND, "-w", f"{scratch}/whole")
        folders = [f"{scratch}/apart/{number}" for number in range(1, shards + 1)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            asked = (
                pool.submit(run, *COMMAND, "-w", folder, "--shard", f"{number}/{shards}")
                for number, folder in enumerate(folders, 1)
            )
            for shard in list(asked):
                shard.result()
        started = time.monotonic()
        merged = run("merge", "-w", f"{scratch}/merged", *folders)
        seconds = time.monotonic() - started
        is_equal = merged.stdout == whole.stdout
        is_fast = seconds < MOST_SECONDS * max(shards, 100) / 1000
        print(f"shard_count: {shards} shards merged in {seconds:.1f} s, {'as' if is_equal else 'not as'} one run")
        return 0 if is_equal and is_fast else 1


if __name__ == "__main__":
    sys.exit(main())
