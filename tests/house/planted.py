"""A small tree with a planted fault, for the tests of the checks."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "ci"))
sys.path.insert(0, str(ROOT / "tests/docs"))

# pylint: disable=wrong-import-position
from checks import tree


class PlantedTree(unittest.TestCase):
    """Gives each test a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def plant(self, files):
        """A tree of {path: text}."""
        for path, text in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8")
        return tree.Tree(self.folder, list(files))

    def git(self, *arguments):
        identity = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, check=True, stdout=subprocess.PIPE
        )
        return done.stdout.decode().strip()

    def assert_passes(self, outcomes):
        for outcome in outcomes:
            self.assertTrue(outcome.passed(), "\n".join(outcome.lines()))

    def faults(self, outcomes, name):
        """All faults of the outcomes whose names have `name` in them, as one text."""
        return "\n".join(fault for it in outcomes if name in it.name for fault in it.faults)
