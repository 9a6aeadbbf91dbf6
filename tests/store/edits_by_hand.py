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
from small_run import CHECKPOINT, OTHER_CHECKPOINT, WRITTEN, Outputs, SmallRun, choices, config, rows, usual
from tally import Tally

NUMBERS = [-1, 0, 1, 2, 3, 7, 2**31, 2**32 + 1, 2**63 - 1, -2**63]
TEXTS = ['', 'x', '{}', 'null', '"', '[1]', 'NaN', '\N{SNOWMAN}']


class Editor:
    """A database that is edited by chance."""

    def __init__(self, path, chance):
        self.connection = sqlite3.connect(path)
        self.chance = chance
        query = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        self.tables = [name for (name,) in self.connection.execute(query)]

    def columns(self, table):
        """Names, and which of them are the key."""
        found = self.connection.execute(f'PRAGMA table_info({table})').fetchall()
        key = [name for _, name, *_, place in sorted(found, key=lambda column: column[5]) if place]
        return [name for _, name, *_ in found], key or ['rowid']

    def filled_table(self, least=1):
        filled = [table for table in self.tables
                  if self.connection.execute(f'SELECT count(*) FROM {table}').fetchone()[0] >= least]
        # What figures are made of more often than the rest.
        often = [table for table in ['run', 'unit', 'sample', 'score', 'answer', 'content'] if table in filled]
        return self.chance.choice(filled + 2 * often)

    def keys(self, table, count):
        _, key = self.columns(table)
        found = self.connection.execute(f'SELECT {", ".join(key)} FROM {table} ORDER BY {", ".join(key)}').fetchall()
        return self.chance.sample(found, count), ' AND '.join(f'{name} IS ?' for name in key)

    def row(self, table, names, where, key):
        return self.connection.execute(f'SELECT {", ".join(names)} FROM {table} WHERE {where}', key).fetchone()

    def insert(self, table, names, row):
        marks = ', '.join('?' * len(names))
        self.connection.execute(f'INSERT OR REPLACE INTO {table}({", ".join(names)}) VALUES ({marks})', row)

    def other(self, value):
        """A value that is like another one but is not it."""
        chance = self.chance
        if isinstance(value, int) and chance.random() < 0.8:
            return chance.choice([value + 1, value - 1, value ^ 1 << chance.randrange(16), *NUMBERS])
        if isinstance(value, str) and value and chance.random() < 0.8:
            place = chance.randrange(len(value))
            digits = [at for at, letter in enumerate(value) if letter.isdigit()]
            if digits and chance.random() < 0.7:
                place = chance.choice(digits)
            return value[:place] + chance.choice('0123456789ab') + value[place + 1:]
        if isinstance(value, bytes) and value and chance.random() < 0.8:
            place = chance.randrange(len(value))
            kinds = [value[:place] + bytes([value[place] ^ 1 << chance.randrange(8)]) + value[place + 1:],
                     value[:-8], value + bytes(8), value[8:] + value[:8]]
            return chance.choice(kinds)
        return chance.choice([*NUMBERS, *TEXTS, b'', bytes(8), 0.5, float('inf')])

    # Edits.

    def delete_rows(self):
        table = self.filled_table()
        total = self.connection.execute(f'SELECT count(*) FROM {table}').fetchone()[0]
        count = self.chance.choice([1, self.chance.randint(1, total), total])
        keys, where = self.keys(table, count)
        for key in keys:
            self.connection.execute(f'DELETE FROM {table} WHERE {where}', key)
        return f'{count} of {total} rows of {table} deleted'

    def change_column(self, table=None, column=None):
        table = table or self.filled_table()
        column = column or self.chance.choice(self.columns(table)[0])
        [key], where = self.keys(table, 1)
        [before] = self.row(table, [column], where, key)
        after = self.other(before)
        try:
            self.connection.execute(f'UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}', (after, *key))
        except sqlite3.IntegrityError:
            return f'SQLite refuses {table}.{column} {short(after)}'
        return f'{table}.{column} where {where} {key}: {short(before)} to {short(after)}'

    def change_state(self):
        return self.change_column('run', 'state')

    def change_place(self):
        return self.change_column('unit', self.chance.choice(['place', 'run', 'model', 'samples']))

    def change_owner(self):
        return self.change_column('run', 'owner')

    def swap_values(self):
        table = self.filled_table(least=2)
        names, key_names = self.columns(table)
        free = [name for name in names if name not in key_names and name != 'checksum'] or names
        # All but the key, with or without the checksum, or a single column.
        chosen = self.chance.choice([free, [*free, 'checksum'], [self.chance.choice(free)]])
        chosen = [name for name in chosen if name in names]
        (one, other), where = self.keys(table, 2)
        pair = [list(self.row(table, names, where, key)) for key in (one, other)]
        for name in chosen:
            place = names.index(name)
            pair[0][place], pair[1][place] = pair[1][place], pair[0][place]
        for key in (one, other):
            self.connection.execute(f'DELETE FROM {table} WHERE {where}', key)
        for row in pair:
            self.insert(table, names, row)
        return f'{", ".join(chosen)} of {table} swapped between {one} and {other}'

    def duplicate_row(self):
        table = self.filled_table()
        names, key_names = self.columns(table)
        [key], where = self.keys(table, 1)
        row = list(self.row(table, names, where, key))
        changed = self.chance.choice(key_names)
        if changed in names:
            place = names.index(changed)
            row[place] = row[place] + self.chance.choice([1, 100]) if isinstance(row[place], int) else self.other(row[place])
        self.insert(table, names, row)
        return f'row {key} of {table} once more, with another {changed}'

    def drop_table(self):
        table = self.chance.choice([table for table in self.tables if not table.startswith('sqlite_')])
        self.connection.execute(f'DROP TABLE {table}')
        return f'table {table} dropped'

    def forget_numbers(self):
        """Deletes runs together with what SQLite knows of their numbers."""
        self.connection.execute('DELETE FROM sqlite_sequence')
        self.connection.execute('DELETE FROM run')
        return 'runs deleted, and what numbers they had'


