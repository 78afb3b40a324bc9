"""A/A of binaries that were built anew: every alarm is a false one.

The head is the base with a comment more, a local variable renamed, an unused function more,
another time of building in its data, another build directory, or its objects linked in another
order. Both are recorded with and without address randomisation, alone and beside busy
processes; comparisons have one, two and five runs a side.
"""

import contextlib
import os
import random
import subprocess
import types

import programs
from judge import ALARMS
from mutations import describe
from mutations.source import read_units
from mutations.tokens import renamed

RUNS, SEED = 5, 5
SIZES = (1, 1, 1, 1, 2, 2, 5)  # runs a side of the comparisons of one variant in one mode
EACH = 3  # variants of one program, taken in turns
# A run is this much shorter than others: there are many. On a loaded machine a server waits for its
# turn.
SHORTER = {"civetweb": 20}
MODES = [(moved_about, is_busy) for moved_about in (False, True) for is_busy in (False, True)]


def chosen_unit(program, draw):
    return draw.choice([u for u in program.units if "_workload" not in u])


def comment_added(program, draw):
    file = chosen_unit(program, draw)
    return {file: "/* Not a word of this\n   is code. */\n\n" + program.sources[file]}, {}


def local_renamed(program, draw):
    """The first local variable that has a name of its own in the largest function."""
    units = list(read_units(program))
    functions = sorted((f for u in units for f in u.functions), key=lambda f: f.start - f.end)
    for f in functions:
        if f.read().body is None:
            continue
        for variable in f.body.walk():
            if variable.kind.name == "VAR_DECL" and len(variable.name) > 2 and variable.whole:
                data, old = f.unit.data, variable.name.encode()
                if data.count(b"." + old) or data.count(b">" + old) or renamed(data[:f.start], old, b"") != data[:f.start]:
                    continue
                body = renamed(data[f.start:f.end], old, old + b"_of_old")
                text = data[:f.start] + body + data[f.end:]
                return {f.unit.file: text.decode(errors="surrogateescape")}, {}
    raise SystemExit(f"{program.name} has no local variable to rename")


def unused_function(program, draw):
    file = chosen_unit(program, draw)
    text = "\n__attribute__((used)) static int used_by_nobody(int n) { return n < 3 ? n : used_by_nobody(n - 1) + n; }\n"
    return {file: program.sources[file] + text}, {}


def built_later(program, draw):
    file = chosen_unit(program, draw)
    return {file: program.sources[file] + '\n__attribute__((used)) static const char built_at_[] = "Nov 23 2026, 12:34:56";\n'}, {}


def another_directory(program, draw):
    return {}, {"place": f"/home/builder/{draw.randrange(10 ** 9)}/checkout"}


def other_link_order(program, draw):
    units = list(program.units)
    while units == program.units and len(units) > 1:
        draw.shuffle(units)
    return {}, {"units": units}


VARIANTS = (comment_added, local_renamed, unused_function, built_later, another_directory, other_link_order)


@contextlib.contextmanager
def busy(is_busy):
    """As many busy processes as there are processors, meanwhile; they end with this one, however it ends."""
    spinning = [subprocess.Popen(["nice", "-n", "10", "sh", "-c", "while kill -0 $PPID; do :; done"]) for _ in range(os.cpu_count() if is_busy else 0)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def variant_of(program, make, runtime):
    sources, changes = make(program, random.Random(f"{program.name} {make.__name__}"))
    way = types.SimpleNamespace(**{**vars(program), "units": changes.get("units", program.units)})
    return programs.build(way, {**program.sources, **sources}, runtime, place=changes.get("place", "."))


def measure(judge, runtime, only, quick, report):
    rows = []
    for name, program in programs.all_programs(only).items():
        binary = programs.build(program, program.sources, runtime)
        draw = random.Random(f"{name} {SEED}")
        arguments = program.arguments[:-1] + [str(max(1, int(program.arguments[-1]) // SHORTER.get(name, 3)))]
        first = programs.ALL.index(name)
        for number, make in enumerate([VARIANTS[(first + 2 * i) % len(VARIANTS)] for i in range(1 if quick else EACH)]):
            head_binary = variant_of(program, make, runtime)
            for mode in ((first + number) % 4, (first + number + 2) % 4):
                moved_about, is_busy = MODES[mode]
                options = {"moved_about": moved_about, "arguments": arguments}
                with busy(is_busy):
                    base, head = programs.in_turns(program, [(binary, RUNS, f"-mode{mode}", options),
                                                             (head_binary, RUNS, f"-{make.__name__}-mode{mode}", options)])
                for size_number, size in enumerate(SIZES):
                    label = f"{name}-rebuilt-{make.__name__}-{mode}-{size_number}"
                    sides = draw.sample(base, size), draw.sample(head, size)
                    document = judge.compare(*sides, label)
                    alarms = [f for f in document["findings"] if f["verdict"] in ALARMS]
                    rows.append({"name": name, "variant": make.__name__.replace("_", " "), "size": size, "aslr": moved_about, "busy": is_busy,
                                 "alarms": [f for f in alarms if f["material"]], "small": len(alarms), "label": label,
                                 "command": " ".join(judge.command(*sides, label))})
                    if alarms:
                        print(f"{label}: {len(rows[-1]['alarms'])} alarms, {len(alarms)} changes, first {describe(alarms[0])}", flush=True)
            print(f"{name} {make.__name__}: {len(rows)} comparisons so far", flush=True)
    table(rows, report)


def table(rows, report):
    report("| | comparisons | with an alarm | with any change |")
    report("|---|---|---|---|")
    groups = [("tuned", lambda r: r["name"] in programs.TUNED), ("untuned", lambda r: r["name"] in programs.UNTUNED)]
    groups += [(f"{size} v {size}", lambda r, size=size: r["size"] == size) for size in sorted(set(SIZES))]
    groups += [(f"{'with' if aslr else 'without'} address randomisation{', beside busy processes' if is_busy else ''}",
                lambda r, mode=(aslr, is_busy): (r["aslr"], r["busy"]) == mode) for aslr, is_busy in MODES]
    groups += [(v, lambda r, v=v: r["variant"] == v) for v in sorted({r["variant"] for r in rows})]
    groups += [(n, lambda r, n=n: r["name"] == n) for n in dict.fromkeys(r["name"] for r in rows)]
    for group, is_in in groups + [("all", lambda r: True)]:
        of_it = [r for r in rows if is_in(r)]
        if of_it:
            report(f"| {group} | {len(of_it)} | {sum(bool(r['alarms']) for r in of_it)} | {sum(bool(r['small']) for r in of_it)} |")
    for r in rows:
        if r["alarms"]:
            report(f"- {r['label']}: {len(r['alarms'])} alarms, first: {describe(r['alarms'][0])}\n  `{r['command']}`")
