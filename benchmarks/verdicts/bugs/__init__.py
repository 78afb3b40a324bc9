"""Realistic bugs in small programs: found, the cause first, the right line, the said effect.

Each folder is a program, NAME.txt its bugs in the format of ../patches.py. `cause` lists the
functions that a finding may name, as callee or caller; each mark is a line that it may name. A
function into which the compiler inlined marked code may be named, too. Bugs with `set: blind` were
written after all rules of effects, and are reported apart. A bug is material if the CPU
time of the program, built without profiling, grows by MATERIAL. All bugs of a set and their truth
were written before any of them was judged.
"""

import itertools
import os
import re

import patches
import programs
import small_programs
from counts import NEAR
from judge import named, plain, where

ARGUMENTS = {"shop": 1000, "indexer": 3000, "pipeline": 1200, "rooms": 4000, "plan": 2500, "kv": 3000, "calc": 250000}
SIDES = (3, 1)  # runs of each side
MATERIAL = 0.01
SAID = 0.03  # from which change on the said effect is judged
FACTOR = 1.5
LISTED = re.compile(r"  finding ([0-9a-f]{10})$", re.MULTILINE)
EFFECT = re.compile(r"about [^()]* CPU \(([^)]+)\)[^\n]*finding ([0-9a-f]{10})")


def said_effects(screen):
    """{finding: its effect on the CPU time of its test} of a report's causes."""
    effects = {}
    for text, finding in EFFECT.findall(screen):
        number = float(re.sub(r"[^0-9.]", "", text))
        effects[finding] = number - 1 if "×" in text else -number / 100 if "−" in text else number / 100
    return effects


def marks(sources):
    return [(file, line) for file, text in sources.items() for line, content in enumerate(text.splitlines(), 1)
            if patches.MARK in content]


def containing(binary, sources, marked):
    """Functions whose machine code has lines near a marked one, of the same function: it may be inlined."""
    near = {(file, at) for file, line in marked for at in range(line - NEAR, line + NEAR + 1)
            if "}" not in sources[file].splitlines()[min(at, line):max(at, line) - 1]}
    symbol, found = "", set()
    for line in programs.quiet(["objdump", "-d", "-l", "--no-show-raw-insn", binary]).splitlines():
        begin = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        place = re.match(r"(\S+):(\d+)( \(discriminator \d+\))?$", line)
        if begin:
            symbol = plain(begin[1])
        elif place and (os.path.basename(place[1]), int(place[2])) in near:
            found.add(symbol)
    return found


def is_right_line(finding, sources, marked):
    """Near a marked line; where it is the beginning of a function, that one has a marked line."""
    file, line = where(finding)
    for marked_file, marked_line in marked:
        if file != marked_file:
            continue
        between = sources[file].splitlines()[line - 1:marked_line]
        if abs(line - marked_line) <= NEAR or (finding["caller"] is None and between and "}" not in between):
            return True
    return False


def verdict_on(comparison, patch, sources):
    marked = marks(sources)
    containers = containing(comparison.binaries[1], sources, marked)

    def blames(finding):
        return any(named(finding[side], patch.fields["cause"]) or plain(finding[side]) in containers
                   for side in ("function", "caller"))

    findings = comparison.document["findings"]
    found = [f for f in comparison.alarms if f["verdict"] in ("regressed", "new") and blames(f)]
    screen = comparison.screen()
    effects = said_effects(screen)
    listed = LISTED.search(screen)
    blamed = [effects[f["id"]] for f in findings if f["id"] in effects and blames(f)]
    return {
        "found": bool(found),
        "rerun": bool(comparison.document["reruns"]),
        "first": bool(found) and found[0] is findings[0],
        "leads": bool(listed) and listed[1] in {f["id"] for f in found},
        "line": bool(found) and is_right_line(found[0], sources, marked),
        "effect": sum(e for e in blamed if e > 0),
        "top": small_programs.describe(findings[0]) if findings else None,
    }


def is_near(effect, change):
    return effect > 0 < change and 1 / FACTOR <= effect / change <= FACTOR


def measure(judge, runtime, only, quick, report):
    rows = []
    for name, argument in ARGUMENTS.items():
        sources = {path.name: path.read_text() for path in sorted((programs.HERE / "bugs" / name).iterdir())}
        base = small_programs.program(f"bugs-{name}", sources, [argument])
        written = patches.read(programs.HERE / f"bugs/{name}.txt", name)
        for patch in written[:2] if quick else written:
            changed, _ = patch.apply(sources)
            prints_same, change = small_programs.true_change(base, changed)
            if not prints_same:
                raise SystemExit(f"{patch.name} prints something else")
            for count in SIDES:
                comparison = small_programs.Comparison(judge, runtime, base, changed, patch.name, count)
                row = {"patch": patch, "count": count, "change": change, "comparison": comparison,
                       **verdict_on(comparison, patch, changed)}
                rows.append(row)
                print(line_of(row), flush=True)
    table(rows, report)


def line_of(row):
    said = " ".join(word if row[word] else f"NOT-{word}" for word in ("found", "first", "line"))
    return (f"{row['comparison'].name} ({row['patch'].fields['kind']}): CPU {row['change']:+.1%}, recorded "
            f"{row['comparison'].measured():+.1%}, said {row['effect']:+.1%}; {said}; on the rerun list {row['rerun']}; first is {row['top']}")


def table(rows, report):
    report("| runs | set | bugs | material | found | only on the rerun list | cause first | ... in the text | its line | 3% and more | recorded change within a factor of 1.5 | said effect | ... of the recorded change |")
    report("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for count, of_set in itertools.product(SIDES, ("open", "blind")):
        of_it = [r for r in rows if r["count"] == count and r["patch"].fields.get("set", "open") == of_set]
        material = [r for r in of_it if r["change"] >= MATERIAL]
        large = [r for r in of_it if r["change"] >= SAID]
        report(f"| {count} v {count} | {of_set} | {len(of_it)} | {len(material)} | {sum(r['found'] for r in material)} | "
               f"{sum(r['rerun'] and not r['found'] for r in material)} | {sum(r['first'] for r in material)} | "
               f"{sum(r['leads'] for r in material)} | {sum(r['line'] for r in material)} | {len(large)} | "
               f"{sum(is_near(r['comparison'].measured(), r['change']) for r in large)} | "
               f"{sum(is_near(r['effect'], r['change']) for r in large)} | "
               f"{sum(is_near(r['effect'], r['comparison'].measured()) for r in large)} |")
    for r in rows:
        is_wrong = not (r["found"] and r["first"] and r["line"]) and r["change"] >= MATERIAL
        if is_wrong or r["change"] >= SAID and not is_near(r["effect"], r["change"]):
            report(f"- {line_of(r)}\n  `{r['comparison'].command()}`")