EDITS = ['delete_rows', 'change_column', 'change_column', 'change_column', 'change_state', 'change_place', 'change_owner',
         'swap_values', 'swap_values', 'duplicate_row', 'drop_table', 'forget_numbers']


def edit_database(run, chance):
    editor = Editor(run.database, chance)
    with contextlib.closing(editor.connection), editor.connection:
        return getattr(editor, chance.choice(EDITS))()


def edit_files(run, chance):
    """Edits that need no sqlite3."""
    work = run.folder / 'out'
    kind = chance.choice(['empty', 'text', 'cut', 'stranger', 'none', 'no run folder', 'run file', 'leftovers', 'foreign log'])
    if kind == 'empty':
        run.write_database(b'')
    elif kind == 'text':
        run.write_database(b'These are my results: 100 %\n' * 200)
    elif kind == 'cut':
        whole = run.database.read_bytes()
        run.write_database(whole[:chance.randrange(len(whole))])
    elif kind == 'stranger':
        run.write_database((run.folder / 'stranger/surprisal.db').read_bytes())
    elif kind == 'none':
        run.database.unlink()
    elif kind == 'foreign log':
        write_foreign_log(run)
    elif kind == 'leftovers':
        for ending in ['-wal', '-journal', '-shm']:
            path = run.database.with_name(run.database.name + ending)
            path.write_bytes(chance.randbytes(chance.choice([0, 100, 4096, 40_000])))
    else:
        [summary] = work.glob('*/summary')
        folder = summary.parent
        if kind == 'no run folder':
            shutil.rmtree(folder)
        else:
            path = chance.choice(sorted(path for path in folder.rglob('*') if path.is_file()))
            path.write_bytes(chance.choice([b'', b'{"accuracy": 100.0}', path.read_bytes().replace(b'1', b'9')]))
    return f'{kind}'


def write_foreign_log(run):
    """Puts the log of another database, with every page of it, beside this one."""
    copy = run.folder / 'logged.db'
    shutil.copy(run.folder / 'stranger/surprisal.db', copy)
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        for table, column in [('answer', 'length'), ('sample', 'record'), ('segment', 'nlls'), ('run', 'facts'),
                              ('content', 'columns'), ('unit', 'facts'), ('score', 'scores'), ('text', 'bytes')]:
            connection.execute(f'UPDATE {table} SET {column} = {column}')
        connection.commit()
        shutil.copy(f'{copy}-wal', f'{run.database}-wal')


def short(value):
    return repr(value)[:60]


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

RULE = ", rule='answer_per_char'"
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

def corrected_golds(run, chance):
    own = rows()
    for index in chance.sample(range(len(own)), chance.randint(1, len(own))):
        own[index]['answer'] = 'ab'[own[index]['answer'] == 'a']
    return usual(), lambda: run.write_rows('one', own)


def moved_rows(run, chance):
    """Rows of two data sets with the same columns and templates: the border between them moves."""
    kinds = [None, lambda index: dict(idx=index), lambda index: dict(idx=index, subdivision='x')]
    own = rows(count=24, more=chance.choice(kinds))
    before, after = chance.sample(range(1, 24), 2)

    def write(border):
        run.write_rows('one', own[:border])
        run.write_rows('two', own[border:])

    write(before)
    return config(choices('one'), choices('two', 'data/two.jsonl')), lambda: write(after)


def swapped_files(run, chance):
    def swap():
        run.write_rows('one', rows(first=50))
        run.write_rows('two', rows())

    return usual(), swap


def swapped_names(run, chance):
    def swap():
        run.write_config(config(choices('two'), choices('one', 'data/two.jsonl')))

    return config(choices('one'), choices('two', 'data/two.jsonl')), swap


def colliding_names(run, chance):
    """Two names that are one as files."""
    pair = chance.choice([('a/b', 'a_b'), ('one', 'one'), ('One', 'one'), ('a b', 'a_b')])
    text = config(choices(pair[0]), choices(pair[1], 'data/two.jsonl', end=chance.choice(['the ', 'a '])))
    return usual(), lambda: run.write_config(text)


def other_template(run, chance):
    return usual(), lambda: run.write_config(usual().replace('the ', 'a '))


CHANGES = [corrected_golds, moved_rows, moved_rows, swapped_files, swapped_names, colliding_names, other_template]


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
