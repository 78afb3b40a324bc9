"""The text that ci/check words reads, and the rates that it refuses."""

from unittest import mock

from planted import PlantedTree
from checks import words

PLAIN = "The worker retries the job. " * 20
HARD = "// x\n// told\n"


class WordsTest(PlantedTree):
    def check(self, files, scope="tree"):
        return self.faults(words.check(self.plant(files)), scope)

    def test_plain_text_passes(self):
        self.assert_passes(words.check(self.plant({"README.md": PLAIN, "a.cc": f"// {PLAIN}\n"})))

    def test_rate_above_the_limit_fails_with_patterns_and_files(self):
        found = self.check({"README.md": PLAIN, "base/a.cc": HARD, "base/b.cc": HARD + HARD})
        self.assertIn(f"per 10,000 words; at most {words.LIMITS['tree']}", found)
        self.assertRegex(found, r"say, tell: \d+\.\d, most in base/b.cc \(2\), base/a.cc \(1\)")
        self.assertNotIn("likewise", found)

    def test_rate_at_the_limit_passes(self):
        files = {"a.cc": HARD}  # one match in two words
        with mock.patch.dict(words.LIMITS, tree=5000):
            self.assertEqual("", self.check(files))
        with mock.patch.dict(words.LIMITS, tree=4999):
            self.assertIn("5000.0 per 10,000 words; at most 4999", self.check(files))

    def test_docs_have_a_rate_of_their_own(self):
        files = {"docs/a.md": "told\n", "base/a.cc": f"// {PLAIN}\n" * 100}
        self.assertIn("say, tell", self.check(files, "docs"))
        self.assertEqual("", self.check(files, "tree"))

    def test_each_pattern_matches_its_example(self):
        examples = {
            "clause as subject": "// What failed",
            "say, tell": "is told",
            "nobody, somebody": "somebody",
            "is no, is none": "is none",
            "likewise, beside": "beside",
            "whoever, whatever": "whatever",
            "so many": "so long",
            "go on": "goes on",
            "own dialect": "a shelf",
        }
        self.assertEqual([name for name, _ in words.PATTERNS], list(examples))
        for name, pattern in words.PATTERNS:
            self.assertRegex(examples[name], pattern)

    def test_questions_are_not_clauses_as_subjects(self):
        self.assertNotRegex("What failed?", words.PATTERNS[0][1])

    def test_comments_literals_and_markdown_are_read(self):
        source = '// one\nint two = 2;  // two\nf("three words here", "a b");\n * four\n'
        self.assertEqual(
            ["// one", "three words here", " * four"], list(words.prose("a.cc", source))
        )
        self.assertEqual(["# one"], list(words.prose("a.py", "# one\n// two")))
        self.assertEqual(["one", "two"], list(words.prose("a.md", "one\ntwo")))

    def test_testdata_and_changelog_are_not_read(self):
        self.assertEqual("", self.check({"a/testdata/b.cc": HARD, "CHANGELOG.md": HARD}))
