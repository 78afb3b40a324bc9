"""Functions made slower in the source, by rule: power, false discoveries and A/A of rebuilt programs.

Every function with 2% or more of a program's own samples is a case, whichever these are. A loop of
volatile stores is put at its entry. How often it turns is reckoned: from the function's time per
call, and from one run of a build in which all these functions have such a loop. So the compiler,
the processor and inlining have their say, and nobody chooses a case.

The truth is not what was intended. It is measured, on runs of their own at four times the rate:
two of each head, four of the base. Machine speed (what most functions have in common) is taken
out. A discovery of another function than the changed one is false unless these runs show that its
time changed, too, that way and by at least half of the least change that alarms.

A/A heads have an edit that does nothing at the entry of a function: its code is another, and all
addresses behind it. Nothing changed, so every alarm is false.

Base and heads are recorded in turns, at the runtime's default rate. What else the machine does
meanwhile is the same for all. Programs of UNTUNED were looked at only after the rules were fixed.
"""

import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import tempfile

import programs
import rules
from gmon_files import Functions, Gmon
from judge import ALARMS, plain
from programs import CACHE, digest

LEVELS = (0.20, 0.50, 0.10)  # of own time; what comes of it is measured
RUNS = 5
SEED, DRAWS = 3, 3
LEAST_SHARE = 0.02
TRUTH_RUNS, TRUTH_RATE = 2, 4000
STORE_NS = 0.35  # a guess to begin with; the pilot run corrects it
SHORT, LONG = 3, 4  # seconds: shorter runs are made about as long as this
MOST_INERT = 2
BANDS = ((0.05, 0.10), (0.10, 0.15), (0.15, 0.25), (0.25, 0.40), (0.40, 9.0))  # of the true effect
MINIMUM = 0.05


def entries(binary):
    """{function: (file, line)} of where each function begins."""
    functions, addresses = {}, {}
    for line in subprocess.run(["nm", "-S", "--defined-only", binary], capture_output=True, text=True, check=True).stdout.splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "tTwW":
            addresses[int(parts[0], 16)] = parts[3]
    listed = subprocess.run(["addr2line", "-e", binary], input="\n".join(hex(a) for a in addresses), capture_output=True,
                            text=True, check=True).stdout.splitlines()
    for (address, name), place in zip(addresses.items(), listed):
        file, _, number = place.split(" ")[0].rpartition(":")
        if number.isdigit() and plain(name) == name:
            functions[name] = (re.sub(r"^(\./)+", "", file), int(number))
    return functions


def calls_of(gmon, functions):
    """{function: calls}, of a gmon file's arcs."""
    calls = {}
    for _, callee, count in gmon.arcs():
        name = functions.at(callee)
        calls[name] = calls.get(name, 0) + count
    return calls


def with_code(sources, place, code):
    """The sources with `code` at the beginning of the body that begins at or after `place`; None if there is none."""
    file, number = place
    if file not in sources:
        return None
    lines = sources[file].splitlines(keepends=True)
    for i in range(number - 1, min(len(lines), number + 8)):
        at = lines[i].find("{")
        if at >= 0:
            lines[i] = lines[i][:at + 1] + code + lines[i][at + 1:]
            return {**sources, file: "".join(lines)}
        if ";" in lines[i]:
            return None
    return None


def loop(turns):
    return f" {{ volatile unsigned made_slower; for (unsigned turn = 0; turn < {turns}u; ++turn) made_slower = turn; }}"


# Of the profiling runtime.
STUBS = ("mcount", "_mcount", "__fentry__")
INERT = ' __asm__ volatile("testl %%eax, %%eax" ::: "cc");'


