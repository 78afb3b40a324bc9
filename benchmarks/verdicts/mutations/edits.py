"""Edits of a program's sources, and where they leave the lines."""

import dataclasses


@dataclasses.dataclass
class Edit:
    file: str
    start: int  # in bytes
    end: int
    text: bytes


@dataclasses.dataclass
class Mutation:
    """Edits by one rule. `function` is the linkage name of the edited function, `span` its
    bytes, `site` the bytes where its calls become more; both before the edit."""
    rule: str
    file: str
    function: str
    edits: object  # a list, or what makes it
    span: tuple = (0, 0)
    site: tuple = (0, 0)
    callees: tuple = ()
    new_units: tuple = ()
    what: str = ""
    ran: int = 0  # a line that must have run, and one that must have run more often; 0, None: any
    more: int = None

    @property
    def is_one_call(self):
        """Whether what is done more often is one line's call."""
        return self.rule in ("call doubled", "value computed again")

    def make(self):
        """Makes the edits; whether there are any."""
        if callable(self.edits):
            self.edits = list(self.edits())
        return bool(self.edits)


def apply(sources, edits):
    """The sources ({file: text}) after the edits; those of one file do not overlap."""
    changed = dict(sources)
    for file in {e.file for e in edits}:
        data = sources.get(file, "").encode(errors="surrogateescape")
        last = len(data) + 1
        for edit in sorted((e for e in edits if e.file == file), key=lambda e: (e.start, e.end), reverse=True):
            if edit.end > last:
                raise ValueError(f"edits of {file} overlap at byte {edit.start}")
            data, last = data[:edit.start] + edit.text + data[edit.end:], edit.start
        changed[file] = data.decode(errors="surrogateescape")
    return changed


def lines_after(sources, edits, file, span):
    """First and last line of the bytes `span`, with what was put into them, after the edits."""
    data = sources[file].encode(errors="surrogateescape")
    first = data.count(b"\n", 0, span[0]) + 1
    last = data.count(b"\n", 0, span[1]) + 1
    for edit in edits:
        if edit.file == file:
            grown = edit.text.count(b"\n") - data.count(b"\n", edit.start, edit.end)
            if edit.end < span[0]:
                first += grown
            if edit.start <= span[1]:
                last += grown
    return first, last
