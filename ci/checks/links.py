"""Links and names of files in Markdown: each must lead somewhere.

Checked are links within the repository, with their #anchors, and paths in code
spans that begin with a folder of this tree, such as `docs/setup.md`. Addresses
on the web are not asked.
"""

import posixpath
import re
import urllib.parse

from checks.outcome import Outcome

_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_DEFINITION = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$")
_HTML = re.compile(r"<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")
_SPAN = re.compile(r"(`+)(.+?)\1")
_PATH = re.compile(r"^[\w.-]+(?:/[\w.+-]+)+/?$")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.I)


def slug(heading):
    """A heading's anchor, as forges make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = text.replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def prose_lines(text):
    """(number, line) of what is not in a fenced block."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = None
        elif mark:
            fence = mark[1]
        else:
            yield number, line


def anchors(text):
    seen = {}
    found = set()
    for _, line in prose_lines(text):
        if heading := _HEADING.match(line):
            name = slug(heading[1])
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.add(name if count == 0 else f"{name}-{count}")
        found.update(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", line))
    return found


def check(the_tree, write=False):
    del write
    documents = [path for path in the_tree.files if path.endswith(".md")]
    faults = []
    for path in documents:
        faults += _dead_links(the_tree, path)
    missing = []
    for path in the_tree.documents():
        missing += _missing_files(the_tree, path)
    return [
        Outcome("links: no dead link in Markdown", faults, f"{len(documents)} files"),
        Outcome("links: docs name files that exist", missing),
    ]


def _dead_links(the_tree, path):
    for number, line in prose_lines(the_tree.text(path)):
        plain = _SPAN.sub(lambda span: "`" * len(span[0]), line)
        targets = _LINK.findall(plain) + _HTML.findall(plain)
        # A link's text may be code; its target is not.
        if definition := _DEFINITION.match(plain):
            targets.append(definition[1])
        for target in targets:
            if problem := _problem(the_tree, path, target):
                yield f"{path}:{number}: {target}: {problem}"


def _problem(the_tree, path, target):
    if _SCHEME.match(target) or target.startswith("//"):
        return None
    name, _, anchor = urllib.parse.unquote(target).partition("#")
    aim = path if not name else posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    if not the_tree.exists(aim):
        return "no such file"
    if anchor and aim.endswith(".md") and anchor not in anchors(the_tree.text(aim)):
        return "no such heading"
    return None


def _missing_files(the_tree, path):
    tops = {name.partition("/")[0] for name in the_tree.files if "/" in name}
    stems = {posixpath.splitext(name)[0] for name in the_tree.files}
    for number, line in prose_lines(the_tree.text(path)):
        if line.startswith("    "):
            continue  # a block of code
        for _, span in _SPAN.findall(line):
            name = span.strip()
            if not _PATH.match(name) or name.partition("/")[0] not in tops:
                continue
            if name.startswith("third_party/"):
                continue  # docs say so of folders of the user's
            # A file may be named without its ending: header and source in one.
            if not the_tree.exists(name.rstrip("/")) and name not in stems:
                yield f"{path}:{number}: `{name}`: no such file"
