"""clang-format over every C and C++ file.

Two kinds of files keep their bytes: what lies in a folder named testdata, and
what a .clang-format of its own excepts (`DisableFormat: true`).
"""

import re

from checks import tools, tree
from checks.outcome import Outcome

_DEVIATION = re.compile(r"^(.+?):(\d+):\d+: (?:error|warning): code should be clang-formatted")


def check(the_tree, write=False):
    formatter = tools.find("clang-format")
    files = [path for path in the_tree.c_files() if not tree.keeps_its_bytes(path)]
    first_lines = {}
    broken = []
    for batch in tools.batches(files):
        mode = ["-i"] if write else ["--dry-run", "--Werror"]
        done = tools.run([formatter, *mode, "--style=file", *batch], the_tree.root)
        for line in done.stdout.splitlines():
            if found := _DEVIATION.match(line):
                first_lines.setdefault(found[1], found[2])
        if done.returncode != 0 and not first_lines:
            broken.append(done.stdout.strip() or "clang-format failed")
    faults = [f"{path}:{line}: not formatted" for path, line in sorted(first_lines.items())]
    if faults:
        faults.append("ci/check format --write formats them")
    return [Outcome("format: clang-format", broken + faults, f"{len(files)} files")]
