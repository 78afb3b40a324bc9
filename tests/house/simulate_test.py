"""benchmarks/scale/simulate: its numbers follow from what it is given."""

import re
import subprocess
import unittest

from planted import ROOT


def simulate(*arguments):
    return subprocess.run(
        [str(ROOT / "benchmarks/scale/simulate"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )


def number(out, name):
    return float(re.search(rf"^\s*{re.escape(name)}\s+([0-9.,]+)$", out, re.M)[1].replace(",", ""))


class SimulateTest(unittest.TestCase):
    def test_what_is_stored_grows_with_the_repositories(self):
        small, large = simulate("--repositories", "100").stdout, simulate("--repositories", "1000").stdout
        for name in ("points a day", "points, GB", "rows, GB"):
            self.assertAlmostEqual(number(large, name) / number(small, name), 10, delta=0.1)

    def test_a_queue_waits_longer_the_more_comes(self):
        waits = [
            number(simulate("--repositories", str(n), "--set", "reporters=1").stdout, "upload to report, median, seconds")
            for n in (100, 1000, 10000)
        ]
        self.assertLess(waits[0], 0.3, "nobody is in the way")
        self.assertLess(waits[0], waits[2])
        self.assertGreater(waits[2], 60, "one reporter is too few")

    def test_the_same_question_has_the_same_answer(self):
        self.assertEqual(simulate("--repositories", "500").stdout, simulate("--repositories", "500").stdout)

    def test_what_cannot_be_set_is_said(self):
        for wrong in ("size=3", "runs=many", "runs=-1"):
            ended = simulate("--set", wrong)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(wrong.split("=")[0], ended.stderr)
