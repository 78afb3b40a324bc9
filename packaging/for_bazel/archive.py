"""Makes gprofhub-bazel-VERSION.tar.gz: what a user's repository needs of gprofhub.

    archive.py OUTPUT [ASSEMBLER [RUNTIME...]]

It runs in the root of this repository. What it takes are the folders `bazel/`, `runtime/` and
`profile/format/` without their tests: nothing of them needs more than a C++ compiler. ASSEMBLER is
//runtime/assembler:static_as, which the archive has in the place of its sources. RUNTIME are
archives of //runtime, which it has beside theirs: on x86-64 they need not be compiled.
"""

import os
import re
import sys

import build_files
import stripped
import tree

FOLDERS = ["bazel", "packaging/for_bazel/example", "profile/format", "runtime"]
FILES = [
    "LICENSE",
    "VERSION",
    "packaging/for_bazel/MODULE.bazel",
    "packaging/for_bazel/README.md",
    "packaging/for_bazel/WORKSPACE.archive",
]

# Files of the archive's root that are elsewhere in this repository.
MOVED = {
    "packaging/for_bazel/MODULE.bazel": "MODULE.bazel",
    "packaging/for_bazel/WORKSPACE.archive": "WORKSPACE",
    "packaging/for_bazel/README.md": "README.md",
    # Here it would be a package of this repository.
    "packaging/for_bazel/example/BUILD.example": "example/BUILD",
}


def all_paths():
    paths = list(FILES)
    for top in FOLDERS:
        for folder, _, names in os.walk(top):
            paths += [os.path.join(folder, name) for name in names]
    return paths


def is_wanted(path):
    if path.startswith("packaging/for_bazel/example/"):
        return True
    return not path.startswith("runtime/assembler/") and not re.search(r"_test\.\w+$", path)


def content(path):
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith("BUILD.bazel"):
        return build_files.trimmed(path, data.decode()).encode()
    return data


def write_archive(output, assembler=None, *runtimes):
    with open("VERSION", encoding="utf-8") as file:
        version = file.read().strip()
    files = {}
    for path in all_paths():
        if is_wanted(path):
            files[MOVED.get(path, path).replace("packaging/for_bazel/example/", "example/")] = path
    root = "gprofhub-bazel-%s" % version
    archive = tree.Tree()
    for name, path in files.items():
        data = content(path)
        if name == "MODULE.bazel":
            data = data.replace(b"@VERSION@", version.encode())
        mode = 0o755 if name.endswith(".sh") else 0o644
        archive.add_file("%s/%s" % (root, name), data, mode)
    if assembler:
        archive.add_file(root + "/bazel/toolchain/as", stripped.stripped(assembler), 0o755)
    # With -c opt there are two of each: both can be linked into anything.
    for name, path in {os.path.basename(path).replace(".pic.a", ".a"): path for path in runtimes}.items():
        archive.add_file("%s/runtime/built/%s" % (root, name), stripped.stripped(path))
    archive.write_packed(output)


if __name__ == "__main__":
    try:
        write_archive(*sys.argv[1:])
    except build_files.NotUnderstood as error:
        sys.exit("archive.py: %s" % error)
