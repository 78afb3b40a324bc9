"""Count regressions by rule: the source is mutated where a seeded draw says.

Nobody chose these cases: rules know only the syntax tree (mutations/repeats.py), and a mutated
program that prints the same and does at least MATERIAL more work, reckoned from counts, is a
case. Even seeds were looked at while the engine was made; odd ones are only reported.

What must be said of a case: a finding of an arc out of the edited function that rose, it comes
first, and it names a line of what was edited. A function that was inlined is known by its lines.
"""

import collections

import programs
from counts import MATERIAL, NEAR
from judge import ALARMS, where
from mutations import cases, repeats
from mutations.source import canonical, read_units

SEEDS = range(4)


def places_of(base, rules, least, is_wanted):
    """{rule: mutations} in functions that ran, with at least a share `least` of the time."""
    found = collections.defaultdict(list)
    for unit in read_units(base.program):
        for f in unit.functions:
            if base.functions.get(f.linkage, 0) and base.shares.get(f.linkage, 0.0) >= least and f.read().body:
                for rule in rules:
                    for mutation in rule(f):
                        if is_wanted(base, mutation):
                            found[mutation.rule].append(mutation)
    return found


def may_matter(base, mutation):
    """Whether the place ran, and the edited function makes calls that could become material there."""
    lines = base.lines.get(mutation.file, {})
    ran = lines.get(mutation.ran, 1)
    if not ran or mutation.more and mutation.more != mutation.ran and lines.get(mutation.more, ran + 1) <= ran:
        return False
    share = 0.0
    for (caller, callee), calls in base.arcs.items():
        if caller == mutation.function and (not mutation.callees or callee in mutation.callees):
            if mutation.is_one_call:
                calls = min(calls, lines.get(mutation.ran, calls))
            share += base.shares.get(callee, 0.0) * calls / base.incoming[callee]
    return share >= MATERIAL / 2


def is_regression(case):
    if not case.risen:
        return "change no call"
    if case.share < MATERIAL:
        return "add less than 0.5%"
    # With varying threads it is true only if another run confirms it.
    return "" if case.has_risen_again() else "change no call"


def is_told(finding, case, at_site=False):
    """Whether a finding tells of calls out of the edited function."""
    if finding["metric"] != "calls" or finding["verdict"] not in ("regressed", "new") or not finding["caller"]:
        return False
    file, line = where(finding)
    in_file = file == case.mutation.file.split("/")[-1]
    if at_site:
        return in_file and case.site[0] - NEAR <= line <= case.site[1] + NEAR
    callee, caller = canonical(finding["function"]), canonical(finding["caller"])
    return ((caller == case.mutation.function and any(arc == (caller, callee) for arc in case.risen)) or
            (in_file and case.span[0] <= line <= case.span[1]))


def verdict_on(case):
    document = case.document()
    findings = document["findings"]
    told = [f for f in findings if is_told(f, case)]
    first = findings[0] if findings else None
    # Side effects of the change: folded under a finding, or in its row; or with a row of its own in
    # the report.
    folding = {name for f in findings for name in f["follows"]}
    material = [f for f in findings if f["material"] and f["verdict"] in ALARMS and f not in told]
    folded = {f["function"] for f in material if f["function"] in folding and f["caller"] is None and f["metric"] == "calls"}
    others = [f for f in material if not f["explained"] and (f["caller"] or f["metric"] != "calls")]
    rows = {row_of(f) for f in told}
    apart = [f for f in others if row_of(f) not in rows]
    folded |= {f["function"] for f in others if row_of(f) in rows}
    lines, seconds = case.text()
    return {"found": bool(told), "first": bool(told) and first is told[0], "line": bool(told) and is_told(told[0], case, at_site=True),
            "matters": any(f["material"] for f in told),
            "followers": len(folded) + len(apart), "folded": len(folded), "lines": lines, "seconds": seconds,
            "top": describe(first) if first else "nothing", "rank": findings.index(told[0]) if told else None}


def row_of(finding):
    """Findings of one cause are one row of the comment."""
    return finding["cause"] or finding["id"]


def describe(f):
    return (f"{f['verdict']} {f['metric']} {canonical(f['function'])} from {canonical(f['caller'])} "
            f"{f['before']:.6g} → {f['after']:.6g}, impact {f['impact'] or 0:.2%}, {':'.join(map(str, where(f)))}")


def regressions(base, seeds, tally):
    """The cases of these seeds: (seed, case)."""
    return cases.cases_of(base, lambda: places_of(base, repeats.RULES, MATERIAL, may_matter), seeds, is_regression, "mutated", tally)


def measure(judge, runtime, only, quick, report, seeds=SEEDS):
    rows, tally = [], collections.defaultdict(collections.Counter)
    for name, program in programs.all_programs(only).items():
        base = cases.Base(judge, program, runtime)
        for seed, case in regressions(base, seeds[:2] if quick else seeds, tally[name]):
            row = {"case": case, "name": name, "seed": seed, **verdict_on(case)}
            rows.append(row)
            print(line_of(row), flush=True)
    table(rows, tally, report)


def line_of(row):
    case = row["case"]
    missed = [w for w in ("found", "matters", "first", "line") if not row[w]]
    return (f"{case.label} ({case.mutation.rule} in {case.mutation.function}, {case.mutation.file}:{case.site[0]}-{case.site[1]}, "
            f"{case.share:+.1%}): {'not ' + ', '.join(missed) if missed else 'right'}; rank {row['rank']}, first is {row['top']}, "
            f"{row['folded']} of {row['followers']} followers folded, {row['lines']} lines")


def table(rows, tally, report):
    report("| programs | seeds | cases | found | said to matter | cause first | line | followers folded | most lines of a report, over 25 | most processor seconds of a report |")
    report("|---|---|---|---|---|---|---|---|---|---|")
    for group, names in (("tuned", programs.TUNED), ("untuned", programs.UNTUNED), ("all", programs.ALL)):
        for parity, odd in (("even", 0), ("odd", 1), ("all", None)):
            of_it = [r for r in rows if r["name"] in names and odd in (None, r["seed"] % 2)]
            if of_it:
                report(f"| {group} | {parity} | {len(of_it)} | {sum(r['found'] for r in of_it)} | {sum(r['matters'] for r in of_it)} | {sum(r['first'] for r in of_it)} | "
                       f"{sum(r['line'] for r in of_it)} | {sum(r['folded'] for r in of_it)} of {sum(r['followers'] for r in of_it)} | {max(r['lines'] for r in of_it)}, "
                       f"{sum(r['lines'] > 25 for r in of_it)} | {max(r['seconds'] for r in of_it):.2f} |")
    report("\n| rule | cases | right |\n|---|---|---|")
    for rule in sorted({r["case"].mutation.rule for r in rows}):
        of_it = [r for r in rows if r["case"].mutation.rule == rule]
        report(f"| {rule} | {len(of_it)} | {sum(r['found'] and r['first'] and r['line'] for r in of_it)} |")
    report("\n" + drawn(tally))
    for r in rows:
        if not (r["matters"] and r["first"] and r["line"]):
            report(f"- {line_of(r)}\n  `{r['case'].command()}`")


def drawn(tally):
    """What became of all that was drawn; `tally` is {program: {why it is no case: how many}}."""
    total = sum(tally.values(), collections.Counter())
    return "Drawn: " + ", ".join(f"{number} {why or 'are cases'}" for why, number in total.most_common()) + ".\n"
