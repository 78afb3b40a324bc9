"""The engine that mutates programs for benchmarks/verdicts: what it finds, edits and leaves alone."""

import collections
import pathlib
import sys
import tempfile
import types
import unittest

VERDICTS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "verdicts"
sys.path.insert(0, str(VERDICTS))

import clang.cindex  # noqa: E402
import patches  # noqa: E402
from mutations import cases, edits, moves, repeats, source, tokens  # noqa: E402

CODE = """\
struct Many { void reserve(int n); };
int cost(int n);
#define TWICE(x) ((x) + (x))
struct Big { int a[9]; };
int work(int n) {
  int sum = cost(n);
  if (n < 0) return cost(1);
  for (int i = 0; i < n; ++i) sum += cost(i);
  if (sum > 3 && cost(sum) > 4) {
    cost(8);
    return sum;
  }
  return TWICE(cost(2)) + sum;
}
int list(int n) {
  Many all;
  all.reserve(n);
  Big big;
  const Big& alias = big;
  int room = 4;
  if (n > room) room *= 2;
  return room + alias.a[1] + cost(3);
}
"""


class TokensTest(unittest.TestCase):
    def test_words_in_comments_and_literals_are_none(self):
        data = b'one /* two */ "three \\" four" \'f\' // five\nsix R"x(seven)x" eight9'
        self.assertEqual([word for _, word in tokens.words(data)], [b"one", b"six", b"eight9"])

    def test_a_name_is_renamed_as_a_whole_word(self):
        self.assertEqual(tokens.renamed(b'f(ff, "f"); // f\ng.f = f;', b"f", b"new"), b'new(ff, "f"); // f\ng.new = new;')

    def test_brackets_in_literals_close_nothing(self):
        data = b"f(a[1], ')', \")\" /* ) */, {g()}) + h()"
        self.assertEqual(tokens.closing(data, 1), data.index(b") + h"))
        self.assertIsNone(tokens.closing(b"f(a[1]", 1))


class EditsTest(unittest.TestCase):
    def test_edits_of_one_file_hold_in_any_order(self):
        changed = edits.apply({"a": "0123456789", "b": "x"}, [edits.Edit("a", 2, 4, b"--"), edits.Edit("a", 8, 9, b""), edits.Edit("a", 0, 0, b">")])
        self.assertEqual(changed, {"a": ">01--45679", "b": "x"})

    def test_edits_that_overlap_are_refused(self):
        with self.assertRaisesRegex(ValueError, "edits of a overlap at byte 0"):
            edits.apply({"a": "0123456789"}, [edits.Edit("a", 0, 4, b""), edits.Edit("a", 3, 5, b"")])

    def test_a_new_file_is_made(self):
        self.assertEqual(edits.apply({}, [edits.Edit("new", 0, 0, b"text")]), {"new": "text"})

    def test_lines_are_told_as_they_are_afterwards(self):
        sources = {"a": "1\n2\n3\n4\n5\n"}
        before, within, after = edits.Edit("a", 0, 0, b"x\ny\n"), edits.Edit("a", 4, 5, b"u\nv"), edits.Edit("a", 8, 8, b"\n")
        self.assertEqual(edits.lines_after(sources, [before, within, after], "a", (4, 5)), (5, 6))

    def test_edits_may_be_made_when_they_are_asked_for(self):
        mutation = edits.Mutation("rule", "a", "f", lambda: iter([edits.Edit("a", 0, 0, b"")]))
        self.assertTrue(mutation.make())
        self.assertEqual(len(mutation.edits), 1)
        self.assertFalse(edits.Mutation("rule", "a", "f", []).make())


