"""Turns of phrase that are harder to read than the field's terms, per 10,000 words.

Read are comments, string literals of more than two words, and Markdown. The rate
of all patterns together must not rise above LIMITS. A place that matches is not
wrong by itself: names of protocols and quotations match, too.
"""

import collections
import pathlib
import re

from checks import tree
from checks.outcome import Outcome

# Matches per 10,000 words. Lower a limit when the rate has fallen; never raise one.
LIMITS = {"tree": 24, "docs": 7}

PATTERNS = (
    ("clause as subject", r"(?:^|[.;:]\s|//\s|\*\s)(?:What|Who|Whoever|Whatever)\b(?![^.?!]*\?)"),
    ("say, tell", r"\b(?:told|tells|tell|said|says|say)\b"),
    ("nobody, somebody", r"\b(?:nobody|somebody|anybody|everybody)\b"),
    ("is no, is none", r"\b(?:is|are)\s(?:none|no\s[a-z]+)\b"),
    ("likewise, beside", r"\b(?:likewise|beside)\b"),
    ("whoever, whatever", r"\b(?:whoever|whatever)\b"),
    ("so many", r"\bso\s(?:many|much|long|often)\b(?!\sas|\sthat|\sof)"),
    ("go on", r"\b(?:goes|go|went)\son\b"),
    (
        "own dialect",
        r"\b(?:foretold|foretell|shelf|shelves|shelved|house|rooms?|signs?\sof\slife"
        r"|kept\sthere|by\sitself)\b",
    ),
)

_SUFFIXES = {".h", ".cc", ".c", ".S", ".md", ".proto", ".bzl", ".py", ".sh", ".ts"}
_HASH_COMMENTS = {".bzl", ".py", ".sh"}
_COMPILED = [(name, re.compile(pattern)) for name, pattern in PATTERNS]
_WORD = re.compile(r"[A-Za-z']+")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_HASH_LINE = re.compile(r"\s*#")
_SLASH_LINE = re.compile(r"\s*(?://|/\*|\*)")


def check(the_tree):
    files = [path for path in the_tree.files if _is_read(path)]
    docs = [path for path in files if path == "README.md" or path.startswith("docs/")]
    return [
        _measure(the_tree, "tree", files),
        _measure(the_tree, "docs", [path for path in docs if path.endswith(".md")]),
    ]


def _is_read(path):
    name = pathlib.PurePosixPath(path)
    return (
        name.suffix in _SUFFIXES and name.name != "CHANGELOG.md" and not tree.keeps_its_bytes(path)
    )


def _measure(the_tree, scope, files):
    words = 0
    matches = {name: collections.Counter() for name, _ in PATTERNS}
    for path in files:
        for text in prose(path, the_tree.text(path)):
            words += len(_WORD.findall(text))
            for name, pattern in _COMPILED:
                matches[name][path] += len(pattern.findall(text))

    def rate(count):
        return 10_000 * count / max(words, 1)

    total = rate(sum(counter.total() for counter in matches.values()))
    limit = LIMITS[scope]
    faults = []
    if total > limit:
        faults = [f"{total:.1f} per 10,000 words; at most {limit}"] + [
            f"{name}: {rate(counter.total()):.1f}, most in {_densest(counter)}"
            for name, counter in matches.items()
            if counter.total()
        ]
    return Outcome(f"words: rate in {scope}", faults, f"{total:.1f} of at most {limit}")


def _densest(counter):
    return ", ".join(f"{path} ({count})" for path, count in counter.most_common(3) if count)


def prose(path, text):
    """The lines of comments and Markdown, and the string literals of other lines."""
    suffix = pathlib.PurePosixPath(path).suffix
    comment = _HASH_LINE if suffix in _HASH_COMMENTS else _SLASH_LINE
    for line in text.split("\n"):
        if suffix == ".md" or comment.match(line):
            yield line
        else:
            yield from (literal for literal in _LITERAL.findall(line) if literal.count(" ") > 1)
