"""Makes gprofhub-bazel-VERSION.tar.gz: what a user's repository needs of gprofhub.

    archive.py OUTPUT

It runs in the root of this repository. What it takes are the folders `bazel/` and `runtime/` without
their tests, and the two headers of the formats that the runtime writes. BUILD files lose what needs
anything but a C++ compiler.
"""

import os
import re
import sys

import tree

FOLDERS = ["bazel", "runtime"]
FILES = [
    "LICENSE",
    "VERSION",
    "packaging/for_bazel/MODULE.bazel",
    "packaging/for_bazel/README.md",
    "packaging/for_bazel/WORKSPACE.archive",
    "profile/gmon/BUILD.bazel",
    "profile/gmon/format.h",
    "profile/recording/BUILD.bazel",
    "profile/recording/format.h",
]

# The formats' folders hold much that only the service needs.
ONLY_TARGETS = {
    "profile/gmon/BUILD.bazel": ["format"],
    "profile/recording/BUILD.bazel": ["format"],
}

# Files of the archive's root that stand elsewhere in this repository.
MOVED = {
    "packaging/for_bazel/MODULE.bazel": "MODULE.bazel",
    "packaging/for_bazel/WORKSPACE.archive": "WORKSPACE",
    "packaging/for_bazel/README.md": "README.md",
}

# A statement of a BUILD file: from a line that begins in the first column to the next one.
STATEMENT = re.compile(r"^(?:#.*\n)*(?:(\w+)\((?:.*\n(?!\w|#))*.*\n|\w.*\n)", re.M)


def build_file(path, text):
    """The BUILD file without tests, and without what only the service needs."""
    kept = []
    for statement in STATEMENT.finditer(text):
        kind, words = statement.group(1), statement.group(0)
        name = re.search(r'^    name = "([^"]+)"', words, re.M)
        if name and name.group(1) == "for_bazel":
            continue  # the list of files for this archive
        if kind and (kind.endswith("_test") or re.search(r"^    testonly = True", words, re.M)):
            continue
        if path in ONLY_TARGETS and (not name or name.group(1) not in ONLY_TARGETS[path]):
            continue
        kept.append(words.strip("\n"))
    return "\n\n".join(kept) + "\n"


def all_paths():
    paths = list(FILES)
    for top in FOLDERS:
        for folder, _, names in os.walk(top):
            paths += [os.path.join(folder, name) for name in names]
    return paths


def is_wanted(path):
    name = path.rsplit("/", 1)[-1]
    return not re.search(r"_test\.\w+$", name)


def content(path):
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith("BUILD.bazel"):
        return build_file(path, data.decode()).encode()
    return data


def write_archive(output):
    with open("VERSION", encoding="utf-8") as file:
        version = file.read().strip()
    files = {}
    for path in all_paths():
        if is_wanted(path):
            files[MOVED.get(path, path)] = path
    archive = tree.Tree()
    for name, path in files.items():
        data = content(path)
        if name == "MODULE.bazel":
            data = data.replace(b"@VERSION@", version.encode())
        mode = 0o755 if name.endswith(".sh") else 0o644
        archive.add_file("gprofhub-bazel-%s/%s" % (version, name), data, mode)
    archive.write_packed(output)


if __name__ == "__main__":
    write_archive(sys.argv[1])
