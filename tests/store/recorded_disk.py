"""What is on a disk after a loss of power, from a record of system calls.

What was synced is there: the bytes of a file when the file was, the names in a folder when the folder was. Of what
came after, each write, truncation, new name, rename and removal is kept, dropped or, a write, torn at the border
of a sector, whatever became of those before and after it. A rename is kept or dropped as a whole. Memory that
processes share (`-shm`) never survives.
"""
import hashlib
import shutil

from recorded_calls import ROOT, RecordedCalls

SECTOR_BYTES = 512


class Recording(RecordedCalls):
    """Programs on a disk that may lose its power."""

    def database_names(self):
        """The places behind every change of a name of the database."""
        return [place + 1 for place, step in enumerate(self.steps) if place >= self.start and step.kind == 'name'
                and any(name.startswith('surprisal.db') and not name.endswith('-shm') for name in step.changes)]

    def last_database_sync(self, point):
        """The steps up to the last sync of the database or its log before a point."""
        for place in range(min(point, self.length) - 1, -1, -1):
            step = self.steps[place]
            if step.kind == 'sync' and step.inode in self.database_inodes:
                return place
        return 0

    def unsynced_folder(self):
        """Whether the name of our folder itself can be lost after the first sync of the database in it."""
        name = next(step for step in self.steps if step.inode == ROOT)
        first = next(place for place, step in enumerate(self.steps)
                     if step.kind == 'sync' and step.inode in self.database_inodes)
        return [] if name.durable_at is not None and name.durable_at <= first else ['the folder above it is not synced']

    def build(self, folder, point, chance=None):
        """The folder at a point: all of it, or with a source of chance what survived a loss of power there.
        The folder's own name survives; `unsynced_folder` tells of it."""
        shutil.rmtree(folder, ignore_errors=True)
        folders, contents = {}, {}
        # Some disks lose nearly everything, some nearly nothing.
        kept = chance.choice([0, 0.1, 0.5, 0.9, 1]) if chance else 1
        torn = chance.choice([0, 0.1, 0.5]) if chance else 0
        for step in self.steps[:point]:
            survives = chance is None or step.inode == ROOT or step.durable_at is not None and step.durable_at < point
            is_torn = not survives and step.kind == 'write' and chance.random() < torn
            if step.kind == 'sync' or not (survives or is_torn or chance.random() < kept):
                continue
            if step.kind == 'name':
                folders.setdefault(step.inode, {}).update(step.changes)
                continue
            bytes_ = contents.setdefault(step.inode, bytearray())
            if step.kind == 'truncate':
                del bytes_[step.size:]
                bytes_.extend(bytes(step.size - len(bytes_)))
            else:
                for offset, data in sectors(step.offset, step.data, chance) if is_torn else [(step.offset, step.data)]:
                    bytes_.extend(bytes(max(0, offset + len(data) - len(bytes_))))
                    bytes_[offset:offset + len(data)] = data
        top = folders.get(ROOT, {}).get(self.folder.name)
        if top is not None:
            self.write(folder, top, folders, contents, chance)
        return folder

    def write(self, folder, inode, folders, contents, chance):
        folder.mkdir()
        for name, own in folders.get(inode, {}).items():
            if own is None or name.endswith('-shm'):
                continue
            if self.kinds[own] == 'folder':
                self.write(folder / name, own, folders, contents, chance)
            else:
                (folder / name).write_bytes(contents.get(own, b''))

    def differences(self, folder):
        """How the folder that is built of all steps differs from the one that the programs left."""
        self.build(folder, self.length)
        digests = [{path.relative_to(top): path.is_file() and hashlib.sha256(path.read_bytes()).digest()
                    for path in top.rglob('*')} for top in (self.folder, folder)]
        self.files = digests[0]
        return [f'{path} differs' for path in sorted(set(digests[0]) | set(digests[1]))
                if digests[0].get(path) != digests[1].get(path)]

    def missing_files(self, folder, finished):
        """Files of finished runs that are not as the programs left them."""
        for run in {path.parts[0] for path in self.files if len(path.parts) > 1}:
            if not any(f'"folder":"{run}"' in facts for (facts,) in finished):
                continue
            for path, digest in sorted(self.files.items()):
                if path.parts[0] != run or not digest:
                    continue
                if not (folder / path).is_file():
                    yield path
                elif hashlib.sha256((folder / path).read_bytes()).digest() != digest:
                    yield f'{path} as it was'


def sectors(offset, data, chance):
    """Some of the sectors of a write: the first ones, the last ones, or any."""
    borders = [offset, *range((offset // SECTOR_BYTES + 1) * SECTOR_BYTES, offset + len(data), SECTOR_BYTES)]
    parts = [(at, data[at - offset:end - offset]) for at, end in zip(borders, [*borders[1:], offset + len(data)])]
    cut = chance.randrange(len(parts) + 1)
    return chance.choice([parts[:cut], parts[cut:], [part for part in parts if chance.random() < 0.5]])
