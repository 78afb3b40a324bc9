"""What ci/check includes finds, and what it lets pass."""

from planted import PlantedTree
from checks import includes

TABLE = """# Architecture

| folder | what lives there | may include |
|---|---|---|
| `base/` | ground | nothing |
| `top/` | above | base (values only) |
| `all/` | commands | all of the above |
| `tests/` | tests | anything |
"""


class IncludesTest(PlantedTree):
    def check(self, files):
        return includes.check(self.plant({"docs/architecture.md": TABLE, **files}))

    def test_passes_what_goes_downwards(self):
        self.assert_passes(
            self.check(
                {
                    "base/a.h": "",
                    "base/a.cc": '#include "base/a.h"\n#include "absl/status/status.h"\n',
                    "top/b.h": '#include "base/a.h"\n',
                    "all/c.cc": '#include "top/b.h"\n#include "base/a.h"\n',
                }
            )
        )

    def test_catches_a_circle_among_files(self):
        found = self.check(
            {
                "top/a.h": '#include "top/b.h"\n',
                "top/b.h": "",
                "top/b.cc": '#include "top/c.h"\n',
                "top/c.h": '  #  include "a.h"\n',
            }
        )
        self.assertIn("top/a -> top/b -> top/c -> top/a", self.faults(found, "circle among files"))

    def test_catches_a_circle_among_folders_whose_files_have_none(self):
        found = self.check(
            {
                "top/x/a.h": '#include "top/y/a.h"\n',
                "top/y/a.h": "",
                "top/y/b.h": '#include "top/x/b.h"\n',
                "top/x/b.h": "",
            }
        )
        self.assertEqual("", self.faults(found, "circle among files"))
        circle = self.faults(found, "circle among folders")
        self.assertIn("circle of top/x, top/y", circle)
        self.assertIn("top/y/b.h:1: includes top/x/b.h", circle)

    def test_catches_a_circle_of_a_folder_with_the_one_that_holds_it(self):
        found = self.check(
            {
                "top/a.h": '#include "top/x/b.h"\n',
                "top/x/b.h": "",
                "top/x/c.h": '#include "top/d.h"\n',
                "top/d.h": "",
            }
        )
        self.assertIn("circle of top, top/x", self.faults(found, "circle among folders"))

    def test_lets_a_test_use_a_helper_that_stands_on_what_it_tests(self):
        self.assert_passes(
            self.check(
                {
                    "top/a.h": "",
                    "top/a_test.cc": '#include "top/testing/helper.h"\n#include "all/c.h"\n',
                    "top/testing/helper.h": '#include "top/a.h"\n',
                    "all/c.h": "",
                }
            )
        )

    def test_catches_an_arrow_upwards(self):
        found = self.check({"base/a.cc": '\n#include "top/b.h"\n', "top/b.h": ""})
        self.assertIn(
            "base/a.cc:2: includes top/b.h; base/ may not include top/", self.faults(found, "arrow")
        )

    def test_wants_a_row_for_each_folder(self):
        found = self.check({"new/a.cc": '#include "base/b.h"\n', "base/b.h": ""})
        self.assertIn("no row for new/", self.faults(found, "arrow"))

    def test_catches_a_way_from_the_server_to_a_reader_of_elf(self):
        files = {
            "profile/elf/image.h": "",
            "cli/gprof/command.cc": '#include "profile/elf/image.h"\n',
            "profile/merge.h": "",
            "collector/check.h": '#include "profile/merge.h"\n',
        }
        self.assertEqual("", self.faults(self.check(files), "reader of ELF"))
        files["profile/merge.cc"] = '#include "profile/elf/image.h"\n'
        self.assertIn(
            "collector/check -> profile/merge -> profile/elf/image",
            self.faults(self.check(files), "reader of ELF"),
        )

    def test_catches_a_reader_of_elf_in_the_server(self):
        found = self.check(
            {"server/a.cc": '#include "profile/elf/file.h"\n', "profile/elf/file.h": ""}
        )
        self.assertIn("server/a -> profile/elf/file", self.faults(found, "reader of ELF"))

    def test_catches_a_header_that_is_not_there(self):
        found = self.check({"base/a.cc": '#include "base/gone.h"\n'})
        self.assertIn("base/a.cc:1: no file base/gone.h", self.faults(found, "is found"))

    def test_takes_a_generated_header_for_its_source(self):
        found = self.check({"base/a.cc": '#include "top/m.grpc.pb.h"\n', "top/m.proto": ""})
        self.assertIn("base/ may not include top/", self.faults(found, "arrow"))

    def test_reads_the_words_of_the_table(self):
        rows = (
            "| folder | may include |\n|---|---|\n"
            "| `a/` | – |\n| `b/` | a (not c), never c |\n| `c/` | a's headers; b |\n"
            "| `c/worker/` | d |\n| `d/` | anything |\n"
        )
        self.assertEqual(
            {
                "a": {"a"},
                "b": {"a", "b"},
                "c": {"a", "b", "c"},
                "c/worker": {"a", "b", "c", "d", "c/worker"},
                "d": {"a", "b", "c", "c/worker", "d"},
            },
            includes.allowed_arrows(rows),
        )
