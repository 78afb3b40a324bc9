"""The command lines that a Markdown document shows.

A block of code, indented by four spaces or fenced, is a list of commands unless
what stands in it or above it says otherwise:

  - A fenced block of another language than sh (`json`, `text`, none) shows no commands.
  - A paragraph of a block whose first line is `# FILE` (WORKSPACE, .bazelrc, a
    path with BUILD) is appended to that file.
  - A block that has a line beginning with `$ ` shows output too: only those lines
    are commands.
  - A comment above the block, invisible in the rendered page, may say

        <!-- doc-test: needs a forge -->                        not run, and why not
        <!-- doc-test: in a user's repository -->               run there
        <!-- doc-test: with IMAGE = program, DIR = out -->      run with these words put in

A line that ends in a backslash goes on in the next one.
"""

import dataclasses
import re

_MARKER = re.compile(r"^\s*<!--\s*doc-test:\s*(.*?)\s*-->\s*$")
_FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*(\w*)\s*$")
_FILE = re.compile(r"^#\s+((?:[\w.-]+/)*(?:WORKSPACE|\.bazelrc|BUILD(?:\.bazel)?))\b[^=]*$")
_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s")


@dataclasses.dataclass
class Block:
    line: int  # of the first line of code
    code: list  # its lines, without what they are indented by
    reason: str = ""  # why it is not run
    place: str = ""  # where, if not where the document's other blocks are
    words: dict = dataclasses.field(default_factory=dict)  # to put in the place of others


@dataclasses.dataclass
class Command:
    line: int
    text: str


@dataclasses.dataclass
class File:
    line: int
    path: str
    text: str


def blocks_of(text):
    """The document's blocks that may hold commands, in order."""
    lines = text.splitlines()
    found = []
    marker = ""
    position = 0
    while position < len(lines):
        line = lines[position]
        if mark := _MARKER.match(line):
            marker = mark[1]
            position += 1
        elif fence := _FENCE.match(line):
            end = position + 1
            while end < len(lines) and lines[end].strip() != fence[2]:
                end += 1
            if fence[3] in ("sh", "shell", "bash"):
                code = [it[len(fence[1]) :] for it in lines[position + 1 : end]]
                found.append(_block(position + 2, code, marker))
            marker = ""
            position = end + 1
        elif line.startswith("    ") and line.strip() and _begins_block(lines, position):
            end = position
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            code = lines[position:end]
            while not code[-1].strip():
                code.pop()
            margin = min(len(it) - len(it.lstrip()) for it in code if it.strip())
            found.append(_block(position + 1, [it[margin:] for it in code], marker))
            marker = ""
            position = end
        else:
            if line.strip():
                marker = ""
            position += 1
    return found


def _begins_block(lines, position):
    """Indented text that goes on a list item or a paragraph is none."""
    if position > 0 and lines[position - 1].strip() and not _MARKER.match(lines[position - 1]):
        return False
    for line in reversed(lines[:position]):
        if line.strip() and not line.startswith(" "):
            in_item = _LIST_ITEM.match(line) is not None
            indent = len(lines[position]) - len(lines[position].lstrip())
            return not in_item or indent >= 6
    return True


def _block(line, code, marker):
    block = Block(line, code)
    if marker.startswith("with "):
        for pair in marker[len("with ") :].split(","):
            name, _, value = pair.partition("=")
            block.words[name.strip()] = value.strip()
    elif marker.startswith("in "):
        block.place = marker[len("in ") :]
    else:
        block.reason = marker
    return block


def steps_of(block):
    """Commands to run and files to write, in order."""
    if any(line.startswith("$ ") for line in block.code):
        return [
            Command(block.line + offset, _put_in(line[2:], block.words))
            for offset, line in enumerate(block.code)
            if line.startswith("$ ")
        ]
    steps = []
    for offset, paragraph in _paragraphs(block.code):
        if name := _FILE.match(paragraph[0]):
            text = "\n".join(paragraph[1:]) + "\n"
            steps.append(File(block.line + offset, name[1], _put_in(text, block.words)))
        else:
            steps += _commands(block.line + offset, paragraph, block.words)
    return steps


def _paragraphs(code):
    start = None
    for offset, line in enumerate(code + [""]):
        if line.strip():
            start = offset if start is None else start
        elif start is not None:
            yield start, code[start:offset]
            start = None


def _commands(first, paragraph, words):
    steps = []
    pending = None
    for offset, line in enumerate(paragraph):
        if pending is None and line.startswith("#"):
            continue
        if pending is None:
            pending = Command(first + offset, line)
        else:
            pending.text += "\n" + line
        if not line.endswith("\\"):
            pending.text = _put_in(pending.text, words)
            steps.append(pending)
            pending = None
    if pending is not None:
        steps.append(pending)
    return steps


def _put_in(text, words):
    for name in sorted(words, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?!\w)", lambda _, to=words[name]: to, text)
    return text
