"""Edits of a database and of the files of a run, as somebody with sqlite3 at hand could make them by chance."""
import contextlib
import shutil
import sqlite3

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
