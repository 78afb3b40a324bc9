"""Identifiers of C and C++ text: what stands in comments and literals is none."""

import re

TOKEN = re.compile(
    rb"//[^\n]*|/\*.*?\*/|R\"([^(\s]*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    rb"|(?P<word>[A-Za-z_]\w*)|\d[\w.]*|(?P<sign>[^\s\w])", re.S)


def words(data, start=0, end=None):
    """(offset, identifier) in the text."""
    for found in TOKEN.finditer(data, start, len(data) if end is None else end):
        if found.group("word"):
            yield found.start(), found.group("word")


def closing(data, start):
    """The offset of what closes the bracket at `start`; None: nothing does."""
    depth = 0
    for found in TOKEN.finditer(data, start):
        sign = found.group("sign")
        if sign in (b"(", b"[", b"{"):
            depth += 1
        elif sign in (b")", b"]", b"}"):
            depth -= 1
            if depth == 0:
                return found.start()
    return None


def renamed(data, old, new):
    parts, last = [], 0
    for offset, word in words(data):
        if word == old:
            parts += [data[last:offset], new]
            last = offset + len(old)
    return b"".join(parts) + data[last:]
