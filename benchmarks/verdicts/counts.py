"""Injected count regressions: are they found, ranked first, and placed right?

What is true of each is known: the function, the caller, the line of the call. How
much it matters is reckoned from the counts and from what a call cost in many runs
of the base, not from the verdict: the sum over all functions of the calls added,
each at the self time per call that its function had, as a share of the program's
time. A change of at least MATERIAL of that is material.
"""

import patches
import programs
from judge import named, plain, where

MATERIAL = 0.005
NEAR = 3
BASE_RUNS, HEAD_RUNS = 5, 2


def costs(judge, binary, runs):
    """Self seconds per call of each function, and CPU seconds per run, those in libraries too."""
    calls, seconds = {}, {}
    for run in runs:
        functions, _ = judge.listing(binary, run)
        for name, (count, own) in functions.items():
            calls[name] = calls.get(name, 0) + count
            seconds[name] = seconds.get(name, 0.0) + own
    mean = sum(seconds.values()) / max(1, sum(calls.values()))
    # A function without a sample still costs something: that of a tenth of one.
    price = {name: max(seconds[name], 1e-4) / n for name, n in calls.items() if n}
    side = judge.compare(runs, runs, f"{binary.parent.parent.name}-itself")["compared"]["base"]
    return price, mean, side["total_seconds"] / side["executions"]


def share_added(judge, binary, base, head_binary, head, price, mean, total):
    before, _ = judge.listing(binary, base[0])
    after, _ = judge.listing(head_binary, head[0])
    added = 0.0
    for name, (count, _) in after.items():
        added += (count - before.get(name, (0, 0))[0]) * price.get(name, mean)
    for name, (count, _) in before.items():
        if name not in after:
            added -= count * price.get(name, mean)
    return added / total


def verdict_on(document, truth, site):
    """What the document says of one injection."""
    function, caller = truth["function"], truth["caller"]
    findings = document["findings"]
    of_it = [f for f in findings if f["metric"] == "calls" and f["verdict"] in ("regressed", "new")
             and named(f["function"], function)]
    arcs = [f for f in of_it if f["caller"] and named(f["caller"], caller)]
    first = findings[0] if findings else None
    return {
        "found": bool(of_it),
        "first": bool(first) and first in of_it and (first["caller"] is None or named(first["caller"], caller)),
        "line": site is None or any(where(f) == (site[0].split("/")[-1], site[1]) for f in arcs[:1]),
        "near": site is None or any(near(where(f), site) for f in arcs[:1]),
        "lines": [where(f) for f in arcs],
        "top": (first["verdict"], plain(first["function"]), plain(first["caller"])) if first else None,
        "rank": next((i for i, f in enumerate(findings) if f in arcs), None),
    }


def near(at, site):
    """Within the lines that the injection changed: which of two equal calls, one
    under the other, is the added one cannot be known without the patch."""
    return at[0] == site[0].split("/")[-1] and abs(at[1] - site[1]) <= NEAR


def injected(judge, runtime, only, quick):
    """Each injection with what it changed: (patch, site, (base's binary, runs), (head's), share of the time added)."""
    for name, program in programs.all_programs(only).items():
        binary = programs.build(program, program.sources, runtime)
        base = programs.runs_of(program, binary, BASE_RUNS)
        pricing = costs(judge, binary, base)
        injections = patches.read(programs.HERE / f"changes/{name}-regressions.txt", name)
        for patch in injections[:4] if quick else injections:
            sources, site = patch.apply(program.sources)
            head_binary = programs.build(program, sources, runtime)
            head = programs.runs_of(program, head_binary, HEAD_RUNS)
            share = share_added(judge, binary, base, head_binary, head, *pricing)
            yield patch, site, (binary, base), (head_binary, head), share


def measure(judge, runtime, only, quick, report):
    rows = []
    for patch, site, (binary, base), (head_binary, head), share in injected(judge, runtime, only, quick):
        before, after = judge.listing(binary, base[0])[1], judge.listing(head_binary, head[0])[1]
        truth = patch.fields
        added = sum(count - before.get(arc, 0) for arc, count in after.items()
                    if named(arc[1], truth["function"]) and named(arc[0], truth["caller"]))
        document = judge.compare(base, head, patch.name)
        row = {"name": patch.name, "truth": truth, "site": site, "added": added, "share": share,
               "material": share >= MATERIAL, **verdict_on(document, truth, site),
               "command": " ".join(judge.command(base, head, patch.name))}
        rows.append(row)
        print(f"{patch.name}: +{added} calls, {share:+.1%}, found {row['found']}, first {row['first']}, "
              f"line {row['line']}, top {row['top']}", flush=True)
        if added <= 0:
            print(f"  NOT AN INJECTION: {truth['caller']} does not call {truth['function']} more often")
    table(rows, report)


def table(rows, report):
    report("| program | injected | material | found (material) | cause first | line among the changed | the very line | found (all) |")
    report("|---|---|---|---|---|---|---|---|")
    groups = sorted({r["name"].split("-")[0] for r in rows}) + [""]
    for group in groups:
        of_it = [r for r in rows if r["name"].startswith(group)]
        material = [r for r in of_it if r["material"]]
        report(f"| {group or 'all'} | {len(of_it)} | {len(material)} | {sum(r['found'] for r in material)} | "
               f"{sum(r['first'] for r in material)} | {sum(r['near'] for r in material)} | {sum(r['line'] for r in material)} | "
               f"{sum(r['found'] for r in of_it)} |")
    for r in rows:
        if not (r["found"] and r["first"] and r["near"]):
            wrong = [w for w in ("found", "first", "near") if not r[w]]
            report(f"- {'material' if r['material'] else 'small'} ({r['share']:+.2%} of CPU): not {', '.join(wrong)}: "
                   f"{r['name']}: {r['truth']['caller']} → {r['truth']['function']} at {r['site']}, {r['added']} calls more; "
                   f"first is {r['top']}, arc has rank {r['rank']}, its lines {r['lines'][:3]}\n  `{r['command']}`")
