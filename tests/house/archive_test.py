"""What the archive for a user's Bazel takes of BUILD files."""

import sys
import unittest

from planted import ROOT

sys.path.insert(0, str(ROOT / "packaging/for_bazel"))
import build_files  # noqa: E402

LIBRARY = 'cc_library(\n    name = "room",\n    srcs = ["room.c"],\n)\n'


class ArchiveTest(unittest.TestCase):
    def trimmed(self, text):
        return build_files.trimmed("a/BUILD.bazel", text)

    def refusal(self, text):
        with self.assertRaises(build_files.NotUnderstood) as refused:
            self.trimmed(text)
        return str(refused.exception)

    def test_keeps_rules_names_and_comments(self):
        text = 'load("//a:b.bzl", "C")\n\nD = ["e"]\n\n# Why.\n' + LIBRARY
        self.assertEqual(self.trimmed(text), text)

    def test_leaves_out_tests_with_their_comments(self):
        tests = '# Of it.\ncc_test(\n    name = "t",\n)\n\ncc_binary(\n    name = "p",\n    testonly = True,\n)\n'
        self.assertEqual(self.trimmed(LIBRARY + "\n" + tests), LIBRARY)

    def test_leaves_out_its_own_list(self):
        self.assertEqual(self.trimmed(LIBRARY + '\nfilegroup(\n    name = "for_bazel",\n)\n'), LIBRARY)

    def test_leaves_out_list_comprehensions_of_tests(self):
        tests = '[\n    cc_test(\n        name = n + "_test",\n    )\n    for n in ["a"]\n]\n'
        self.assertEqual(self.trimmed(LIBRARY + "\n" + tests), LIBRARY)

    def test_refuses_other_list_comprehensions(self):
        rules = '[\n    cc_library(\n        name = n,\n    )\n    for n in ["a"]\n]\n'
        self.assertIn("a/BUILD.bazel:6: ", self.refusal(LIBRARY + "\n" + rules))

    def test_refuses_what_it_does_not_know(self):
        for statement in ["def f():\n    pass\n", "native.cc_library(name = 'a')\n", "[1]\n"]:
            self.assertIn("a/BUILD.bazel:1: ", self.refusal(statement))


if __name__ == "__main__":
    unittest.main()
