"""What ci/check docs and ci/check links find."""

from planted import PlantedTree
from checks import docs, links

HELP = """gprofhub: what it does
Usage: gprofhub [OPTIONS] SUBCOMMAND

Options:
  -h,--help                   Print this help message and exit
  --color WHEN                Colours

Compare runs:
  runs                        List the runs
                              of a project

Run a server:
  token                       Make tokens
"""
COMMAND_HELP = """Options:
  -h,--help                   Print this help message and exit
  --wait                      Wait; not the same as --other

Examples:
  bazel test --config=gprof
"""


class DocsTest(PlantedTree):
    def check(self, text):
        program = self.folder / "gprofhub"
        program.write_text(
            f"#!/bin/sh\nif [ $# = 1 ]; then cat <<'E'\n{HELP}E\nelse cat <<'E'\n{COMMAND_HELP}E\nfi\n"
        )
        program.chmod(0o755)
        files = {"README.md": text, ".bazelrc": "build:fast -c opt\n"}
        return self.faults(docs.check(self.plant(files), program), "docs")

    def test_passes_what_exists(self):
        text = "`gprofhub runs --wait --color=auto`, `--config=fast`\n\n    x | gprofhub token -h # and --no\n"
        self.assertEqual("", self.check(text))

    def test_catches_an_unknown_command(self):
        self.assertIn(
            "README.md:2: gprofhub has no command 'rnus'", self.check("\nUse `gprofhub rnus`.\n")
        )

    def test_catches_an_unknown_option_in_a_block(self):
        self.assertIn(
            "gprofhub runs has no option '--other'",
            self.check("```sh\ngprofhub runs --other=1\n```\n"),
        )

    def test_catches_an_unknown_option_that_stands_alone(self):
        self.assertIn(
            "no command of gprofhub has the option '--gone'", self.check("With `--gone` it does.\n")
        )

    def test_catches_an_unknown_configuration(self):
        self.assertIn(
            "no bazelrc file has a configuration 'slow'",
            self.check("    bazel test --config=slow //...\n"),
        )

    def test_catches_first_pages_that_are_too_long_together(self):
        half = "word " * (docs.MOST_WORDS // 2)
        files = {"README.md": half, "docs/architecture.md": half, "docs/other.md": half}
        name = "first pages"
        self.assertEqual("", self.faults(docs.check(self.plant(files), "gone"), name))
        files["CONTRIBUTING.md"] = "word\n"
        self.assertIn("4001 words\n", self.faults(docs.check(self.plant(files), "gone"), name))

    def test_catches_markers_of_a_generated_part(self):
        text = "<!-- doc-test: needs a forge -->\n\n<!-- table: begin (make) -->\n<!-- table: end -->\n"
        found = self.faults(docs.check(self.plant({"docs/a.md": text}), "gone"), "generated")
        self.assertEqual(
            "docs/a.md:3: <!-- table: begin (make) -->\ndocs/a.md:4: <!-- table: end -->", found
        )

    def test_reports_a_program_that_was_not_built(self):
        found = self.faults(docs.check(self.plant({"README.md": ""}), "./gone"), "commands")
        self.assertIn("bazel build //cli:gprofhub builds it", found)


class LinksTest(PlantedTree):
    def check(self, text):
        files = {"docs/a.md": text, "docs/b.md": "# One `word`\n", "base/x.cc": ""}
        return self.faults(links.check(self.plant(files)), "links")

    def test_passes_what_leads_somewhere(self):
        self.assertEqual(
            "",
            self.check(
                "# A (b)\n[x](b.md#one-word) [y](#a-b) [z](https://x.invalid) `base/x.cc` `base/x`\n"
            ),
        )

    def test_catches_a_missing_file(self):
        self.assertIn("docs/a.md:1: c.md: no such file", self.check("[x](c.md)\n"))

    def test_catches_a_missing_heading(self):
        self.assertIn("b.md#two: no such heading", self.check("[x](b.md#two)\n"))

    def test_catches_the_name_of_a_file_that_has_moved(self):
        self.assertIn("`base/y.cc`: no such file", self.check("see `base/y.cc`\n"))

    def test_reads_no_links_in_code(self):
        self.assertEqual("", self.check("`[x](c.md)`\n\n```\n[x](c.md)\n```\n"))
