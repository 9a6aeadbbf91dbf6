#!/usr/bin/env python3
"""Flips single bits of a database and reads it in every way: each gives exactly what the whole run gave, or
refuses, and no longer once the command is repeated.

    tests/store/bit_flips.py [FLIPS]      10,000 without it; two at a time
"""
import pathlib
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from small_run import Outputs, SmallRun, usual
from tally import Tally

AT_ONCE = 2


def try_flips(folder, flips, seed, tally):
    run = SmallRun(folder)
    # Another metric, so that answers are read and not only the table.
    run.write_config(usual('AccwithDetailsEvaluator'), 'other.py')
    other = Outputs(run, 'other.py', tables=[])
    run.remove()
    outputs = Outputs(run)
    whole = run.database.read_bytes()
    chance = random.Random(seed)
    for index in range(flips):
        bit = chance.randrange(len(whole) * 8)
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8

        def restore():
            run.write_database(changed)

        restore()
        failures = (outputs if index % 2 == 0 else other).wrong_run(run, tally)
        failures += outputs.wrong_reads(run, restore, tally)
        tally.record(f'bit {bit} of {len(whole) * 8}', failures)


def main():
    flips = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    tally = Tally('bit_flips')
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(AT_ONCE) as threads:
        shares = [flips // AT_ONCE + (place < flips % AT_ONCE) for place in range(AT_ONCE)]
        trials = [threads.submit(try_flips, pathlib.Path(temporary) / str(place), share, place, tally)
                  for place, share in enumerate(shares)]
        for trial in trials:
            trial.result()
    tally.end()


if __name__ == '__main__':
    main()
