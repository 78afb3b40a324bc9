"""The faults that ci/check shape finds."""

from planted import PlantedTree
from checks import shape

LIBRARY = 'cc_library(\n    name = "a",\n)\n'
TEST = 'cc_test(\n    name = "a_test",\n)\n'
TESTONLY = 'cc_library(\n    name = "b",\n    testonly = True,\n)\n'


class HeadersTest(PlantedTree):
    USERS = {"base/small.cc": '#include "base/small.h"\n', "base/a.cc": '#include "base/small.h"\n'}

    def check(self, files):
        return self.faults(shape.check(self.plant(files)), "two users")

    def test_small_header_with_one_user_fails(self):
        self.assertEqual(
            "base/small.h: 20 lines, included by base/a.cc only",
            self.check({**self.USERS, "base/small.h": "\n" * shape.SMALL_HEADER}),
        )

    def test_small_header_without_a_user_fails(self):
        self.assertIn("base/small.h: 1 lines, included by no other", self.check({"base/small.h": "\n"}))

    def test_small_header_with_two_users_passes(self):
        users = {**self.USERS, "store/b.h": '#include "base/small.h"\n' + "\n" * 30}
        self.assertEqual("", self.check({**users, "base/small.h": "\n"}))

    def test_tests_are_not_users(self):
        include = '#include "base/small.h"\n'
        tests = ["base/b_test.cc", "base/testing/b.cc", "tests/b.cc", "benchmarks/b.cc"]
        found = self.check({**self.USERS, **dict.fromkeys(tests, include), "base/small.h": "\n"})
        self.assertIn("included by base/a.cc only", found)

    def test_larger_headers_and_headers_of_tests_pass(self):
        larger = "\n" * (shape.SMALL_HEADER + 1)
        self.assertEqual("", self.check({"base/a.h": larger, "base/testing/b.h": "", "tests/c.h": ""}))


class FilesTest(PlantedTree):
    def check(self, files):
        return self.faults(shape.check(self.plant(files)), "lines in a file")

    def test_long_file_fails(self):
        self.assertEqual(
            "base/a.cc: 701 lines; at most 700",
            self.check({"base/a.cc": "\n" * 701, "base/b.cc": "\n" * 700}),
        )

    def test_long_tests_pass(self):
        self.assertEqual("", self.check({"base/a_test.cc": "\n" * 701, "tests/b.cc": "\n" * 701}))


class PackagesTest(PlantedTree):
    def check(self, text, path="base/BUILD.bazel"):
        return self.faults(shape.check(self.plant({path: text})), "package")

    def test_one_library_and_one_test_pass(self):
        self.assertEqual("", self.check(LIBRARY + "\n" + TESTONLY + "\n" + TEST))

    def test_second_library_fails(self):
        self.assertIn("base/BUILD.bazel:5: another cc_library", self.check(LIBRARY + "\n" + LIBRARY))

    def test_second_test_fails_in_a_folder_below(self):
        found = self.check(TEST + "\n" + TEST, "ci/upload/results/BUILD.bazel")
        self.assertIn("ci/upload/results/BUILD.bazel:5: another cc_test", found)

    def test_test_in_a_comprehension_is_counted(self):
        several = '[cc_test(\n    name = n,\n) for n in ["b"]]\n'
        self.assertIn("base/BUILD.bazel:5: another cc_test", self.check(TEST + "\n" + several))

    def test_comment_directly_above_gives_the_reason(self):
        self.assertEqual("", self.check(LIBRARY + "\n# A small program links it.\n" + LIBRARY))
        self.assertIn("another", self.check(LIBRARY + "\n# Of the whole file.\n\n" + LIBRARY))

    def test_testonly_false_is_counted(self):
        self.assertIn("another", self.check(LIBRARY + "\n" + TESTONLY.replace("True", "False")))

    def test_other_packages_pass(self):
        for path in ("runtime/BUILD.bazel", "tests/BUILD.bazel", "baseline/BUILD.bazel"):
            self.assertEqual("", self.check(TEST + "\n" + TEST, path))

    def test_unreadable_file_fails(self):
        self.assertIn("base/BUILD.bazel:1: cannot be read", self.check("cc_test(\n"))
