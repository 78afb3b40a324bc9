"""Sizes of production code: small headers, long sources, and targets of a package.

Production code is C, C++ and assembly without tests, benchmarks and examples.

  - A header of at most SMALL_HEADER lines has two users or more. A user is a
    production file other than the header's own source that includes it.
  - A production file has at most MOST_LINES lines.
  - A product package has at most one cc_library that is not testonly, and at most
    one cc_test. A rule with a comment directly above it, which gives the reason,
    is not counted. BUILD files are read as Python, whose syntax theirs is part of.
"""

import ast
import collections
import pathlib

from checks import includes, tree
from checks.outcome import Outcome

SMALL_HEADER = 20
MOST_LINES = 700
PRODUCT = (
    "analyzer",
    "base",
    "ci/upload",
    "cli",
    "collector",
    "page",
    "profile",
    "reporter",
    "server",
    "store",
)

_NOT_PRODUCT = {"benchmarks", "examples", "tests"}
_HELP_FOR_TESTS = {"contract", "testing", tree.BYTES_FOLDER}


def check(the_tree):
    lines = {
        path: the_tree.text(path).count("\n") for path in the_tree.files if _is_production(path)
    }
    build_files = [path for path in the_tree.build_files() if _is_product_package(path)]
    long_files = [
        f"{path}: {count} lines; at most {MOST_LINES}"
        for path, count in lines.items()
        if count > MOST_LINES
    ]
    return [
        Outcome(
            f"shape: headers of at most {SMALL_HEADER} lines have two users",
            list(_headers_with_one_user(the_tree, lines)),
        ),
        Outcome(f"shape: at most {MOST_LINES} lines in a file", long_files, f"{len(lines)} files"),
        Outcome(
            "shape: one library and one test in a package",
            [fault for path in build_files for fault in _extra_rules(path, the_tree.text(path))],
            f"{len(build_files)} packages",
        ),
    ]


def _is_production(path):
    parts = pathlib.PurePosixPath(path).parts
    return (
        pathlib.PurePosixPath(path).suffix in tree.C_SUFFIXES | tree.ASSEMBLY_SUFFIXES
        and parts[0] not in _NOT_PRODUCT
        and not _HELP_FOR_TESTS & set(parts[:-1])
        and not tree.is_test(path)
    )


def _is_product_package(path):
    name = pathlib.PurePosixPath(path).name
    return name == "BUILD.bazel" and path.startswith(tuple(f"{top}/" for top in PRODUCT))


def _headers_with_one_user(the_tree, lines):
    users = collections.defaultdict(set)
    for source, target, _ in includes.read_arrows(the_tree)[0]:
        if source in lines and includes.unit(source) != includes.unit(target):
            users[target].add(source)
    for path, count in lines.items():
        if path.endswith(".h") and count <= SMALL_HEADER and len(users[path]) < 2:
            user = "".join(users[path]) or "no other file"
            yield f"{path}: {count} lines, included by {user} only"


def _extra_rules(path, text):
    try:
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except SyntaxError as error:
        yield f"{path}:{error.lineno}: cannot be read: {error.msg}"
        return
    for kind in ("cc_library", "cc_test"):
        counted = [call for call in calls if _is_counted(call, kind, text.splitlines())]
        for call in counted[1:]:
            yield f"{path}:{call.lineno}: another {kind}, without a comment above it that gives the reason"


def _is_counted(call, kind, lines):
    if not isinstance(call.func, ast.Name) or call.func.id != kind:
        return False
    if kind == "cc_library" and any(_is_testonly(keyword) for keyword in call.keywords):
        return False
    return call.lineno == 1 or not lines[call.lineno - 2].startswith("#")


def _is_testonly(keyword):
    return (
        keyword.arg == "testonly"
        and isinstance(keyword.value, ast.Constant)
        and bool(keyword.value.value)
    )
