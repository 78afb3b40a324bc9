"""Bazel's options in rc files, templates, scripts and documents, against the versions that have them.

bazel_options.txt lists each option with the versions that know it, and each rc file with the versions
that it is for. Read are the lines of rc files; in other files lines of that shape and `bazel COMMAND`
with its options. Documents also name options for a version: in a table whose first column is "Bazel",
in a cell behind "Bazel 7 and later:", and in a block of code behind such a sentence that ends with a
colon. What an option does in another version, in prose, is not seen.
"""

import dataclasses
import pathlib
import re
import shlex
import subprocess
import tempfile

from checks import tools
from checks.outcome import Outcome

TABLE = pathlib.Path(__file__).resolve().parent / "bazel_options.txt"
LAST = 9  # the newest major version, for "7 and later"

_COMMANDS = "build|test|run|query|cquery|aquery|fetch|info|coverage|common|always|startup"
_RC_LINE = re.compile(rf"^(?:{_COMMANDS})(?::\w+)?\s+(-.*)$")
# A line of an rc file in a document's block of code or in a comment.
_RC_LINE_ELSEWHERE = re.compile(rf"^\s*(?:[#*]\s+)?(?:{_COMMANDS})(?::\w+)?\s+(--.*)$")
# Of `bazel COMMAND`, and of "$bazel" or "${BAZEL:-bazel}" in a script, what follows.
_CALL = re.compile(rf"(?:^|[\s`'\"$({{/-])[Bb]azel[\"}}]*((?:\s+--\S+)*)\s+(?:{_COMMANDS})\s+([^`|;&)]*)")
_OPTION = re.compile(r"^--([A-Za-z]\w*)(?:=|$)")
_SPAN = re.compile(r"`([^`]+)`")
_VERSIONS = r"(\d+)(?:\.\d+)*((?:, \d+)*)(?:( and later)| to (\d+)| and (\d+))?"
_BAZEL_VERSIONS = re.compile("Bazel " + _VERSIONS)
_CELL_VERSIONS = re.compile(_VERSIONS + "$")
_FENCE = re.compile(r"^\s{0,3}```")


@dataclasses.dataclass(frozen=True)
class Option:
    known: frozenset  # major versions
    effective: frozenset


@dataclasses.dataclass
class Table:
    options: dict  # Option by name, without dashes
    files: dict  # versions by path of an rc file
    generated: dict  # versions by path of a script that writes an rc file

    def find(self, name):
        """The option, also for its negation."""
        return self.options.get(name) or self.options.get(re.sub("^no", "", name))


def _range(text):
    first, _, last = text.partition("-")
    return frozenset(range(int(first), int(last or first) + 1))


def read_table(text):
    table = Table({}, {}, {})
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0] in ("file", "generated"):
            getattr(table, "files" if words[0] == "file" else "generated")[words[1]] = _range(words[2])
        else:
            table.options[words[0]] = Option(_range(words[1]), _range(words[-1]))
    return table


def the_table():
    return read_table(TABLE.read_text(encoding="utf-8"))


