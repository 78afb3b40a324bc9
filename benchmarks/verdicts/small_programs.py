"""Small programs of our own, given as {file: text}: built, recorded and compared in one step.

Those of bugs are written by hand, those of data and growth by rule.
"""

import json
import pathlib
import resource
import subprocess
import tempfile
import types

import programs
from judge import ALARMS, plain, where

ROUNDS, MORE_ROUNDS = 5, 20  # of the two binaries in turns, for their true CPU time; more for a small change
SMALL = 0.1


def program(name, sources, arguments=()):
    units = [file for file in sources if file.endswith((".c", ".cc"))]
    is_c = all(file.endswith((".c", ".h")) for file in sources)
    return types.SimpleNamespace(
        name=name, sources=sources, units=units, arguments=[str(a) for a in arguments], libraries=[],
        compiler="gcc" if is_c else "g++", options=["-Wall"] if is_c else ["-Wall", "-std=c++20"])


class Comparison:
    """A program and its changed sources, or arguments: `count` runs of each, in turns, and the verdict."""

    def __init__(self, judge, runtime, base, changed, name, count, arguments=None):
        self.judge, self.name = judge, f"{name}-{count}v{count}"
        self.binaries = [programs.build(base, sources, runtime) for sources in (base.sources, changed)]
        options = ({}, {"arguments": arguments} if arguments else {})
        self.runs = programs.in_turns(base, [(binary, count, f"-{name}", option) for binary, option in zip(self.binaries, options)])
        self.document = judge.compare(*self.runs, self.name)
        self.alarms = [f for f in self.document["findings"] if f["verdict"] in ALARMS and f["material"]]
        self.unconfirmed = [f for f in self.document["findings"] if f["unconfirmed"] and f["material"]]

    def screen(self):
        return self.judge.screen(*self.runs, self.name)["text"]

    def command(self):
        return " ".join(self.judge.command(*self.runs, self.name))

    def measured(self):
        """The change of the recorded CPU time."""
        compared = self.document["compared"]
        return compared["head"]["total_seconds"] / compared["base"]["total_seconds"] - 1


def true_change(base, changed, arguments=None):
    """(whether both print the same, the change of CPU time), built without profiling."""
    key = programs.digest(base.options, base.arguments, *base.sources.items(), "--", *changed.items(), *(arguments or []))
    kept = programs.CACHE / "true_changes" / f"{key}.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as work:
            commands = [[_plain_build(base, sources, pathlib.Path(work) / side), *given] for side, sources, given in (
                ("base", base.sources, base.arguments), ("head", changed, arguments or base.arguments))]
            runs = [[_timed(command) for command in commands] for _ in range(ROUNDS)]
            if abs(_change(runs)) < SMALL:
                runs += [[_timed(command) for command in commands] for _ in range(MORE_ROUNDS)]
        kept.write_text(json.dumps([len({output for pair in runs for output, _ in pair}) == 1, _change(runs)]))
    return json.loads(kept.read_text())


def _change(runs):
    base, head = (min(seconds for _, seconds in side) for side in zip(*runs))
    return head / base - 1


def _plain_build(base, sources, folder):
    folder.mkdir()
    for name, text in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    programs.quiet([base.compiler, "-O2", *base.options, "-I.", *base.units, "-pthread", "-o", "program"], cwd=folder)
    return folder / "program"


def _timed(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def describe(f):
    file, line = where(f)
    return (f"{f['verdict']} {f['metric']} {plain(f['function'])} from {plain(f['caller'])} "
            f"{f['before']:.6g} → {f['after']:.6g}, impact {f['impact'] or 0:.2%}, {file}:{line}")
