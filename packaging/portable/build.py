"""Makes the archive that runs on any x86-64 Linux: the programs, their libraries, and the C library
and loader that these need.

    build.py OUTPUT VERSION GPROFHUB COMMANDS MANUAL BASH-COMPLETION ZSH-COMPLETION PROFILED-TESTS

The machine's own libraries are not used, so their versions do not matter. bin/gprofhub is static, and
starts the loader in libexec/gprofhub/lib (cli/command/command.h).
"""

import os
import sys
import tarfile

import libraries
import stripped
import tree

README = """gprofhub @VERSION@ for x86-64 Linux. It needs nothing of the machine but its kernel.

    export PATH="$PWD/bin:$PATH"
    gprofhub --help

The folder may lie anywhere, and be moved. share/gprofhub/bin has `gprof`: put it first in PATH for
gprofhub's in the place of GNU gprof. Completion: share/bash-completion, share/zsh. Licences, and where
the sources of the libraries are: share/doc/gprofhub.
"""

COMMANDS = "libexec/gprofhub"


def main(output, version, gprofhub, commands, manual, bash, zsh, profiled_tests):
    with open(version, encoding="utf-8") as file:
        version = file.read().strip()
    top = "gprofhub-%s-linux-x86_64/" % version
    made = tree.Tree()
    made.add_file(top + "README", README.replace("@VERSION@", version).encode())
    made.add_file(top + "bin/gprofhub", stripped.stripped(gprofhub), 0o755)
    made.add_link(top + "share/gprofhub/bin/gprof", "../../../bin/gprofhub")
    made.add_file(top + COMMANDS + "/gprofhub_commands", stripped.stripped(commands), 0o755)
    found = libraries.libraries_of(os.path.abspath(commands))
    for name, path in found.items():
        made.add_file_of("%s%s/lib/%s" % (top, COMMANDS, name), path)
    loader = os.path.basename(libraries.LOADER)
    made.add_file_of("%s%s/lib/%s" % (top, COMMANDS, loader), libraries.LOADER, 0o755)
    with tarfile.open(manual) as pages:
        for page in pages.getmembers():
            if page.isfile():
                data = pages.extractfile(page).read()
                made.add_file(top + "share/man/man1/" + os.path.basename(page.name), data)
    made.add_file_of(top + "share/bash-completion/completions/gprofhub", bash)
    made.add_file_of(top + "share/zsh/site-functions/_gprofhub", zsh)
    made.add_file_of(top + "share/gprofhub/ci/profiled_tests", profiled_tests, 0o755)
    libraries.add_licenses(
        made, top + "share/doc/gprofhub", list(found.values()) + [libraries.LOADER]
    )
    made.write_packed(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