def options_in(text):
    """Names of the options in a line of an rc file or a command, up to a lone `--`."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        words = text.split()
    for word in words:
        if word == "--":
            return
        if found := _OPTION.match(word):
            yield found[1]


def _joined_lines(text):
    """(number, line) with lines that a backslash continues."""
    number, held = 0, ""
    for at, line in enumerate(text.splitlines(), 1):
        number = number or at
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        yield number, held + line
        number, held = 0, ""


def _reason(name, option, versions):
    missing = sorted(versions - option.known)
    if missing:
        return f"Bazel {', '.join(map(str, missing))} has no option --{name}"
    idle = sorted(versions - option.effective)
    return f"--{name} has no effect in Bazel {', '.join(map(str, idle))}" if idle else ""


def rc_faults(path, text, versions, table):
    for number, line in _joined_lines(text):
        found = _RC_LINE.match(line)
        for name in options_in(found[1]) if found else []:
            option = table.find(name)
            if option is None:
                yield f"{path}:{number}: --{name} is not in ci/checks/bazel_options.txt"
            elif reason := _reason(name, option, versions):
                yield f"{path}:{number}: {reason}"


def unknown_faults(path, text, table):
    """Options of rc lines and of calls of Bazel that the table lacks."""
    for number, line in _joined_lines(text):
        pieces = [found[1] for found in [_RC_LINE_ELSEWHERE.match(line)] if found]
        pieces += [part for found in _CALL.findall(line) for part in found]
        for piece in pieces:
            for name in options_in(piece):
                if table.find(name) is None:
                    yield f"{path}:{number}: --{name} is not in ci/checks/bazel_options.txt"


def _versions_of(found):
    if found is None:
        return frozenset()
    first, more, later, last, second = found.groups()
    versions = {int(first), *map(int, re.findall(r"\d+", more))}
    if later or last:
        versions |= set(range(int(first), int(last or LAST) + 1))
    if second:
        versions.add(int(second))
    return frozenset(versions)


def claims_in(text):
    """(line, option, versions) where a document names an option for versions."""
    is_bazel_table = False
    block = frozenset()
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= bool(_FENCE.match(line))
        if fenced or line.startswith("    "):
            found = _RC_LINE_ELSEWHERE.match(line)
            for name in options_in(found[1]) if found and block else []:
                yield number, name, block
            continue
        if line.strip() and not _FENCE.match(line):
            block = _versions_of(_BAZEL_VERSIONS.search(line)) if line.rstrip().endswith(":") else frozenset()
        if not line.startswith("|"):
            is_bazel_table = False
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "Bazel":
            is_bazel_table = True
            continue
        versions = _versions_of(_CELL_VERSIONS.match(cells[0])) if is_bazel_table else frozenset()
        for cell in cells[1:]:
            if not versions and (found := _BAZEL_VERSIONS.match(cell)) and cell[found.end() :].startswith(":"):
                versions = _versions_of(found)
        for span in _SPAN.findall(line) if versions else []:
            for name in options_in(span):
                yield number, name, versions


def claim_faults(path, text, table):
    for number, name, versions in claims_in(text):
        option = table.find(name)
        if option is not None and (reason := _reason(name, option, versions)):
            yield f"{path}:{number}: {reason}"


def _generated(the_tree, script, version):
    """The rc file that bazel/setup.sh writes for a version."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = pathlib.Path(folder)
        (workspace / "version").write_text(f"{version}.0.0\n", encoding="utf-8")
        (workspace / "tools/gprofhub").mkdir(parents=True)
        beside = pathlib.PurePosixPath(script).parent
        files = ["gprof.bazelrc", "status.sh", "credential_helper.sh"]
        arguments = [workspace / "version", *(beside / name for name in files)]
        done = subprocess.run(
            ["bash", script, *map(str, arguments)],
            cwd=the_tree.root,
            env={"PATH": "/usr/bin:/bin", "BUILD_WORKSPACE_DIRECTORY": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        written = workspace / "tools/gprofhub/gprof.bazelrc"
        if done.returncode != 0 or not written.exists():
            raise tools.MissingTool(f"{script} wrote no rc file: {done.stdout.decode(errors='replace')}")
        return written.read_text(encoding="utf-8")


def rc_outcome(the_tree, table):
    faults = []
    paths = [path for path in the_tree.files if path.endswith("bazelrc")]
    for path in paths:
        if path in table.files:
            faults += rc_faults(path, the_tree.text(path), table.files[path], table)
        else:
            faults.append(f"{path}: ci/checks/bazel_options.txt does not say which versions it is for")
    for script, versions in table.generated.items():
        for version in sorted(versions) if the_tree.exists(script) else []:
            text = _generated(the_tree, script, version)
            faults += rc_faults(f"{script} for Bazel {version}", text, frozenset([version]), table)
    return Outcome("bazel-options: rc files fit their versions", faults, f"{len(paths)} files")


# Files that call Bazel, or show how.
_FOR_USERS = re.compile(r"\.md$|^bazel/.*\.sh$|^deploy/ci/|^examples/|^ci/profiled_tests$|^packaging/for_bazel/")


def check(the_tree):
    table = the_table()
    unknown, claims = [], []
    paths = [path for path in the_tree.files if _FOR_USERS.search(path) and path != "CHANGELOG.md"]
    for path in paths:
        text = the_tree.text(path)
        unknown += unknown_faults(path, text, table)
        if path.endswith(".md"):
            claims += claim_faults(path, text, table)
    return [
        rc_outcome(the_tree, table),
        Outcome("bazel-options: every option has its versions", unknown, f"{len(paths)} files"),
        Outcome("bazel-options: documents name options for versions that have them", claims),
    ]
