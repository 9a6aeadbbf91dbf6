#!/usr/bin/env python3
"""Takes the power from a machine while three runs write, and repeats the command on what is left on its disk.

    tests/store/power_loss.py [POINTS]      so many points in time, spread over all runs; 200 without it. A quarter of
                                            them lie in a run that mends a damaged database

strace records what three runs in a row write below their folder. For each point the folder is built that a machine
may find after it lost power there (recorded_disk.py). Then:

- every answer that the database held at the last sync of its files can be read;
- of a run that the database calls finished, every file is there and whole;
- the command gives the figures of a run that nothing disturbed, or refuses with exit code 2;
- repeated once more, it computes nothing.
"""
import contextlib
import pathlib
import random
import sqlite3
import sys
import tempfile

import program
from recorded_disk import Recording
from tally import Tally

CONFIG = program.REPOSITORY / 'configs/demo.py'
FINISHED = 1


def arguments(folder, limit):
    return ['run', CONFIG, '--limit', limit, '--device', 'cpu', '-w', folder, '--json']


def rows(folder, query):
    """What a query gives in a copy of the database; nothing where there is none yet."""
    path = folder / 'surprisal.db'
    if not path.exists():
        return set()
    connection = sqlite3.connect(path)
    try:
        return set(connection.execute(query))
    except sqlite3.OperationalError as error:
        if 'no such table' in str(error):
            return set()
        raise
    finally:
        connection.close()


def check(recording, point, choice, expected, work, tally):
    """What is wrong after power was lost at a point. Where a damaged database is mended, its answers are promised."""
    failures = []
    answers = 'SELECT question, segment, length, checksum FROM answer'
    synced = recording.build(work / 'synced', recording.last_database_sync(point))
    promised = rows(synced, answers)
    copy = recording.build(work / 'copy', point, random.Random(choice))
    try:
        kept = rows(copy, answers)
        finished = rows(copy, f'SELECT facts FROM run WHERE state = {FINISHED}')
    except sqlite3.DatabaseError as error:
        return [f'SQLite cannot read the database: {error}']
    if (lost := promised - kept) and not recording.start:
        failures.append(f'{len(lost)} of {len(promised)} answers are lost')
    folder = recording.build(work / 'lossy', point, random.Random(choice))
    for missing in recording.missing_files(folder, finished):
        failures.append(f'a finished run misses {missing}')
    first = program.run(arguments(folder, 6), program.REPOSITORY)
    if first.is_refused:
        tally.note('refused')
        return failures
    if not first.is_done:
        return [*failures, first]
    if first.results != expected:
        failures.append('OTHER FIGURES')
    if recording.start and (tokens := first.outcome['work']['computed_tokens']):
        failures.append(f'answers are lost: {tokens} tokens were computed again')
    again = program.run(arguments(folder, 6), program.REPOSITORY)
    if not again.is_done or again.outcome['work']['computed_tokens'] or again.results != expected:
        failures.append(f'repeated: {again}')
    return failures


def damaged_folder(recording):
    """A finished run in a folder whose database has to be set aside and mended, although every row is readable."""
    program.run(arguments(recording.folder, 6), program.REPOSITORY)
    with contextlib.closing(sqlite3.connect(recording.folder / 'surprisal.db')) as connection, connection:
        connection.execute('UPDATE format SET checksum = checksum + 1')
    recording.adopt()


def lose_power(what, recording, points, chance, expected, work, tally):
    first, steps = recording.start, recording.length - recording.start
    turns = recording.database_names()
    for index in range(points):
        # One point in each stretch, so that all of the runs are covered; every other where files of the database
        # have just come or gone.
        point = first + int((index + chance.random()) * steps / points)
        if index % 2:
            point = turns[index // 2 * len(turns) // (points // 2) % len(turns)]
        choice = chance.random()
        failures = check(recording, point, choice, expected, work, tally)
        tally.record(f'{what}, power lost at {recording.tell(point)}, choice {choice}', failures)


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    tally = Tally('power_loss')
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary).resolve()
        expected = program.run(arguments(work / 'whole', 6), program.REPOSITORY).results
        recording = Recording(work / 'recorded', work / 'trace')
        recording.record(arguments(recording.folder, 2))
        recording.record(arguments(recording.folder, 6))
        # One that has nothing to ask.
        recording.record([*arguments(recording.folder, 6), '--dataset', 'choices'])
        tally.record('the recording ends in what is on the disk', recording.differences(work / 'replayed'))
        tally.record('the name of a folder that is made is on the disk before what is in it', recording.unsynced_folder())
        mending = Recording(work / 'mended', work / 'trace')
        damaged_folder(mending)
        mending.record(arguments(mending.folder, 6))
        tally.record('the second recording, too', mending.differences(work / 'replayed'))
        chance = random.Random(0x5eed)
        lose_power('runs', recording, points - points // 4, chance, expected, work, tally)
        lose_power('mending', mending, points // 4, chance, expected, work, tally)
    tally.end()


if __name__ == '__main__':
    main()
