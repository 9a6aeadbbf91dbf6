"""Runs a command and writes what it cost: CPU seconds, wall seconds and peak memory, children included.

    measure.py OUT COMMAND…

The numbers are the kernel's own of the process that ended, so that programs in Rust and in Python are measured alike.
"""

import json
import os
import sys
import time


def main() -> None:
    out, command = sys.argv[1], sys.argv[2:]
    started = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(process, 0)
    wall_s = time.perf_counter() - started
    # Linux counts the peak in KiB, macOS in bytes.
    unit_bytes = 1 if sys.platform == "darwin" else 1024
    cost = dict(cpu_s=usage.ru_utime + usage.ru_stime, wall_s=wall_s, peak_mib=usage.ru_maxrss * unit_bytes / 2**20)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(cost, file)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
