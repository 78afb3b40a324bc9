"""Builds the Debian packages. The same sources give the same bytes.

    build.py --output FOLDER --version FILE NAME=PATH...

The names are those of packages.py; `bazel` is the archive for Bazel. A package without its version
in its name, PACKAGE.deb, lies in the folder for each. Needs dpkg-deb and dpkg-shlibdeps.
"""

import argparse
import gzip
import os
import subprocess
import tarfile
import tempfile

import packages
import stripped
import tree

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: gprofhub

Files: *
Copyright: 2026 The gprofhub authors
License: Apache-2.0
 On Debian systems the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
"""

CHANGELOG = """gprofhub (@VERSION@) unstable; urgency=medium

  * Release @VERSION@. The changes are in CHANGELOG.md of the sources.

 -- The gprofhub authors <gprofhub@localhost>  Thu, 01 Jan 2026 00:00:00 +0000
"""

PROGRAMS = ("program", "commands")
SCRIPTS = ("profiled_tests",)


def write(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)


def packed(text):
    return gzip.compress(text.encode(), 9, mtime=0)


def put(source, name, path):
    if name in PROGRAMS:
        write(path, stripped.stripped(source), 0o755)
        return
    with open(source, "rb") as file:
        write(path, file.read(), 0o755 if name in SCRIPTS else 0o644)


def put_tree(source, folder):
    """What is in an archive, without the one folder that all of it may be in."""
    with tarfile.open(source) as archive:
        entries = [entry for entry in archive.getmembers() if entry.isfile()]
        tops = {entry.name.split("/", 1)[0] for entry in entries}
        for entry in entries:
            name = entry.name.split("/", 1)[1] if len(tops) == 1 else entry.name
            write(os.path.join(folder, name), archive.extractfile(entry).read(), entry.mode)


def library_dependencies(root, package):
    """Packages of the shared libraries that its programs load."""
    # `program` is static.
    programs = [path for path, name in package.files.items() if name == "commands"]
    if not programs:
        return []
    with tempfile.TemporaryDirectory() as folder:
        write(folder + "/debian/control", b"Source: gprofhub\n\nPackage: gprofhub\nArchitecture: any\n")
        result = subprocess.run(
            ["dpkg-shlibdeps", "-O"] + [os.path.join(root, path) for path in programs],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it expects the files where they will be installed
            check=True,
        )
    line = result.stdout.decode().strip()
    return sorted(line.split("=", 1)[1].split(", "))


def control(package, version, root, depends):
    size = sum(
        os.lstat(os.path.join(folder, name)).st_size
        for folder, _, names in os.walk(root)
        for name in names
    )
    lines = [
        "Package: " + package.name,
        "Version: " + version,
        "Section: devel",
        "Priority: optional",
        "Architecture: " + package.architecture,
        "Maintainer: The gprofhub authors <gprofhub@localhost>",
        "Installed-Size: %d" % ((size + 1023) // 1024),
    ]
    if depends:
        lines.append("Depends: " + ", ".join(depends))
    lines.append("Description: " + package.summary)
    lines += [" " + line for line in package.description.split("\n")]
    return ("\n".join(lines) + "\n").encode()


def build(package, version, sources, output):
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        for path, name in package.files.items():
            put(sources[name], name, os.path.join(root, path))
        for folder, name in package.trees.items():
            put_tree(sources[name], os.path.join(root, folder))
        for path, target in package.links.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            os.symlink(target, os.path.join(root, path))
        documents = os.path.join(root, "usr/share/doc", package.name)
        write(documents + "/copyright", COPYRIGHT.encode())
        write(documents + "/changelog.gz", packed(CHANGELOG.replace("@VERSION@", version)))
        overrides = ["# %s.\n%s: %s\n" % (why, package.name, tag) for tag, why in package.overrides]
        write(
            os.path.join(root, "usr/share/lintian/overrides", package.name),
            "".join(overrides).encode(),
        )
        depends = [words.replace("@VERSION@", version) for words in package.depends]
        depends += library_dependencies(root, package)
        about = control(package, version, root, depends)
        write(root + "/DEBIAN/control", about)
        # An upgrade keeps what its owner changed.
        kept = ["/%s\n" % path for path in package.files if path.startswith("etc/")]
        if kept:
            write(root + "/DEBIAN/conffiles", "".join(kept).encode())
        for name, text in package.scripts.items():
            write(os.path.join(root, "DEBIAN", name), text.encode(), 0o755)
        for folder, folders, _ in os.walk(root):
            for name in folders:
                os.chmod(os.path.join(folder, name), 0o755)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "--uniform-compression", "-Zxz", "--build", root,
             os.path.join(output, package.name + ".deb")],
            env={"PATH": os.environ["PATH"], "SOURCE_DATE_EPOCH": str(tree.EPOCH), "LC_ALL": "C"},
            stdout=subprocess.DEVNULL,
            check=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args()
    with open(arguments.version, encoding="utf-8") as file:
        version = file.read().strip()
    sources = dict(source.split("=", 1) for source in arguments.sources)
    os.makedirs(arguments.output, exist_ok=True)
    os.umask(0o022)
    for package in packages.PACKAGES:
        build(package, version, sources, arguments.output)


if __name__ == "__main__":
    main()
