"""Pure refactorings: no alarm, and named as what they are.

An alarm is a material finding regressed, improved, new or vanished; the others of
these are counted, too. A refactoring is
named if a finding `shifted` is about a function that took part; one after which
these are called, and call, as before needs no naming.
"""

import patches
import programs
from judge import ALARMS, named, plain

RUNS = 3


def arcs_about(arcs, patch):
    names = patch.fields["names"]
    return {arc: count for arc, count in arcs.items() if named(arc[0], names) or named(arc[1], names)}


def measure(judge, runtime, only, quick, report):
    rows = []
    for name, program in programs.all_programs(only).items():
        binary = programs.build(program, program.sources, runtime)
        refactorings = patches.read(programs.HERE / f"changes/{name}-refactorings.txt", name)
        for patch in refactorings[:2] if quick else refactorings:
            head_binary = programs.build(program, patch.apply(program.sources)[0], runtime)
            if head_binary == binary:
                raise SystemExit(f"{patch.name} changes nothing in the program")
            base, head = programs.in_turns(program, [(binary, RUNS, f"-{patch.name}", {}), (head_binary, RUNS, "-turns", {})])
            changes = arcs_about(judge.listing(binary, base[0])[1], patch) != arcs_about(judge.listing(head_binary, head[0])[1], patch)
            document = judge.compare(base, head, patch.name)
            alarms = [f for f in document["findings"] if f["verdict"] in ALARMS]
            material = [f for f in alarms if f["material"]]
            shifted = [f for f in document["findings"] if f["verdict"] == "shifted"]
            is_named = any(named(f["function"], patch.fields["names"]) or named(f["caller"], patch.fields["names"])
                           for f in shifted)
            is_named = is_named or not (changes or material)
            rows.append((patch, material, alarms, shifted, is_named, " ".join(judge.command(base, head, patch.name))))
            print(f"{patch.name}: {len(material)} material alarms of {len(alarms)}, {len(shifted)} shifted, named {is_named}",
                  flush=True)
    report("| program | refactorings | without a material alarm | without any alarm | named as shifted, or nothing to name |")
    report("|---|---|---|---|---|")
    for group in sorted({r[0].program for r in rows}) + [""]:
        of_it = [r for r in rows if r[0].program.startswith(group)]
        report(f"| {group or 'all'} | {len(of_it)} | {sum(not r[1] for r in of_it)} | {sum(not r[2] for r in of_it)} | "
               f"{sum(r[4] for r in of_it)} |")
    for patch, material, alarms, shifted, is_named, command in rows:
        if alarms or not is_named:
            report(f"- {patch.name} ({patch.fields['kind']}): {len(material)} material alarms of {len(alarms)}, "
                   f"named {is_named} ({len(shifted)} shifted)\n  `{command}`")
            for f in (material or alarms)[:4]:
                report(f"  - {f['verdict']} {f['metric']} {plain(f['function'])} from {plain(f['caller'])} "
                       f"{f['before']:.6g} → {f['after']:.6g}, impact {f['impact'] or 0:.2%}")
