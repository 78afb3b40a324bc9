"""Data regressions by rule: an edited initialiser that unchanged code reads so that it loops more.

A random program (refactorings/random_programs.py) gets a reader, and a holder of the value that the
reader loops by. The head stores another value. One run each: the change must be an alarm, or the
test must be on the rerun list. The twin changes a value without effect, and must be silent. Seeds
draw holders and readers in turn.
"""

import random

import small_programs
from refactorings import random_programs

SEEDS = range(32)
READER_SHARE = 0.25  # of the base's work, about

# Where the value is kept: text of settings.cc with {value} and {other}; `other` is read once.
HOLDERS = {
    "global variable": (
        "int rounds = {value};\nint others = {other};\n"
        "int value_of_rounds() {{ return rounds; }}\nint value_of_others() {{ return others; }}\n"),
    "static table": (
        "const int table[] = {{3, {value}, 8, {other}}};\n"
        "int at(int i) {{ return const_cast<volatile const int*>(table)[i]; }}\n"
        "int value_of_rounds() {{ return at(1); }}\nint value_of_others() {{ return at(3); }}\n"),
    "constant in a struct": (
        "struct Limits {{ const char* name; int rounds; int others; }};\n"
        "Limits limits[] = {{{{\"small\", 3, 4}}, {{\"usual\", {value}, {other}}}}};\n"
        "int chosen = 1;\n"
        "int value_of_rounds() {{ return limits[chosen].rounds; }}\nint value_of_others() {{ return limits[chosen].others; }}\n"),
    "default member": (
        "struct Options {{ int width = 7; int rounds = {value}; int others = {other}; }};\n"
        "Options* options;\nvoid set_up() {{ options = new Options; }}\n"
        "int value_of_rounds() {{ return options->rounds; }}\nint value_of_others() {{ return options->others; }}\n"),
    "stored by an initialiser": (
        "struct Options {{ int rounds, others; }};\nOptions options;\n"
        "void set_up() {{ options.rounds = {value}; options.others = {other}; }}\n"
        "int value_of_rounds() {{ return options.rounds; }}\nint value_of_others() {{ return options.others; }}\n"),
    "text that is parsed": (
        "#include <cstdlib>\n#include <cstring>\n"
        "const char* text = \"width=7 rounds={value} others={other} depth=2\";\nint rounds, others;\n"
        "int parsed(const char* name) {{ return std::atoi(std::strstr(text, name) + std::strlen(name)); }}\n"
        "void set_up() {{ rounds = parsed(\"rounds=\"); others = parsed(\"others=\"); }}\n"
        "int value_of_rounds() {{ return rounds; }}\nint value_of_others() {{ return others; }}\n"),
    "map": (
        "#include <map>\n#include <string>\n"
        "std::map<std::string, int> defaults = {{{{\"width\", 7}}, {{\"rounds\", {value}}}, {{\"others\", {other}}}}};\n"
        "int rounds, others;\nvoid set_up() {{ rounds = defaults[\"rounds\"]; others = defaults[\"others\"]; }}\n"
        "int value_of_rounds() {{ return rounds; }}\nint value_of_others() {{ return others; }}\n"),
    "constructor of a global object": (
        "struct Options {{ Options(); int rounds, others; }};\n"
        "Options::Options() : rounds({value}), others({other}) {{}}\nOptions options;\n"
        "int value_of_rounds() {{ return options.rounds; }}\nint value_of_others() {{ return options.others; }}\n"),
}

# How unchanged code loops by it: values at base and head, calls of step at the base, text.
READERS = {
    "count": (4, 12, 4, "  for (int i = 0; i < limit; ++i) x = step(x, i);\n"),
    "stride": (16, 5, 6, "  for (int i = 0; i < 96; i += limit) x = step(x, i);\n"),
    "mask": (15, 3, 4, "  for (int i = 0; i < 64; ++i) {\n    if ((i & limit) == 0) x = step(x, i);\n  }\n"),
    "threshold": (12, 40, 5, "  for (int total = 0; total < limit; total += 1 + (x & 3)) x = step(x, total);\n"),
    "batch": (32, 6, 1, "  static int pending;\n  if (++pending % limit == 0) {\n    for (int i = 0; i < 32; ++i) x = step(x, i);\n  }\n"),
    "depth": (2, 4, 7, "  x = descend(x, limit);\n"),
    "no calls": (8, 24, 0, "  for (int i = 0; i < limit * weight; ++i) x = x * 6364136223846793005ul + (x >> 33);\n"),
    "container": (5, 15, 5, "  std::vector<unsigned long> made(limit, x);\n  for (unsigned long& one : made) x ^= one = step(x, 1);\n"),
}

