"""How the commands of a document are found."""

import unittest

import planted  # pylint: disable=unused-import  # it finds the modules
import blocks


def steps(text):
    return [step for block in blocks.blocks_of(text) for step in blocks.steps_of(block)]


def commands(text):
    return [(step.line, step.text) for step in steps(text)]


class BlocksTest(unittest.TestCase):
    def test_finds_indented_and_fenced_commands(self):
        self.assertEqual(
            [(3, "one --x"), (4, "two"), (7, "three")],
            commands("Run:\n\n    one --x\n    two\n\n```sh\nthree\n```\n"),
        )

    def test_passes_over_fenced_text_of_other_kinds_and_goes_on_behind_it(self):
        self.assertEqual([(5, "one")], commands("```json\n{}\n```\n\n    one\n"))

    def test_passes_over_lines_that_go_on_a_paragraph_or_an_item(self):
        self.assertEqual([], commands("- an item\n    goes on\n\n    and on\n"))

    def test_finds_a_block_within_an_item(self):
        self.assertEqual([(3, "one")], commands("- an item\n\n      one\n"))

    def test_joins_continued_lines_and_leaves_out_comments(self):
        self.assertEqual([(3, "one \\\n  two")], commands("\n    # first\n    one \\\n      two\n"))

    def test_takes_a_named_paragraph_for_a_file(self):
        found = steps("x\n\n    # .bazelrc, below the import\n    build --x\n\n    # CI job\n    one\n")
        self.assertEqual((".bazelrc", "build --x\n"), (found[0].path, found[0].text))
        self.assertEqual("one", found[1].text)

    def test_takes_only_the_lines_with_a_prompt_where_there_is_output(self):
        self.assertEqual([(3, "one")], commands("x\n\n    $ one\n    output\n    $1\n"))

    def test_does_not_run_what_a_comment_gives_a_reason_for(self):
        found = blocks.blocks_of("<!-- doc-test: needs a forge -->\n\n    one\n\ntext\n\n    two\n")
        self.assertEqual(["needs a forge", ""], [block.reason for block in found])

    def test_puts_words_in(self):
        text = "<!-- doc-test: with A… = a.*.x, DIR = . -->\n\n    one A… --DIR DIR ADIR\n"
        self.assertEqual([(3, "one a.*.x --DIR . ADIR")], commands(text))

    def test_says_where(self):
        text = "<!-- doc-test: in the sea -->\n\n    one\n"
        self.assertEqual("the sea", blocks.blocks_of(text)[0].place)
