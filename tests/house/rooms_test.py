"""What ci/check rooms finds, and what it writes."""

from planted import PlantedTree
from checks import rooms

DOCUMENT = f"before\n{rooms.BEGIN}\n{rooms.END}\nafter\n"


class RoomsTest(PlantedTree):
    def test_counts_no_tests(self):
        files = {f"a/f{number}.cc": "" for number in range(rooms.MOST_FILES)}
        files.update({f"a/f{number}_test.cc": "" for number in range(rooms.MOST_FILES)})
        self.assertEqual("", self.faults(rooms.check(self.plant(files)), "at most"))

    def test_catches_a_crowded_folder(self):
        files = {f"a/f{number}.cc": "" for number in range(rooms.MOST_FILES + 1)}
        self.assertIn(
            "a: 31 files without tests", self.faults(rooms.check(self.plant(files)), "at most")
        )

    def test_lets_a_corpus_be_large(self):
        files = {f"a/testdata/f{number}": "" for number in range(rooms.MOST_FILES + 1)}
        self.assertEqual("", self.faults(rooms.check(self.plant(files)), "at most"))

    def test_writes_the_table_between_its_marks(self):
        planted = self.plant({rooms.DOCUMENT: DOCUMENT, "a/small.cc": "\n", "a/large.h": "\n" * 91})
        self.assertIn("not that of today", self.faults(rooms.check(planted), "current"))
        self.assert_passes(rooms.check(planted, write=True))
        self.assert_passes(rooms.check(planted))
        text = planted.text(rooms.DOCUMENT)
        self.assertIn("| `a/` | 2 | 0 | `large.h` | 100 |", text)
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"), text)

    def test_catches_a_table_that_is_old(self):
        planted = self.plant({rooms.DOCUMENT: DOCUMENT, "a/small.cc": "\n"})
        rooms.check(planted, write=True)
        (self.folder / "a/small.cc").write_text("\n" * 50)
        self.assertIn("not that of today", self.faults(rooms.check(planted), "current"))
