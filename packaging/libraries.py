"""The shared libraries that a program loads on the machine that builds it, Debian's, and what their
licences are."""

import os
import re
import subprocess

LOADER = "/lib64/ld-linux-x86-64.so.2"
COMMON_LICENSES = "/usr/share/common-licenses"


def libraries_of(program):
    """Name to path, as the loader finds them; without the loader itself."""
    result = subprocess.run(
        [LOADER, "--list", program], stdout=subprocess.PIPE, check=True, env={"LC_ALL": "C"}
    )
    found = {}
    for line in result.stdout.decode().splitlines():
        words = line.split()
        if "not found" in line:
            raise RuntimeError("%s: a library is missing: %s" % (program, line.strip()))
        if len(words) >= 3 and words[1] == "=>" and words[0] != LOADER:
            found[words[0]] = words[2]
    if "libc.so.6" not in found:
        raise RuntimeError("%s loads no C library" % program)
    return found


def packages_of(paths):
    """Debian's packages, with their versions, that have the files: a list of (name, version)."""
    # Debian's list has a path as the package brought it, before /lib became /usr/lib.
    spellings = {}
    for path in paths:
        real = os.path.realpath(path)
        spellings[real] = re.sub("^/usr", "", real)
    result = subprocess.run(
        ["dpkg-query", "--search"] + list(spellings) + list(spellings.values()),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,  # half of the spellings are nobody's
    )
    owners = {}
    for line in result.stdout.decode().splitlines():
        owner, _, path = line.partition(": ")
        owners[path] = owner.split(":")[0]
    names = set()
    for real, short in spellings.items():
        if real not in owners and short not in owners:
            raise RuntimeError(real + " is of no package of Debian's")
        names.add(owners.get(real, owners.get(short)))
    result = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Package} ${source:Package} ${source:Version}\\n"]
        + sorted(names),
        stdout=subprocess.PIPE,
        check=True,
    )
    return sorted({tuple(line.split(" ")) for line in result.stdout.decode().splitlines()})


NOTICE = """gprofhub is under the Apache License 2.0: see the file LICENSE.

The libraries here are Debian's, unchanged, each in a file of its own that you may replace. Their
licences are in PACKAGE/copyright, and in common-licenses/ what these refer to. Their sources are
Debian's source packages (apt-get source SOURCE=VERSION, as listed here):

"""


def add_licenses(tree, folder, paths):
    """Adds the licences of the packages that the files are of, and where their sources are."""
    packages = packages_of(paths)
    lines = []
    for name, source, version in packages:
        tree.add_file_of("%s/%s/copyright" % (folder, name), "/usr/share/doc/%s/copyright" % name)
        lines.append("%-24s source %s %s\n" % (name, source, version))
    tree.add_file(folder + "/NOTICE", (NOTICE + "".join(lines)).encode())
    tree.add_file_of(folder + "/LICENSE", "LICENSE")
    for name in sorted(os.listdir(COMMON_LICENSES)):
        tree.add_file_of(
            "%s/common-licenses/%s" % (folder, name),
            os.path.realpath(os.path.join(COMMON_LICENSES, name)),
        )
