"""The tree as it is now: its files, and which of them are of what language.

Nothing here knows a folder of the project by name, so that a move of files
changes no check.
"""

import functools
import pathlib
import re
import subprocess

C_SUFFIXES = {".c", ".cc", ".cpp", ".h", ".hpp"}
ASSEMBLY_SUFFIXES = {".S", ".s"}
CODE_SUFFIXES = C_SUFFIXES | ASSEMBLY_SUFFIXES | {".proto", ".py", ".sh", ".bzl", ".js"}

# Input of tests keeps its bytes: lines are counted in it, and compilers see it.
BYTES_FOLDER = "testdata"

_BUILD_FILE = re.compile(r"^(BUILD|WORKSPACE)(\.bazel)?$|^MODULE\.bazel$|\.bzl$")
_SHELL_LINE = re.compile(rb"^#!\s*/\S*?/(env\s+)?(ba|da|k)?sh\b")
_TEST_FILE = re.compile(r"_tests?(\.|$)")


class Tree:
    """A folder under git, or, for tests and staged files, any folder."""

    def __init__(self, root, paths=None):
        self.root = pathlib.Path(root).resolve()
        if paths is None:
            paths = _git_files(self.root)
        self.files = sorted(path for path in paths if (self.root / path).is_file())

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def exists(self, path):
        return (self.root / path).exists()

    def c_files(self):
        return [path for path in self.files if pathlib.PurePath(path).suffix in C_SUFFIXES]

    def build_files(self):
        return [path for path in self.files if _BUILD_FILE.search(pathlib.PurePath(path).name)]

    def shell_scripts(self):
        """By ending or by first line, so that a script without an ending counts, too."""
        return [path for path in self.files if path.endswith(".sh") or self._is_shell(path)]

    @functools.cached_property
    def shell_scripts_set(self):
        return frozenset(self.shell_scripts())

    def documents(self):
        """README.md and its like at the top, and all of docs/."""
        return [
            path
            for path in self.files
            if path.endswith(".md") and ("/" not in path or path.startswith("docs/"))
        ]

    def _is_shell(self, path):
        if pathlib.PurePath(path).suffix:
            return False
        with open(self.root / path, "rb") as file:
            return _SHELL_LINE.match(file.readline(200)) is not None


def keeps_its_bytes(path):
    return BYTES_FOLDER in pathlib.PurePath(path).parts[:-1]


def is_test(path):
    """Named as a test: x_test.cc, x_test.sh, x_tests.cc."""
    return _TEST_FILE.search(pathlib.PurePath(path).name) is not None


def folder_of(path):
    """The folder's path; of a file at the top, the empty one."""
    parent = str(pathlib.PurePosixPath(path).parent)
    return "" if parent == "." else parent


def _git_files(root):
    """Tracked files, and new ones that nothing ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout.decode()
    return set(filter(None, listed.split("\0")))


def changed_files(root, base):
    """Files that differ from the commit `base`, those not committed yet among them.

    A file that moved and stayed 80% alike (includes and namespaces follow a move)
    is none.
    """
    differing = subprocess.run(
        ["git", "diff", "--name-only", "-z", "--find-renames=80%", "-l0", "--diff-filter=ACM", base, "--"],
        cwd=root,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout.decode()
    new = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout.decode()
    return set(filter(None, (differing + new).split("\0")))
