"""shellcheck over every shell script, found by its ending or by its first line."""

from checks import tools
from checks.outcome import Outcome


def check(the_tree, write=False):
    del write  # shellcheck mends nothing.
    shellcheck = tools.find("shellcheck")
    files = the_tree.shell_scripts()
    faults = []
    for batch in tools.batches(files):
        # -x: sourced files are read; they are named from the top of the tree.
        done = tools.run(
            [shellcheck, "-x", "--source-path=SCRIPTDIR", "--format=gcc", *batch], the_tree.root
        )
        found = [line for line in done.stdout.splitlines() if line.strip()]
        faults += found
        if done.returncode != 0 and not found:
            faults.append(f"shellcheck failed with status {done.returncode}")
    return [Outcome("scripts: shellcheck", faults, f"{len(files)} scripts")]
