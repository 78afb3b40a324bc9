"""Other people's programs, as ci/setup --tests installs them."""

import os
import pathlib
import shutil
import subprocess


class MissingTool(Exception):
    pass


def cache_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(cache) / "gprofhub"


def find(name):
    """The program's path; the error says how to get it."""
    found = shutil.which(name)
    if found is None and name == "buildifier":
        # npm's package: ci/setup --tests puts it here.
        candidate = cache_folder() / "npm" / "node_modules" / ".bin" / "buildifier"
        found = str(candidate) if candidate.exists() else None
    if found is None:
        raise MissingTool(f"{name} is not installed; ci/setup --tests installs it")
    return found


def run(command, cwd, **options):
    """The finished process, its output as text, stderr included."""
    return subprocess.run(
        command,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        errors="replace",
        check=False,
        **options,
    )


def batches(items, size=100):
    """Pieces that fit into one command line."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
