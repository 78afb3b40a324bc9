"""Refactorings by rule of real programs: no alarm.

Functions are renamed, moved within their file and to another, reordered, given a parameter,
inlined by hand, and statements are taken out into functions, where a seeded draw says
(mutations/moves.py). An alarm is a material finding regressed, improved, new or vanished.
Even seeds were looked at while the engine was made; odd ones are only reported.
"""

import collections

import mutations
import programs
from judge import ALARMS
from mutations import cases, moves

SEEDS = range(4)
LEAST = 0.005  # of the program's time, of a function that takes part


def measure(judge, runtime, only, quick, report, seeds=SEEDS):
    rows, tally = [], collections.defaultdict(collections.Counter)
    for name, program in programs.all_programs(only).items():
        base = cases.Base(judge, program, runtime)
        for seed, case in cases.cases_of(base, lambda base=base: mutations.places_of(base, moves.RULES, LEAST, lambda base, mutation: True),
                                         seeds[:2] if quick else seeds,
                                         lambda case: "", "moved", tally[name]):
            document = case.document()
            alarms = [f for f in document["findings"] if f["verdict"] in ALARMS]
            lines, seconds = case.text()
            row = {"case": case, "name": name, "seed": seed, "alarms": [f for f in alarms if f["material"]],
                   "small": [f for f in alarms if not f["material"]], "lines": lines, "seconds": seconds,
                   "shifted": sum(f["verdict"] == "shifted" for f in document["findings"])}
            rows.append(row)
            print(line_of(row), flush=True)
    table(rows, tally, report)


def line_of(row):
    case = row["case"]
    return (f"{case.label} ({case.mutation.rule}: {case.mutation.function} {case.mutation.what}, {case.mutation.file}, calls reckoned "
            f"{case.share:+.2%}): {len(row['alarms'])} alarms, {len(row['small'])} small changes, {row['shifted']} shifted, {row['lines']} lines")


def table(rows, tally, report):
    report("| programs | seeds | refactorings | with an alarm | with any small change | most lines of a report, over 25 | most processor seconds of a report |")
    report("|---|---|---|---|---|---|---|")
    for group, names in (("tuned", programs.TUNED), ("untuned", programs.UNTUNED), ("all", programs.ALL)):
        for parity, odd in (("even", 0), ("odd", 1), ("all", None)):
            of_it = [r for r in rows if r["name"] in names and odd in (None, r["seed"] % 2)]
            if of_it:
                report(f"| {group} | {parity} | {len(of_it)} | {sum(bool(r['alarms']) for r in of_it)} | "
                       f"{sum(bool(r['small']) for r in of_it)} | {max(r['lines'] for r in of_it)}, {sum(r['lines'] > 25 for r in of_it)} | "
                       f"{max(r['seconds'] for r in of_it):.2f} |")
    report("\n| rule | cases | with an alarm |\n|---|---|---|")
    for rule in sorted({r["case"].mutation.rule for r in rows}):
        of_it = [r for r in rows if r["case"].mutation.rule == rule]
        report(f"| {rule} | {len(of_it)} | {sum(bool(r['alarms']) for r in of_it)} |")
    report("\n" + mutations.drawn(tally))
    for r in rows:
        if r["alarms"]:
            report(f"- {line_of(r)}\n  `{r['case'].command()}`")
            for f in r["alarms"][:3]:
                report(f"  - {mutations.describe(f)}")
