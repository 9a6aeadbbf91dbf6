#!/usr/bin/env python3
"""Edits a database, the files of a run and its inputs, and reads everything again: each command gives exactly what
a whole run gives, or refuses, and no longer once the command is repeated.

    tests/store/edits_by_hand.py [POINTS]      200 without it. A quarter of them change the inputs of a
                                               killed run, an eighth let another run follow a loss of rows

An edit is a random choice of row, column and value, as somebody with sqlite3 at hand could make it; checksums
are left as they are.
"""
import contextlib
import json
import pathlib
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time

import program
from changed_inputs import CHANGES
from edited_database import edit_database, edit_files, short
from small_run import CHECKPOINT, OTHER_CHECKPOINT, WRITTEN, Outputs, SmallRun, choices, config, usual
from tally import Tally


def edit(run, outputs, chance, tally):
    """One edit of a finished run."""
    run.restore('whole')
    what = edit_files(run, chance) if chance.random() < 0.2 else edit_database(run, chance)
    run.keep('changed')

    def restore():
        run.restore('changed')

    restore()
    failures = outputs.wrong_run(run, tally)
    failures += outputs.wrong_reads(run, lambda: None, tally)
    # There the newest run is the stranger's.
    if what not in ('stranger', 'foreign log'):
        failures += outputs.wrong_reads(run, restore, tally)
    tally.record(f'edit: {what}', failures)


# Rows that are lost, and then another run: what it writes must not be taken for what was lost.

RULE = ", rule='per_char'"
NUMBERED = ['text', 'model', 'segment', 'unit', 'content', 'token', 'sample', 'run']


def follow_loss(folder, number, chance, tally):
    """Deletes rows of a finished run, runs something else, and reads both."""
    checkpoint = chance.choice([CHECKPOINT, OTHER_CHECKPOINT])
    first = config(choices('one', more=RULE, end='the time and '), WRITTEN)
    second = config(choices('one', 'data/two.jsonl', more=RULE, end='a time or '), checkpoint=checkpoint)
    run, clean = SmallRun(folder / f'{number}/lost', first), SmallRun(folder / f'{number}/clean', second)
    before, after = Outputs(run), Outputs(clean)
    name = json.loads(run.export('samples').out.splitlines()[0])['run']
    table = NUMBERED[number % len(NUMBERED)]
    with contextlib.closing(sqlite3.connect(run.database)) as connection, connection:
        key = 'rowid' if table in ('text', 'model', 'segment', 'unit', 'run') else 'checksum'
        keys = [key for (key,) in connection.execute(f'SELECT {key} FROM {table} ORDER BY {key}')]
        # All, or the newest.
        least = chance.choice([keys[0], chance.choice(keys)])
        connection.execute(f'DELETE FROM {table} WHERE {key} >= ?', [least])
    run.write_config(second)
    failures = after.wrong_run(run, tally)
    failures += after.wrong_reads(run, lambda: None, tally)
    for what, ask, is_right in before.reads(run, name):
        said = ask()
        if said.is_done and not is_right(said):
            failures.append(f'{what} of the first run: OTHER FIGURES')
        elif not (said.is_done or said.is_refused):
            failures.append(f'{what} of the first run: {said}')
    tally.record(f'rows of {table} from {short(least)} lost, then a run of {checkpoint.name}', failures)
    shutil.rmtree(folder / str(number))


# Inputs that change after a run was killed or finished.

def change_inputs(folder, number, chance, tally):
    """Kills a run at a random time, changes its inputs, and repeats the command."""
    run, clean = SmallRun(folder / f'{number}/killed'), SmallRun(folder / f'{number}/clean')
    change = CHANGES[number % len(CHANGES)]
    state = chance.getstate()
    text, apply = change(run, chance)
    chance.setstate(state)
    _, apply_clean = change(clean, chance)
    run.write_config(text)
    clean.write_config(text)
    process = program.start(run.command(), run.folder)
    # A quarter is not killed.
    delay = chance.choice([None, *[chance.uniform(0, 0.25) for _ in range(3)]])
    if delay is not None:
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
    process.communicate()
    apply()
    apply_clean()
    what = f'{change.__name__} after ' + ('a whole run' if delay is None else f'a kill after {delay:.3f} s')
    said = clean.run()
    if said.is_refused:
        # As in the folder that nothing happened to.
        other = run.run()
        tally.note(f'{change.__name__} refused everywhere')
        tally.record(what, [] if other.is_refused else [f'refused in a clean folder only: {other}'])
    else:
        outputs = Outputs(clean)
        tally.record(what, [*outputs.wrong_run(run, tally), *outputs.wrong_reads(run, lambda: None, tally),
                            *wrong_files(run, clean)])
    shutil.rmtree(folder / str(number))


def wrong_files(run, clean):
    """What of OpenCompass's files of the newest run is not as in the clean folder."""
    found = []
    for own in (run, clean):
        newest = max((path for path in (own.folder / 'out').iterdir() if path.is_dir() and path.name[0].isdigit()),
                     key=lambda path: path.name)
        found.append({path.relative_to(newest): path.read_bytes() for kind in ('predictions', 'results')
                      for path in (newest / kind).rglob('*.json')})
    return [f'{path} differs' for path in sorted(found[0].keys() | found[1].keys())
            if found[0].get(path) != found[1].get(path)]


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    tally = Tally('edits_by_hand')
    chance = random.Random(0x5eed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run = SmallRun(folder / 'edited', config(choices('strange', end='a ')))
        Outputs(run)
        run.keep('stranger')
        run.remove()
        run.write_config(usual())
        outputs = Outputs(run)
        run.keep('whole')
        for number in range(points):
            if number % 4 == 3:
                change_inputs(folder, number // 4, chance, tally)
            elif number % 8 == 2:
                follow_loss(folder, number // 8, chance, tally)
            else:
                edit(run, outputs, chance, tally)
    tally.end()


if __name__ == '__main__':
    main()
