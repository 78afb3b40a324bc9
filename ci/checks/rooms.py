"""Rooms stay small: the table of folders in docs/architecture.md, and how many files one may have."""

import collections
import pathlib

from checks import tree
from checks.outcome import Outcome

DOCUMENT = "docs/architecture.md"
BEGIN = "<!-- rooms: begin (ci/check rooms --write) -->"
END = "<!-- rooms: end -->"

# Of one folder, tests not counted.
MOST_FILES = 30
# A table that changed with every line would never be current.
ROUNDED_TO = 10


def check(the_tree, write=False):
    rooms = count(the_tree)
    crowded = [
        f"{folder or 'the top'}: {room.files} files without tests; at most {MOST_FILES} may be"
        for folder, room in sorted(rooms.items())
        if room.files > MOST_FILES
    ]
    return [
        Outcome(f"rooms: at most {MOST_FILES} files in a folder", crowded, f"{len(rooms)} folders"),
        Outcome("rooms: the table is current", _table_faults(the_tree, rooms, write)),
    ]


class Room:
    """One folder: its files but tests, and the code file with the most lines, of all."""

    def __init__(self):
        self.files = 0
        self.tests = 0
        self.largest = None
        self.lines = 0


def count(the_tree):
    """{folder: Room}, of folders that lie in no testdata."""
    rooms = collections.defaultdict(Room)
    for path in the_tree.files:
        if tree.keeps_its_bytes(path):
            continue
        room = rooms[tree.folder_of(path)]
        if tree.is_test(path):
            room.tests += 1
        else:
            room.files += 1
        if _is_code(the_tree, path):
            lines = the_tree.text(path).count("\n")
            if lines > room.lines:
                room.largest, room.lines = pathlib.PurePath(path).name, lines
    return dict(rooms)


def _is_code(the_tree, path):
    if pathlib.PurePath(path).suffix in tree.CODE_SUFFIXES:
        return True
    return path in the_tree.shell_scripts_set


def table(rooms):
    lines = ["| folder | files | tests | largest file | lines |", "|---|---:|---:|---|---:|"]
    for folder, room in sorted(rooms.items()):
        if room.largest is None or not folder:
            continue
        rounded = -(-room.lines // ROUNDED_TO) * ROUNDED_TO
        lines.append(f"| `{folder}/` | {room.files} | {room.tests} | `{room.largest}` | {rounded} |")
    return "\n".join(lines)


def _table_faults(the_tree, rooms, write):
    if not the_tree.exists(DOCUMENT):
        return [f"{DOCUMENT} is missing"]
    text = the_tree.text(DOCUMENT)
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        return [f"{DOCUMENT} has no place for the table: put it between these two lines", BEGIN, END]
    current = f"{head}{BEGIN}\n\n{table(rooms)}\n\n{END}{tail}"
    if current == text:
        return []
    if write:
        (the_tree.root / DOCUMENT).write_text(current, encoding="utf-8")
        return []
    return [f"{DOCUMENT}: the table is not that of today; ci/check rooms --write writes it"]
