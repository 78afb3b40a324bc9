"""A tree of files as an archive whose bytes depend on nothing but the tree: not on clock, user, umask
or the order in which it was made."""

import dataclasses
import gzip
import os
import tarfile

# Time stamp of all files: builds do not differ by their clocks. The first day of the year of the
# first release.
EPOCH = 1767225600


@dataclasses.dataclass
class Entry:
    kind: bytes  # as tarfile has them
    mode: int
    data: bytes = b""
    target: str = ""
    owner: int = 0


class Tree:
    """Paths are relative, without a slash at either end. Folders above a path need not be added."""

    def __init__(self):
        self.entries = {}

    def _add(self, path, entry):
        if path in self.entries:
            raise ValueError("twice in the tree: " + path)
        self.entries[path] = entry

    def add_file(self, path, data, mode=0o644):
        self._add(path, Entry(tarfile.REGTYPE, mode, data))

    def add_file_of(self, path, source, mode=0o644):
        with open(source, "rb") as file:
            self.add_file(path, file.read(), mode)

    def add_link(self, path, target):
        self._add(path, Entry(tarfile.SYMTYPE, 0o777, target=target))

    def add_folder(self, path, mode=0o755, owner=0):
        self._add(path, Entry(tarfile.DIRTYPE, mode, owner=owner))

    def with_folders(self):
        """Path and entry, each folder before what is in it."""
        entries = dict(self.entries)
        for path in self.entries:
            folder = os.path.dirname(path)
            while folder and folder not in entries:
                entries[folder] = Entry(tarfile.DIRTYPE, 0o755)
                folder = os.path.dirname(folder)
        return sorted(entries.items())

    def write(self, file):
        with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path, entry in self.with_folders():
                info = tarfile.TarInfo(path)
                info.type = entry.kind
                info.mode = entry.mode
                info.size = len(entry.data)
                info.linkname = entry.target
                info.uid = info.gid = entry.owner
                info.mtime = EPOCH
                archive.addfile(info, _Reader(entry.data) if entry.data else None)

    def write_packed(self, path):
        with open(path, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
            self.write(packed)


class _Reader:
    """What tarfile reads of a file, without another copy of its bytes."""

    def __init__(self, data):
        self._view = memoryview(data)

    def read(self, size):
        part, self._view = self._view[:size], self._view[size:]
        return bytes(part)