def record(binary, arguments, folder, rate):
    """As programs.record, but at the usual priority, and with a gmon file beside the recording."""
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    staged = pathlib.Path(tempfile.mkdtemp(dir=folder.parent, prefix=".run"))
    (staged / "profile").mkdir()
    variables = {"PATH": "/usr/bin:/bin", "HOME": "/", "GPROFHUB_GMON": "program", "GMON_OUT_PREFIX": str(staged / "gmon"),
                 "GPROFHUB_PROFILE_DIR": str(staged / "profile")}
    if rate:
        variables["GPROFHUB_SAMPLE_RATE"] = str(rate)
    with programs.beside(staged, arguments) as given:
        done = subprocess.run(["setarch", "-R", binary, *given], env=variables, cwd=staged, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{binary}: status {done.returncode}\n{done.stderr}")
    staged.rename(folder)
    return folder


class Run:
    """One recorded run: what `gprofhub diff` is given, and seconds by function."""

    def __init__(self, folder, functions):
        self.profile = folder / "profile"
        (file,) = folder.glob("gmon.*")
        gmon = Gmon(file.read_bytes())
        rate = gmon.histograms[0][3]
        self.gmon = gmon
        self.samples = {f: sum(v for _, v in bins) for f, bins in functions.samples(gmon).items()
                        if f not in STUBS}
        self.seconds = {f: v / rate for f, v in self.samples.items()}


class Side:
    """One build, and its runs: those that are judged, and those that say the truth."""

    def __init__(self, program, binary, label, arguments):
        self.program, self.binary, self.label, self.arguments = program, binary, label, arguments
        self.functions = Functions(binary, plain)
        self.runs, self.truth = [], []

    def record(self, number, is_truth=False):
        rate = TRUTH_RATE if is_truth else 0
        folder = programs.run_folder(self.program, self.binary, f"-slowed-{rate or 'default'}", self.arguments) / f"run{number:02d}"
        (self.truth if is_truth else self.runs).append(Run(record(self.binary, self.arguments, folder, rate), self.functions))

    def true_seconds(self, function):
        return statistics.mean(run.seconds.get(function, 0) for run in self.truth)


class Case:
    def __init__(self, side, function, level):
        self.side, self.function, self.level = side, function, level


class Subject:
    """A program: its base, functions that are cases, and heads."""

    def __init__(self, name, program, runtime, levels, quick):
        self.name, self.program, self.runtime = name, program, runtime
        self.arguments = program.long_arguments
        base = programs.build(program, program.sources, runtime)
        run = self.pilot_run(base)
        if sum(run.seconds.values()) < SHORT:
            longer = LONG / sum(run.seconds.values())
            self.arguments = self.arguments[:-1] + [str(round(int(self.arguments[-1]) * longer))]
            run = self.pilot_run(base)
        self.base = Side(program, base, "base", self.arguments)
        places = entries(self.base.binary)
        calls = calls_of(run.gmon, self.base.functions)
        total = sum(run.seconds.values())
        chosen = sorted((f for f in run.seconds if run.seconds[f] >= LEAST_SHARE * total), key=lambda f: -run.seconds[f])
        self.left_out = [f for f in chosen if f not in places or not calls.get(f) or not with_code(program.sources, places[f], "")]
        self.functions = [f for f in chosen if f not in self.left_out][:2 if quick else None]
        first = {f: max(1, round(0.5 * run.seconds[f] / calls[f] * 1e9 / STORE_NS)) for f in self.functions}
        slower = self.pilot(places, first)  # all at once
        self.cases, self.inert = [], []
        for level in levels:
            for f in self.functions:
                response = slower.seconds.get(f, 0) / run.seconds[f] - 1
                turns = max(1, round(first[f] * 2 * level * min(2, max(1 / 2, 0.5 / max(response, 0.01)))))
                side = self.head(with_code(program.sources, places[f], loop(turns)), f"{f} {level:.0%}")
                self.cases.append(Case(side, f, level))
        spread = self.functions[::max(1, math.ceil(len(self.functions) / MOST_INERT))]
        for f in spread:
            self.inert.append(Case(self.head(with_code(program.sources, places[f], INERT), f"{f} inert"), f, 0))
        print(f"{name}: {total:.1f} s; " + ", ".join(f"{f} {run.seconds[f] / total:.1%}" for f in self.functions) +
              (f"; left out {self.left_out}" if self.left_out else ""), flush=True)

    def head(self, sources, label):
        return Side(self.program, programs.build(self.program, sources, self.runtime), label, self.arguments)

    def pilot_run(self, binary):
        side = Side(self.program, binary, "pilot", self.arguments)
        side.record(90, is_truth=True)
        return side.truth[0]

    def pilot(self, places, turns):
        """From the last line of a file to the first, so that lines hold."""
        sources = self.program.sources
        for f in sorted(turns, key=lambda f: places[f], reverse=True):
            sources = with_code(sources, places[f], loop(turns[f]))
        return self.pilot_run(programs.build(self.program, sources, self.runtime))

    def record(self):
        for number in range(RUNS):
            for copy in range(2):
                self.base.record(2 * number + copy)
            for case in self.cases + self.inert:
                case.side.record(number)
        for number in range(TRUTH_RUNS):
            for copy in range(2):
                self.base.record(2 * number + copy, is_truth=True)
            for case in self.cases:
                case.side.record(number, is_truth=True)

    def truth(self, side, but):
        """{function: log of its true change}, machine speed taken out."""
        before = {f: self.base.true_seconds(f) for f in self.base.truth[0].seconds}
        total = sum(before.values())
        logs = {f: math.log(max(side.true_seconds(f), 1e-9) / before[f]) for f in before if before[f] > 0.002 * total}
        speed = statistics.median(v for f, v in logs.items() if f != but and before[f] > 0.01 * total)
        return {f: v - speed for f, v in logs.items()}


class Tally:
    def __init__(self):
        self.cases = self.found = self.false = self.discoveries = 0

    def add(self, told, function, false):
        self.cases += 1
        self.found += function in told
        self.false += len(false)
        self.discoveries += len(told)

    def __str__(self):
        return f"{self.found / self.cases:.0%}, {self.false / self.discoveries if self.discoveries else 0:.1%}"


def told_by(document):
    return {plain(f["function"]): f["effect_percent"] for f in document["findings"]
            if f["metric"] == "self_time" and f["verdict"] in ("regressed", "improved")}


def judge_subject(judge, subject, tallies, alarms, misses):
    draw = random.Random(SEED)
    for case in subject.cases + subject.inert:
        truth = subject.truth(case.side, case.function) if case.level else {}
        for number in range(DRAWS):
            base = draw.sample(subject.base.runs, RUNS)
            head = case.side.runs
            label = f"{subject.name}-slowed-{case.function[-40:]}-{case.level}-{number}"
            folders = [r.profile for r in base], [r.profile for r in head]
            document = judge.compare(*folders, label)
            told = told_by(document)
            command = " ".join(judge.command(*folders, label))
            if not case.level:
                found = [f for f in document["findings"] if f["verdict"] in ALARMS]
                alarms.append((subject.name, label, len(found), command,
                               [f"{f['verdict']} {f['metric']} {plain(f['function'])} {f['effect_percent']:+.1f}%" for f in found]))
                continue
            shown = [f for f in subject.base.runs[0].seconds if f in truth]
            times = [{f: [r.samples.get(f, 0) for r in side] for f in shown} for side in (base, head)]
            ways = {"gprofhub": told}
            for name, rule in rules.RULES.items():
                ways[name] = {f: statistics.mean(times[1][f]) / max(1e-9, statistics.mean(times[0][f])) - 1 for f in rule(*times)}
            effect = math.expm1(truth[case.function])
            band = next((b for b in BANDS if b[0] <= effect < b[1]), (-9.0, BANDS[0][0]))
            of_name = statistics.mean(r.samples.get(case.function, 0) for r in base)
            for name, discovered in ways.items():
                false = [f for f, changed in discovered.items() if f != case.function and
                         truth.get(f, 0) * (1 if changed > 0 else -1) < math.log1p(MINIMUM / 2)]
                size = next(b for b in SIZES if b[0] <= of_name)
                for key in ((subject.name in programs.UNTUNED, band, name, None), (subject.name in programs.UNTUNED, band, name, size)):
                    tallies.setdefault(key, Tally()).add(discovered, case.function, false)
                if name == "gprofhub":
                    its = [f"{f['verdict']} {f['effect_percent']:+.1f}% {f['interval']}" for f in document["findings"]
                           if f["metric"] == "self_time" and plain(f["function"]) == case.function]
                    print(f"{label}: {of_name:.0f} samples, truly {effect:+.1%}, {'found' if case.function in discovered else 'not found'} "
                          f"{its} false {[(f, round(discovered[f], 1), round(100 * math.expm1(truth.get(f, 0)), 1)) for f in false]}", flush=True)
                    if false or (effect >= 0.15 and case.function not in discovered):
                        misses.append(f"- {label}: {of_name:.0f} samples a run, truly {effect:+.1%}; it is {its}; false {false}\n  `{command}`")


SIZES = ((1000, "1000 or more"), (300, "300 to 1000"), (100, "100 to 300"), (0, "fewer than 100"))


def measure(judge, runtime, only, quick, report):
    tallies, alarms, misses = {}, [], []
    for name, program in programs.all_programs(only).items():
        subject = Subject(name, program, runtime, LEVELS[:1] if quick else LEVELS, quick)
        subject.record()
        if judge:
            judge_subject(judge, subject, tallies, alarms, misses)
    report("Power, and the share of false ones among all discoveries:\n")
    for untuned in (False, True):
        rows = [key for key in tallies if key[0] == untuned and key[2] == "gprofhub"]
        if not rows:
            continue
        report(f"\n{'Untuned' if untuned else 'Tuned'}:\n\n| truly slower by | samples of it in a run | comparisons | gprofhub | " +
               " | ".join(rules.RULES) + " |")
        report("|---|---|---|---|" + "---|" * len(rules.RULES))
        for key in sorted(rows, key=lambda k: (k[1], -(k[3] or (-1, ""))[0])):
            of = {name: tallies[(untuned, key[1], name, key[3])] for name in ("gprofhub", *rules.RULES)}
            band = f"less than {BANDS[0][0]:.0%}" if key[1][0] < 0 else f"{key[1][0]:.0%} to {key[1][1]:.0%}" if key[1][1] < 9 else f"{key[1][0]:.0%} or more"
            report(f"| {band} | {key[3][1] if key[3] else 'all'} | {of['gprofhub'].cases} | " + " | ".join(str(t) for t in of.values()) + " |")
    report(f"\nRebuilt without a change (A/A): {len(alarms)} comparisons, {sum(n > 0 for _, _, n, _, _ in alarms)} with an alarm\n")
    for name, label, number, command, found in alarms:
        if number:
            report(f"- {label}: {found}\n  `{command}`")
    for line in misses[:20]:
        report(line)