READER = """#include <vector>
int value_of_rounds();
unsigned long step(unsigned long x, int i);
extern const int weight;
unsigned long descend(unsigned long x, int depth) {{
  x = step(x, depth);
  if (depth == 0) return x;
  x = descend(x, depth - 1);
  return descend(x, depth - 1);
}}
unsigned long run_reader(unsigned long x) {{
  const int limit = {limit};
{loop}  return x;
}}
"""

STEP = """extern const int weight;
const int weight = {weight};
unsigned long step(unsigned long x, int i) {{
  for (int k = 0; k < weight; ++k) x = x * 6364136223846793005ul + (x >> 33) + i;
  return x;
}}
"""


class Case:
    def __init__(self, seed):
        self.holder = list(HOLDERS)[seed % len(HOLDERS)]
        self.reader = list(READERS)[(seed + seed // len(HOLDERS) * 3) % len(READERS)]
        self.before, self.after, steps, self.loop = READERS[self.reader]
        around = random_programs.draw(3000 + seed, True)
        _, below = around.costs()
        around.iterations *= 4  # some tenths of a second
        self.is_clamped = random.Random(f"data {seed}").random() < 0.5  # the value of the twin
        weight = max(2, round(READER_SHARE * below[0] / (steps or self.before)))
        self.sources = {**around.sources(), "step.cc": STEP.format(weight=weight), **self.settings(self.before, 7)}
        self.sources["main.cc"] = _with_reader(self.sources["main.cc"], "set_up" in HOLDERS[self.holder])
        self.name = f"data-{seed:02d}"
        self.base = small_programs.program(self.name, self.sources, [around.iterations])

    def settings(self, value, other, limit="value_of_rounds()"):
        return {"settings.cc": HOLDERS[self.holder].format(value=value, other=other),
                "reader.cc": READER.format(limit=limit, loop=self.loop)}

    def twin(self):
        """The sources of both sides of the twin: another value that no loop reads, or one beyond a limit."""
        if not self.is_clamped:
            return self.sources, {**self.sources, **self.settings(self.before, 9)}
        limit = f"value_of_rounds() < 64 ? value_of_rounds() : {self.before}"
        return tuple({**self.sources, **self.settings(value, 7, limit)} for value in (100, 200))


def _with_reader(main, has_set_up):
    main = main.replace("static State state;", "static State state;\nunsigned long run_reader(unsigned long x);\nint value_of_others();\nvoid set_up();")
    main = main.replace("; ++i) x += ", "; ++i) x += run_reader(x + i) + ")
    first = "  set_up();\n" if has_set_up else ""
    return main.replace("  unsigned long x = 1;\n", f"{first}  unsigned long x = value_of_others() > 1000 ? 2 : 1;\n")


def measure(judge, runtime, only, quick, report, seeds=SEEDS):
    rows = []
    for seed in list(seeds)[:4] if quick else seeds:
        case = Case(seed)
        changed = {**case.sources, **case.settings(case.after, 7)}
        before, after = case.twin()
        twin_base = small_programs.program(f"{case.name}-twin", before, case.base.arguments)
        row = {"case": case, "change": small_programs.true_change(case.base, changed)[1],
               "regression": small_programs.Comparison(judge, runtime, case.base, changed, case.name, 1),
               "twin": small_programs.Comparison(judge, runtime, twin_base, after, f"{case.name}-twin", 1)}
        rows.append(row)
        print(line_of(row), flush=True)
    report("| data regressions | alarmed | on the rerun list | denied | twins | silent |")
    report("|---|---|---|---|---|---|")
    outcomes = [outcome(r["regression"]) for r in rows]
    report(f"| {len(rows)} | {outcomes.count('alarm')} | {outcomes.count('rerun')} | {outcomes.count('denied')} | {len(rows)} | "
           f"{sum(outcome(r['twin']) == 'denied' for r in rows)} |")
    for r in rows:
        if outcome(r["regression"]) == "denied" or outcome(r["twin"]) != "denied":
            wrong = r["regression"] if outcome(r["regression"]) == "denied" else r["twin"]
            report(f"- {line_of(r)}\n  `{wrong.command()}`")


def outcome(comparison):
    if any(f["verdict"] in ("regressed", "new") for f in comparison.alarms):
        return "alarm"
    return "rerun" if comparison.document["reruns"] else "denied"


def line_of(row):
    case = row["case"]
    first = [small_programs.describe(r.document["findings"][0]) if r.document["findings"] else None for r in (row["regression"], row["twin"])]
    return (f"{case.name} ({case.holder}, {case.reader}): CPU {row['change']:+.0%}, {outcome(row['regression'])}: {first[0]}; twin "
            f"({'beyond a limit' if case.is_clamped else 'another value'}) {outcome(row['twin'])}: {first[1]}")
