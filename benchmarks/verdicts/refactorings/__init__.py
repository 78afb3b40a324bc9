"""Refactorings by rule: random C++ programs, each step of refactorings/steps.py on them.

The open cases are each step on a few programs, and one to three steps on programs of their
own. The blind ones are drawn likewise; the rules were never tuned to them, and the report
names them by number only. A third of all cases have a twin with a true regression beside the
refactoring: it must be the first finding.

An alarm is a material finding regressed, improved, new or vanished.
"""

import random
import types

import programs
from judge import ALARMS, named, plain
from refactorings import random_programs, steps

RUNS = 3
OPEN_SEEDS, MIXED_SEEDS, BLIND_SEEDS = (1, 2, 3, 4, 5), range(2000, 2040), range(1000, 1040)
WAYS = [("g++", "-O2"), ("clang++", "-O2"), ("g++", "-O0"), ("clang++", "-O0")]


def buildable(program, way):
    compiler, level = way
    return types.SimpleNamespace(
        name=f"refactorings-{program.name}-{compiler}{level}", compiler=compiler, options=[level, "-w"], libraries=[],
        units=[f for f in program.sources() if f.endswith(".cc")], arguments=[str(program.iterations)])


def build(program, way, runtime):
    made = buildable(program, way)
    return programs.build(made, program.sources(), runtime)


def printed(binary):
    return programs.quiet(["env", "GPROFHUB_GMON=0", "GPROFHUB_PROFILE_DIR=/nonexistent", binary, "20"])


class Case:
    def __init__(self, group, number, seed, chosen, way):
        self.group, self.name = group, f"{group}-{number:02d}"
        self.is_blind, self.way, self.chosen = group == "blind", way, chosen
        self.base = random_programs.draw(seed, way[1] != "-O0")
        draw = random.Random(f"case {self.name}")
        self.head, self.part = self.base.copy(), set()
        self.done = []
        for step in chosen:
            part = step(draw, self.head)
            if part is not None:
                self.part |= part
                self.done.append(step.__name__)
        self.planted = self.truth = None
        if number % 3 == 0:
            self.planted = self.head.copy()
            self.truth = steps.plant(draw, self.planted, self.part)
        self.kind = "blind" if self.is_blind else "+".join(self.done)


def open_cases():
    pairs = [(seed, step) for seed in OPEN_SEEDS for step in steps.STEPS]
    singles = [Case("open", i, seed, [step], WAYS[(i + i // len(steps.STEPS)) % 4]) for i, (seed, step) in enumerate(pairs)]
    return singles + mixed_cases("open", MIXED_SEEDS, len(singles))


def blind_cases():
    return mixed_cases("blind", BLIND_SEEDS, 0)


def drawn_cases(seeds):
    """Of other seeds than those above, each numbered by its seed. Optimised, which is harder to see through."""
    return mixed_cases("drawn", seeds, seeds[0], WAYS[:2])


def mixed_cases(group, seeds, first, ways=WAYS):
    cases = []
    for i, seed in enumerate(seeds):
        draw = random.Random(f"blind {seed}")
        cases.append(Case(group, first + i, seed, draw.sample(steps.STEPS, draw.randint(1, 3)), draw.choice(ways)))
    return cases


def compare(judge, case, changed, runtime, suffix):
    binaries = [build(program, case.way, runtime) for program in (case.base, changed)]
    base, head = programs.in_turns(buildable(case.base, case.way),
                                   [(binaries[0], RUNS, f"-{case.name}{suffix}", {}), (binaries[1], RUNS, f"-{case.name}{suffix}", {})])
    name = f"refactorings-{case.name}{suffix}"
    return binaries, judge.compare(base, head, name), " ".join(judge.command(base, head, name))


def describe(f):
    return (f"{f['verdict']} {f['metric']} {plain(f['function'])} from {plain(f['caller'])} "
            f"{f['before']:.6g} → {f['after']:.6g}, impact {f['impact'] or 0:.2%}")


def is_planted(finding, truth):
    """A caller that was inlined is named by the place of its call."""
    caller, callee, file = truth
    return (finding["verdict"] in ("regressed", "new") and named(finding["function"], callee) and
            (not finding["caller"] or named(finding["caller"], caller) or finding["site"]["file"].endswith(file)))


def judge_case(judge, case, runtime):
    row = {"case": case, "alarms": [], "first": None}
    binaries, document, row["command"] = compare(judge, case, case.head, runtime, "")
    if printed(binaries[0]) != printed(binaries[1]):
        raise SystemExit(f"{case.name} ({case.kind}) is no refactoring: it prints something else")
    row["alarms"] = [f for f in document["findings"] if f["verdict"] in ALARMS and f["material"]]
    row["small"] = [f for f in document["findings"] if f["verdict"] in ALARMS and not f["material"]]
    if case.truth:
        _, document, row["planted"] = compare(judge, case, case.planted, runtime, "-planted")
        first = document["findings"][0] if document["findings"] else None
        row["first"] = bool(first) and is_planted(first, case.truth)
        row["top"] = describe(first) if first else None
    return row


def measure(judge, runtime, only, quick, report, seeds=None):
    cases = [case for case in (drawn_cases(seeds) if seeds else open_cases() + blind_cases()) if case.done]
    rows = []
    for case in cases[::9] if quick else cases:
        row = judge_case(judge, case, runtime)
        rows.append(row)
        print(f"{case.name} {case.way} {case.kind}: {len(row['alarms'])} alarms, {len(row['small'])} small, "
              f"planted first {row['first']}", flush=True)
    report("| cases | refactorings | with an alarm | with any small change | planted beside | found first |")
    report("|---|---|---|---|---|---|")
    for group in dict.fromkeys(case.group for case in cases):
        of_it = [r for r in rows if r["case"].group == group]
        planted = [r for r in of_it if r["first"] is not None]
        report(f"| {group} | {len(of_it)} | {sum(bool(r['alarms']) for r in of_it)} | {sum(bool(r['small']) for r in of_it)} | "
               f"{len(planted)} | {sum(r['first'] for r in planted)} |")
    for r in rows:
        if r["alarms"]:
            report(f"- {r['case'].name} ({r['case'].kind}, {' '.join(r['case'].way)}): {len(r['alarms'])} alarms\n  `{r['command']}`")
            if not r["case"].is_blind:
                for f in r["alarms"][:4]:
                    report(f"  - {describe(f)}")
        if r["first"] is False:
            report(f"- {r['case'].name} ({r['case'].kind}): planted {r['case'].truth} is not first, {r['top']} is\n  `{r['planted']}`")
