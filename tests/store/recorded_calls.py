"""What programs do to the files below a folder, from a record of their system calls."""
import os
import pathlib
import re

import program

CALLS = ('open,openat,creat,close,dup,dup2,dup3,write,pwrite64,writev,pwritev,lseek,fsync,fdatasync,ftruncate,truncate,'
         'fallocate,copy_file_range,sendfile,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir')
ROOT = 0


class Step:
    """Something that changes the disk, or a sync."""

    def __init__(self, kind, inode, **what):
        self.kind, self.inode = kind, inode
        # From when on it survives: the place of the first sync behind it.
        self.durable_at = None
        self.__dict__.update(what)

    def __str__(self):
        what = {name: value for name, value in self.__dict__.items() if name not in ('data', 'covered', 'durable_at')}
        return str(what)


class RecordedCalls:
    """The steps of programs that write below a folder, one program after the other."""

    def __init__(self, folder, trace):
        self.folder, self.trace = folder, trace
        self.steps = []
        # The names as the programs saw them.
        self.names = {}
        self.kinds = {}
        self.files = {}
        # The steps before are on the disk for long.
        self.start = 0

    @property
    def length(self):
        return len(self.steps)

    def tell(self, point):
        return f'step {point} of {self.length} ({self.steps[point]})' if point < self.length else f'step {point}'

    def adopt(self):
        """Takes a folder that is there as one that has been on the disk for long."""
        self.name(self.folder, self.new_inode('folder'))
        for path in sorted(self.folder.rglob('*')):
            self.name(path, self.new_inode('folder' if path.is_dir() else 'file'))
            if path.is_file():
                self.add('write', self.names[path], offset=0, data=path.read_bytes())
        for step in self.steps:
            step.durable_at = -1
        self.start = self.length

    # Reading the trace.

    def record(self, arguments):
        """Runs the program and appends what it does."""
        prefix = ['strace', '-f', '-qq', '-xx', '-s', '100000000', '-e', f'trace={CALLS}', '-o', str(self.trace)]
        said = program.Said(program.start(arguments, program.REPOSITORY, prefix))
        assert said.is_done, said
        self.open_files = {}
        started = {}
        for line in self.trace.read_text().splitlines():
            thread, rest = line.split(maxsplit=1)
            if rest.endswith('<unfinished ...>'):
                started[thread] = rest.removesuffix('<unfinished ...>').rstrip()
                # The system may free a number, and begin to write, before the call returns.
                self.begun(started[thread])
                continue
            if resumed := re.match(r'<\.\.\. \w+ resumed>(.*)', rest):
                rest = started.pop(thread) + resumed[1]
            elif not rest.startswith(('+++', '---')):
                self.begun(rest)
            else:
                continue
            # A call that was restarted, or whose process ended, has no result.
            if call := re.match(r'(\w+)\((.*)\)\s+= (-?\d+)', rest):
                self.ended(call[1], fields(call[2]), int(call[3]))
        self.folder_names()

    def begun(self, text):
        name, _, rest = text.partition('(')
        if name == 'close':
            self.open_files.pop(int(re.match(r'\d+', rest)[0]), None)
        if name in ('fsync', 'fdatasync'):
            number = int(re.match(r'\d+', rest)[0])
            if number in self.open_files:
                # What it will have synced when it returns.
                own = self.open_files[number]
                own.covered = self.pending(own.inode)

    def pending(self, inode):
        return [step for step in self.steps if step.inode == inode and step.durable_at is None and step.kind != 'sync']

    def ended(self, name, arguments, result):
        if result < 0 or name == 'close':
            return
        handler = getattr(self, f'on_{name}', None)
        if handler:
            handler(arguments, result)
        elif self.concerns_us(arguments):
            raise NotImplementedError(f'{name}({arguments}) is not modelled')

    def concerns_us(self, arguments):
        paths = [text for text in arguments if isinstance(text, bytes) and text.startswith(b'/') and self.inside(text)]
        numbers = [number for number in arguments[:1] if isinstance(number, int) and number in self.open_files]
        return bool(paths or numbers)

    def inside(self, path):
        path = as_path(path)
        return path == self.folder or self.folder in path.parents

    def add(self, kind, inode, **what):
        self.steps.append(Step(kind, inode, **what))

    def new_inode(self, kind):
        inode = len(self.kinds) + 1
        self.kinds[inode] = kind
        return inode

    def folder_of(self, path):
        """The folder's inode; the folder above ours is the root of the disk."""
        return ROOT if path == self.folder else self.names[path.parent]

    def name(self, path, inode):
        self.names[path] = inode
        self.add('name', self.folder_of(path), changes={path.name: inode})

    # System calls.

    def on_openat(self, arguments, number):
        at, path, flags = arguments[:3]
        path = as_path(path)
        if path == self.folder.parent:
            self.open_files[number] = OpenFile(ROOT)
        if not self.inside(path):
            return
        assert at == 'AT_FDCWD' and 'O_APPEND' not in flags and 'O_TMPFILE' not in flags, arguments
        if path not in self.names:
            assert 'O_CREAT' in flags, f'{path} was made by somebody else'
            self.name(path, self.new_inode('file'))
        elif 'O_TRUNC' in flags:
            self.add('truncate', self.names[path], size=0)
        self.open_files[number] = OpenFile(self.names[path])
        # Where a program reads and writes in turn, `write` would need the places of its reads.
        self.open_files[number].is_only_written = 'O_WRONLY' in flags

    def on_open(self, arguments, number):
        self.on_openat(['AT_FDCWD', *arguments], number)

    def on_write(self, arguments, written):
        if own := self.open_files.get(arguments[0]):
            assert own.is_only_written, arguments
            self.add('write', own.inode, offset=own.position, data=arguments[1][:written])
            own.position += written

    def on_pwrite64(self, arguments, written):
        if own := self.open_files.get(arguments[0]):
            self.add('write', own.inode, offset=arguments[3], data=arguments[1][:written])

    def on_lseek(self, arguments, position):
        if own := self.open_files.get(arguments[0]):
            own.position = position

    def on_ftruncate(self, arguments, _):
        if own := self.open_files.get(arguments[0]):
            self.add('truncate', own.inode, size=arguments[1])

    def on_fsync(self, arguments, _):
        if own := self.open_files.get(arguments[0]):
            for step in own.covered:
                step.durable_at = self.length
            path = next((str(path) for path, inode in self.names.items() if inode == own.inode), 'a file that is gone')
            self.add('sync', own.inode, path=path)

    on_fdatasync = on_fsync

    def on_mkdir(self, arguments, _):
        if self.inside(arguments[0]):
            self.name(as_path(arguments[0]), self.new_inode('folder'))

    def on_rename(self, arguments, _):
        source, target = map(as_path, arguments[:2])
        if self.inside(source) or self.inside(target):
            assert source.parent == target.parent and self.kinds[self.names[source]] == 'file', arguments
            inode = self.names[target] = self.names.pop(source)
            self.add('name', self.folder_of(target), changes={source.name: None, target.name: inode})

    def on_unlink(self, arguments, _):
        path = as_path(arguments[0])
        if self.inside(path):
            folder = self.folder_of(path)
            del self.names[path]
            self.add('name', folder, changes={path.name: None})

    on_rmdir = on_unlink

    def folder_names(self):
        self.database_inodes = {step.changes[name] for step in self.steps if step.kind == 'name'
                                for name in step.changes if name in ('surprisal.db', 'surprisal.db-wal')} - {None}


def as_path(text):
    return text if isinstance(text, pathlib.Path) else pathlib.Path(os.fsdecode(text))


class OpenFile:
    def __init__(self, inode):
        self.inode, self.position, self.covered, self.is_only_written = inode, 0, [], False


def fields(text):
    """The arguments of a call as strace writes them with -xx."""
    found = []
    for field in re.findall(r'"(?:\\x[0-9a-f]{2})*"(?:\.\.\.)?|[^,\s][^,]*', text):
        if field.startswith('"'):
            assert not field.endswith('...'), 'strace has cut a text'
            found.append(bytes.fromhex(field[1:-1].replace('\\x', '')))
        else:
            found.append(int(field) if re.fullmatch(r'-?(0|[1-9]\d*)', field) else field)
    return found
