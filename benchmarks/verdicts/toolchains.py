"""The same sources by another toolchain: no alarm of a function, and the toolchain is named.

Real programs and random ones (refactorings/), each compiled in two ways, three runs each. A twin of
some random ones has a true regression beside the toolchain: it must be among what is named beside
it.
"""

import random
import types

import programs
import refactorings
from judge import ALARMS, named
from refactorings import random_programs, steps

RUNS = 3
RECORDED = "-grecord-gcc-switches"  # as bazel/gprof.bazelrc has it
# name, (compiler, options) before and after
CHANGES = [
    ("O3 for O2", ("gcc", ["-O2"]), ("gcc", ["-O3"])),
    ("clang for gcc", ("gcc", ["-O2"]), ("clang", ["-O2"])),
    ("O1 for O2", ("gcc", ["-O2"]), ("gcc", ["-O1"])),
    ("O0 for O2", ("gcc", ["-O2"]), ("gcc", ["-O0"])),
    ("x86-64-v2", ("gcc", ["-O2"]), ("gcc", ["-O2", "-march=x86-64-v2"])),
    ("no inlining", ("gcc", ["-O2"]), ("gcc", ["-O2", "-fno-inline"])),
    ("clang's O3 for O2", ("clang", ["-O2"]), ("clang", ["-O3"])),
]
# Files that are not another toolchain.
NO_CHANGES = [("more debug information", ("gcc", ["-O2"]), ("gcc", ["-O2", "-g3"]))]
# Those that compile soon, by both compilers; each is built nine times. The untuned ones are the last
# four. clang refuses MiniSat.
REAL = ("cjson", "tinyxml2", "lua", "zlib", "libyaml", "tinyscheme", "jsoncpp")
SEEDS = (11, 12)


def compiler_of(program, name):
    is_c = program.compiler in ("gcc", "clang")
    return name if is_c else {"gcc": "g++", "clang": "clang++"}[name]


def with_toolchain(program, toolchain):
    compiler, options = toolchain
    own = [o for o in program.options if not o.startswith("-O")]
    changed = types.SimpleNamespace(**{**vars(program), "compiler": compiler_of(program, compiler),
                                       "options": [*own, *options, RECORDED]})
    return changed


def subjects(only):
    """(name, program, sources, sources with a regression, (caller, callee))."""
    for name, program in programs.all_programs([n for n in REAL if n in only]).items():
        yield name, program, program.sources, None, None
    for seed in SEEDS:
        drawn = random_programs.draw(seed, True)
        program = types.SimpleNamespace(**vars(refactorings.buildable(drawn, ("g++", "-O2"))))
        planted = drawn.copy()
        truth = steps.plant(random.Random(seed), planted, set())
        yield drawn.name, program, drawn.sources(), planted.sources() if truth else None, truth


def compare(judge, program, sources, changed_sources, before, after, runtime, name):
    ways = [with_toolchain(program, before), with_toolchain(program, after)]
    binaries = [programs.build(way, text, runtime) for way, text in zip(ways, (sources, changed_sources))]
    base, head = programs.in_turns(program, [(binaries[0], RUNS, f"-{name}", {}), (binaries[1], RUNS, f"-{name}-head", {})])
    return judge.compare(base, head, name), " ".join(judge.command(base, head, name))


def measure(judge, runtime, only, quick, report):
    rows = []
    for name, program, sources, planted, truth in subjects(only):
        for number, (kind, before, after) in enumerate((CHANGES + NO_CHANGES)[:3 if quick else None]):
            label = f"toolchain-{name}-{number}"
            document, command = compare(judge, program, sources, sources, before, after, runtime, label)
            alarms = [f for f in document["findings"] if f["verdict"] in ALARMS and f["material"] and not f.get("toolchain")]
            first = document["findings"][0] if document["findings"] else {}
            is_change = number < len(CHANGES)
            is_right = bool(first.get("toolchain")) == is_change
            beside = len((first.get("toolchain") or {}).get("beside", []))
            row = {"name": name, "kind": kind, "alarms": alarms, "right": is_right, "beside": beside, "command": command,
                   "first": first, "found": None}
            if planted and is_change:
                document, row["planted"] = compare(judge, program, sources, planted, before, after, runtime, label + "-planted")
                row["found"] = any(f.get("beside_toolchain") and f["verdict"] == "regressed" and named(f["function"], truth[1])
                                   for f in document["findings"])
            rows.append(row)
            print(f"{label} {kind}: {len(alarms)} alarms, named {is_right}, {first.get('function')}, beside {beside}, "
                  f"planted {row['found']}", flush=True)
    report("| change | programs | with an alarm of a function | the toolchain is named, or there is none | falsely beside it | planted beside | found |")
    report("|---|---|---|---|---|---|---|")
    groups = [(kind, lambda r, kind=kind: r["kind"] == kind) for kind, _, _ in CHANGES + NO_CHANGES]
    changes = [kind for kind, _, _ in CHANGES]
    groups += [("all, untuned programs", lambda r: r["kind"] in changes and r["name"] in programs.UNTUNED),
               ("all, others", lambda r: r["kind"] in changes and r["name"] not in programs.UNTUNED)]
    for group, is_in in groups:
        of_it = [r for r in rows if is_in(r)]
        twins = [r for r in of_it if r["found"] is not None]
        report(f"| {group} | {len(of_it)} | {sum(bool(r['alarms']) for r in of_it)} | {sum(r['right'] for r in of_it)} | "
               f"{sum(r['beside'] for r in of_it)} | {len(twins)} | {sum(r['found'] for r in twins)} |")
    for r in rows:
        if r["alarms"] or not r["right"] or r["found"] is False:
            report(f"- {r['name']}, {r['kind']}: {len(r['alarms'])} alarms, named {r['right']}, planted found {r['found']}\n"
                   f"  `{r.get('planted', r['command'])}`")
            for f in r["alarms"][:4]:
                report(f"  - {refactorings.describe(f)}")
