"""The check of Bazel's options finds a planted fault each."""

from planted import PlantedTree
from checks import bazel_options

TABLE = bazel_options.read_table(
    """# OPTION  KNOWN  WITH EFFECT
bes_header     5-9
copt           4-9
crosstool_top  4-9  4-6
header         7-9
file a.bazelrc 4-6
generated bazel/setup.sh 7-9
"""
)

# Writes what bazel/setup.sh would, for the version in its first argument.
SETUP = """#!/bin/bash
echo "build --copt=-g" >"$BUILD_WORKSPACE_DIRECTORY/tools/gprofhub/gprof.bazelrc"
if [[ $(cat "$1") == 8* ]]; then echo "%s" >>"$BUILD_WORKSPACE_DIRECTORY/tools/gprofhub/gprof.bazelrc"; fi
"""


class BazelOptionsTest(PlantedTree):
    def rc(self, text, path="a.bazelrc"):
        planted = self.plant({path: text})
        return self.faults([bazel_options.rc_outcome(planted, TABLE)], "rc files")

    def unknown(self, text, path="docs/a.md"):
        return "\n".join(bazel_options.unknown_faults(path, text, TABLE))

    def claims(self, text):
        return "\n".join(bazel_options.claim_faults("docs/a.md", text, TABLE))

    def test_an_rc_file_that_fits_its_versions(self):
        self.assertEqual("", self.rc("# build --other\nbuild:x --copt=-g --crosstool_top=//a\ntest --nocopt\n"))

    def test_an_rc_file_with_an_option_of_later_versions(self):
        self.assertIn("a.bazelrc:2: Bazel 4 has no option --bes_header", self.rc("\nbuild --bes_header=a=b\n"))
        self.assertIn("a.bazelrc:1: Bazel 4, 5, 6 has no option --header", self.rc("build --copt=1 \\\n  --header=x\n"))

    def test_an_rc_file_with_an_option_that_is_not_in_the_table(self):
        self.assertIn("a.bazelrc:1: --other is not in", self.rc("test:x --other"))

    def test_an_rc_file_of_no_version(self):
        self.assertIn("b.bazelrc: ", self.rc("build --copt=-g", path="b.bazelrc"))

    def test_an_rc_file_that_a_script_writes(self):
        for option, fault in [
            ("build --header=x", ""),
            ("build --crosstool_top=x", "setup.sh for Bazel 8:2: --crosstool_top has no effect in Bazel 8"),
        ]:
            planted = self.plant({"bazel/setup.sh": SETUP % option})
            found = self.faults([bazel_options.rc_outcome(planted, TABLE)], "rc files")
            self.assertEqual(fault, found.removeprefix("bazel/"))

    def test_an_unknown_option_of_a_document_or_a_script(self):
        self.assertIn("docs/a.md:2: --other", self.unknown("\n    build:gprof --other=1 --copt=-g\n"))
        self.assertIn("--other", self.unknown("Run `bazel test --copt=-g --other //...`."))
        self.assertIn("--noother", self.unknown('"${BAZEL:-bazel}" test --noother "$@" \\\n  -- --more', "a.sh"))
        self.assertIn("--other", self.unknown("bazel --other build //...", "deploy/ci/a.yml"))

    def test_options_of_other_programs(self):
        for text in [
            "bazel run //:profile -- --other",
            "bazel test --copt=-g //... && gprofhub upload --other",
            "`bazel test` and then `gprofhub upload --other`",
            "bazel test --@gprofhub//bazel:client=//a --copt='--other'",
        ]:
            self.assertEqual("", self.unknown(text), text)

    def test_a_table_that_names_an_option_for_a_version_without_it(self):
        table = "| Bazel | how |\n|---|---|\n| %s | `--header=x` |\n"
        self.assertEqual("", self.claims(table % "7 and later"))
        self.assertIn("docs/a.md:3: Bazel 5, 6 has no option --header", self.claims(table % "5, 6"))
        self.assertIn("Bazel 6 has no option", self.claims(table % "6 to 8"))
        self.assertEqual("", self.claims((table % "5, 6").replace("| Bazel |", "| lines |")))

    def test_a_cell_that_says_since_when(self):
        row = "| option | purpose |\n|---|---|\n| `--header` | Bazel %s: why |\n"
        self.assertEqual("", self.claims(row % "7 and later"))
        self.assertIn("Bazel 6 has no option --header", self.claims(row % "6 and later"))

    def test_a_block_behind_a_sentence_about_versions(self):
        text = "With Bazel %s:\n\n    build --header=x\n    build --copt=-g\n"
        self.assertEqual("", self.claims(text % "8 and 9"))
        self.assertIn("docs/a.md:3: Bazel 5 has no option", self.claims(text % "5"))
        self.assertEqual("", self.claims("With Bazel 5:\n\nOther text.\n\n    build --header=x\n"))

    def test_the_table_is_sorted_and_says_what_it_means(self):
        lines = bazel_options.TABLE.read_text().splitlines()
        names = [line.split()[0] for line in lines if line[:1].islower() and not line.startswith(("file ", "generated "))]
        self.assertEqual(sorted(names), names)
        table = bazel_options.the_table()
        for name, option in table.options.items():
            self.assertLessEqual(option.effective, option.known, name)
