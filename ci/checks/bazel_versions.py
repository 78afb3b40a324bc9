"""The archive for users' Bazel fits Bazel 7, 8 and 9, none of which runs here.

The archive is made by packaging/for_bazel/archive.py. Bazel's own Starlark interpreter, a part of
Debian's bazel-bootstrap, evaluates its files with the names that each version has
(starlark/bazel-7.txt, …): every .bzl, BUILD and MODULE.bazel file, the module extension, the
repository rules that it declares with the files that these write, and calls of the public macros.
starlark/scenario.bzl has the order. Implementations of rules and aspects are not executed. Their
names, and the fields of builtins in them, are checked.

buildifier reports rules and providers that Bazel 9 has no more (its warnings native-*).
"""

import functools
import json
import os
import pathlib
import sys
import tarfile
import tempfile

from checks import tools
from checks.outcome import Outcome

JAR = pathlib.Path("/usr/share/bazel/A-server.jar")
FOLDER = pathlib.Path(__file__).resolve().parent / "starlark"


def tables():
    return sorted(FOLDER.glob("bazel-*.txt"))


def make_archive(root, folder):
    """Unpacks the archive of the tree at `root` into `folder`; returns what went wrong."""
    packed = pathlib.Path(folder) / "packed.tar.gz"
    packaging = pathlib.Path(root) / "packaging"
    path = os.pathsep.join([str(packaging), str(packaging / "for_bazel")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "packaging/for_bazel/archive.py", str(packed)]
    done = tools.run(command, root, env=environment)
    if done.returncode != 0:
        return [done.stdout.strip()]
    with tarfile.open(packed) as archive:
        for member in archive.getmembers():
            _, _, member.name = member.name.partition("/")
            archive.extract(member, pathlib.Path(folder) / "archive")
    return []


@functools.cache
def _classes():
    """A folder with LoadArchive, compiled once in a process."""
    if not JAR.exists():
        raise tools.MissingTool(f"{JAR} is missing; ci/setup installs bazel-bootstrap")
    folder = tempfile.TemporaryDirectory()
    command = [tools.find("javac"), "-cp", str(JAR), "-d", folder.name, str(FOLDER / "LoadArchive.java")]
    done = tools.run(command, FOLDER)
    if done.returncode != 0:
        raise tools.MissingTool(f"javac failed: {done.stdout}")
    return folder


def load_faults(archive, versions):
    """(faults that Bazel's interpreter finds in the unpacked archive, what it evaluated), for each
    table of `versions`."""
    command = [tools.find("java"), "-XX:TieredStopAtLevel=1", "-cp", f"{JAR}:{_classes().name}", "LoadArchive"]
    arguments = [str(FOLDER / "scenario.bzl"), str(archive), *map(str, versions)]
    done = tools.run([*command, *arguments], archive)
    faults, evaluated = [], []
    for line in done.stdout.splitlines():
        if line.startswith("DONE "):
            evaluated.append(line[len("DONE ") :])
        elif line.startswith("FAIL "):
            faults.append(line[len("FAIL ") :])
        elif faults:
            faults[-1] += "\n" + line
    if done.returncode != 0 or len(evaluated) != len(versions):
        faults.append(done.stdout.strip())
    return faults, "; ".join(evaluated)


def native_faults(archive):
    """Uses of rules and providers that files have to load."""
    folder = pathlib.Path(archive)
    files = [path for pattern in ("*.bzl", "*.bazel") for path in folder.rglob(pattern)]
    command = [tools.find("buildifier"), "-mode=check", "-lint=warn", "-warnings=all", "-format=json"]
    done = tools.run([*command, *sorted(map(str, files))], archive)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        return [done.stdout.strip()]
    return [
        f"{pathlib.Path(file['filename']).relative_to(folder)}:{warning['start']['line']}: "
        f"{warning['category']}: {warning['message']}"
        for file in report["files"]
        for warning in file["warnings"]
        if warning["category"].startswith("native-")
    ]


def check(the_tree):
    with tempfile.TemporaryDirectory() as folder:
        faults = make_archive(the_tree.root, folder)
        if faults:
            return [Outcome("bazel-versions: the archive is made", faults)]
        archive = pathlib.Path(folder) / "archive"
        names = ", ".join(table.stem.replace("bazel-", "") for table in tables())
        loaded = f"bazel-versions: the archive loads in Bazel {names}"
        return [
            Outcome(loaded, *load_faults(archive, tables())),
            Outcome("bazel-versions: the archive loads its rules (buildifier)", native_faults(archive)),
        ]
