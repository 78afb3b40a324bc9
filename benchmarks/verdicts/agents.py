"""Regressions as a coding agent meets them: all that is read is `explain --format=json`.

The agent takes the first finding of a comparison, asks for its explanation, and edits one function at
one line. The function is the one that makes the call, or the edited one that the finding names where
its caller was not edited; the line is that of the finding. Right are the function that was edited, and
a line within NEAR of the edit.

Cases: the injections by hand of `counts`, and the regressions by rule of `mutations` at seeds that no
rule was chosen on.
"""

import collections
import itertools

import counts
import mutations
import programs
from judge import named, plain, where
from mutations import cases
from mutations.source import canonical

BLIND_SEEDS = range(10, 13)


def answer(explanation):
    """The function that the agent edits, and the line."""
    finding = explanation["finding"]
    function = finding["caller"] or finding["function"]
    if finding["edited"] and function not in finding["edited"]:
        function = finding["edited"][0]
    return function, where(finding)


def injected(judge, runtime, only, quick):
    """Those of `counts` that are material: (set, name, right function?, right line?, what was said)."""
    for patch, site, (_, base), (_, head), share in counts.injected(judge, runtime, [p for p in only if p in programs.TUNED], quick):
        if share < counts.MATERIAL:
            continue
        said = judge.explain_first(base, head, patch.name)
        function, line = answer(said) if said else ("", ("", 0))
        yield ("by hand", patch.name, named(function, patch.fields["caller"]), site is None or counts.near(line, site),
               f"{plain(function)} at {line}, edited {patch.fields['caller']} at {site}")


def drawn(judge, runtime, only, quick, seeds):
    """Those of `mutations`, of programs that compile in a minute."""
    for name, program in programs.all_programs([p for p in only if p != "sqlite"]).items():
        base = cases.Base(judge, program, runtime)
        for _, case in mutations.regressions(base, seeds[:1] if quick else seeds, collections.Counter()):
            said = judge.explain_first(base.runs, case.runs, case.label)
            function, (file, line) = answer(said) if said else ("", ("", 0))
            in_file = file == case.mutation.file.split("/")[-1]
            # Where the edited function was inlined, the function that has its lines now.
            right = canonical(function) == case.mutation.function or in_file and case.span[0] <= line <= case.span[1]
            near = in_file and case.site[0] - counts.NEAR <= line <= case.site[1] + counts.NEAR
            yield ("by rule, blind", case.label, right, near,
                   f"{canonical(function)} at {file}:{line}, edited {case.mutation.function} at {case.mutation.file}:{case.site[0]}")


def measure(judge, runtime, only, quick, report, seeds=BLIND_SEEDS):
    rows = []
    for row in itertools.chain(injected(judge, runtime, only, quick), drawn(judge, runtime, only, quick, seeds)):
        rows.append(row)
        print(f"{row[1]}: function {row[2]}, line {row[3]}: {row[4]}", flush=True)
    report("| regressions | cases | the edited function | its line | both |")
    report("|---|---:|---:|---:|---:|")
    for group in ("by hand", "by rule, blind"):
        of_it = [r for r in rows if r[0] == group]
        report(f"| {group} | {len(of_it)} | {sum(r[2] for r in of_it)} | {sum(r[3] for r in of_it)} | {sum(r[2] and r[3] for r in of_it)} |")
    for _, name, function, line, said in rows:
        if not (function and line):
            report(f"- {name}: {said}")