class RulesTest(unittest.TestCase):
    """What the rules make of a small program; of all of it clang says that it compiles."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = pathlib.Path(cls.folder.name)
        (folder / "code.cc").write_text(CODE)
        cls.program = types.SimpleNamespace(name="small", sources={"code.cc": CODE}, units=["code.cc"], options=["-std=c++11", "-w"], compiler="g++")
        cls.unit = source.Unit(cls.program, folder, "code.cc")
        cls.functions = {f.name: f.read() for f in cls.unit.functions}

    def texts(self, rule, function="work"):
        """The edited lines of each of the rule's places, stripped."""
        found = []
        for mutation in rule(self.functions[function]):
            self.assertTrue(mutation.make())
            changed = edits.apply(self.program.sources, mutation.edits)["code.cc"]
            self.assert_compiles(changed)
            old = CODE.splitlines()
            found.append("\n".join(line.strip() for line in changed.splitlines() if line not in old))
        return found

    def assert_compiles(self, text):
        path = pathlib.Path(self.folder.name) / "changed.cc"
        path.write_text(text)
        parsed = clang.cindex.Index.create().parse(str(path), args=["-std=c++11"])
        self.assertEqual([d.spelling for d in parsed.diagnostics if d.severity >= clang.cindex.Diagnostic.Error], [], text)

    def test_functions_have_their_names_and_bodies(self):
        self.assertEqual({f.name: f.linkage for f in self.functions.values()}, {"work": "_Z4worki", "list": "_Z4listi"})

    def test_each_call_as_it_is_written_is_doubled_and_none_in_a_macro(self):
        self.assertEqual(self.texts(repeats.call_doubled), [
            "int sum = ((void)(cost(n)), cost(n));",
            "if (n < 0) return ((void)(cost(1)), cost(1));",
            "for (int i = 0; i < n; ++i) sum += ((void)(cost(i)), cost(i));",
            "if (sum > 3 && ((void)(cost(sum)), cost(sum)) > 4) {",
            "((void)(cost(8)), cost(8));"])

    def test_the_dear_check_comes_before_the_cheap_one(self):
        self.assertEqual(self.texts(repeats.dear_check_first), ["if ((cost(sum) > 4) && (sum > 3)) {"])

    def test_loops_that_call_are_run_again(self):
        self.assertEqual(self.texts(repeats.loop_again),
                         ["for (int again_ = 0; again_ < 2; ++again_) for (int i = 0; i < n; ++i) sum += cost(i);"])

    def test_growth_is_slowed_where_a_factor_is_two(self):
        self.assertEqual(self.texts(repeats.growth_slowed, "list"), ["if (n > room) room += (room) / 8 + 1;"])

    def test_reserve_is_removed(self):
        self.assertEqual(self.texts(repeats.reserve_removed, "list"), [";"])

    def test_a_reference_becomes_a_copy(self):
        self.assertEqual(self.texts(repeats.copied_for_reference, "list"), ["const Big  alias = big;"])

    def test_the_site_of_a_mutation_is_where_its_calls_are(self):
        (mutation,) = repeats.loop_again(self.functions["work"])
        self.assertEqual(self.unit.line(mutation.site[0]), 8)
        self.assertEqual(mutation.callees, ("_Z4costi",))
        self.assertEqual(mutation.function, "_Z4worki")

    def test_whatever_a_rule_yields_compiles(self):
        for rule in repeats.RULES:
            for function in self.functions:
                self.texts(rule, function)

    def test_a_renamed_function_is_renamed_everywhere(self):
        (mutation,) = moves.rename_function(self.functions["work"])
        self.assertTrue(mutation.make())
        changed = edits.apply(self.program.sources, mutation.edits)["code.cc"]
        self.assertIn("int do_krow_now(int n)", changed)
        self.assertNotIn("work", changed)
        self.assert_compiles(changed)


class DrawTest(unittest.TestCase):
    def setUp(self):
        self.base = types.SimpleNamespace(program=types.SimpleNamespace(name="small", sources={"a": "text"}), taken=set(),
                                          edited=dict.fromkeys([("mutated", f) for f in "fgh"], 0))
        self.tried = []
        original = cases.tried, cases.Drawn
        self.addCleanup(lambda: (setattr(cases, "tried", original[0]), setattr(cases, "Drawn", original[1])))
        cases.tried = lambda base, mutation: self.tried.append(mutation) or ("", mutation.what)
        cases.Drawn = lambda base, mutation, *rest: mutation

    def places(self):
        made = {}
        for rule, functions in {"common": "fgh", "rare": "f"}.items():
            made[rule] = [edits.Mutation(rule, "a", f, [edits.Edit("a", 0, 0, b"")], what=f"{rule} {f} {i}") for f in functions for i in range(50)]
        return made

    def draw(self, seed, is_case=lambda case: "", tally=None):
        return cases.draw(self.base, self.places(), seed, is_case, "mutated", collections.Counter() if tally is None else tally)

    def test_a_seed_draws_the_same_case(self):
        first = self.draw(7).what
        self.base.taken.clear()
        self.assertEqual(self.draw(7).what, first)

    def test_no_rule_is_most_of_the_cases(self):
        drawn = []
        for seed in range(200):
            self.base.taken.clear()
            drawn.append(self.draw(seed).rule)
        self.assertGreater(drawn.count("rare"), 60)
        self.assertGreater(drawn.count("common"), 60)

    def test_what_is_no_case_is_counted_and_another_is_drawn(self):
        tally = collections.Counter()
        case = self.draw(3, lambda case: "change no call" if case.rule == "rare" else "", tally)
        self.assertEqual(case.rule, "common")
        self.assertEqual(tally[""], 1)
        self.assertEqual(sum(tally.values()), len(self.tried))

    def test_a_function_is_at_most_so_often_edited(self):
        for function in "gh":
            self.base.edited["mutated", function] = cases.MOST
        self.assertEqual({self.draw(seed).function for seed in range(30)}, {"f"})

    def test_a_program_is_the_case_of_one_seed(self):
        self.base.taken = {mutation.what for found in self.places().values() for mutation in found}
        self.assertIsNone(self.draw(1))


class ChangesByHand(unittest.TestCase):
    """Changes to workloads, which are formatted with the tree, are found in them."""

    def test_of_workloads_apply(self):
        workloads = {path.name: path.read_text() for path in (VERDICTS / "workloads").iterdir()}
        tried = 0
        for path in sorted((VERDICTS / "changes").glob("*.txt")):
            for patch in patches.read(path, path.stem.split("-")[0]):
                for kind, file, *texts in patch.steps:
                    if kind == "replace" and file in workloads:
                        self.assertEqual(workloads[file].count(texts[0]), 1, f"{patch.name}: {texts[0]}")
                        tried += 1
        self.assertGreater(tried, 5)


if __name__ == "__main__":
    unittest.main()
