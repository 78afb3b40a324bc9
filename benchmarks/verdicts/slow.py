"""Slow-downs of one function's own time by a known share: power and false discoveries.

The executions are real ones of one commit. The heads are made from them: the chosen
function's samples in each are increased by a Poisson number with the mean of the
share wanted, in the gmon file of that execution, and everything else, noise
included, stays as recorded. So the truth is known exactly, and any function with
samples can be slowed. What goes to `gprofhub diff` are the gmon files and the
program; the other rules are given the same samples.

A discovery is a function whose own time is called changed; it is false if the
function is another than the slowed one. Power is the share of comparisons in which
the slowed one is among them. How much can be seen at all depends on the samples
that the function has, so that cases are tabled by these, too.
"""

import random
import shutil

import programs
import rules
from gmon_files import Functions, Gmon, slowed
from judge import plain
from programs import CACHE, quiet

SEED, DRAWS = 2, 2
LEVELS = (0.05, 0.10, 0.20, 0.50)
# Runs of the base, of the head, and executions that make one run.
DESIGNS = ((5, 5, 1), (5, 5, 3), (30, 3, 1))
LEAST_SHARE = 0.02
BANDS = ((1000, float("inf")), (300, 1000), (100, 300), (0, 100))  # samples in one run


class Execution:
    """One execution's gmon file: its bytes, and samples by function."""

    def __init__(self, judge, binary, run, symbols):
        folder = CACHE / "gmon" / run.parent.name / run.name
        if not folder.exists():
            staged = folder.with_suffix(".part")
            shutil.rmtree(staged, ignore_errors=True)
            staged.mkdir(parents=True)
            (recording,) = run.glob("*.gprofhub")
            quiet([judge.gprofhub, "gmon", recording, "--output-dir", staged])
            staged.rename(folder)
        (self.path,) = folder.glob(f"{binary.name}.*")
        self.gmon = Gmon(self.path.read_bytes())
        self.samples = symbols.samples(self.gmon)

    def count(self, function):
        return sum(value for _, value in self.samples.get(function, []))

    def slowed(self, function, share, seed):
        """The bytes with the function slowed, and its samples then."""
        data = slowed(self.gmon, self.samples.get(function, []), share, seed)
        offsets = [offset for offset, _ in self.samples.get(function, [])]
        return data, sum(data[o] + 256 * data[o + 1] for o in offsets)


def run_folder(binary, executions, function=None, share=0.0, seed=0):
    """A folder with the gmon files of one run and the program; and the function's
    samples in it."""
    names = [e.path.parent.name for e in executions]
    folder = CACHE / "gmon" / executions[0].path.parent.parent.name / programs.digest(function, share, seed, *names)
    counted = 0
    files = {}
    for i, execution in enumerate(executions):
        if function:
            files[f"{binary.name}.gmon.{i}"], count = execution.slowed(function, share, f"{seed}-{i}")
            counted += count
        else:
            files[f"{binary.name}.gmon.{i}"] = bytes(execution.gmon.data)
    if not folder.exists():
        staged = folder.with_suffix(".part")
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
        for name, data in files.items():
            (staged / name).write_bytes(data)
        (staged / binary.name).symlink_to(binary)
        staged.rename(folder)
    return folder, counted


class Tally:
    def __init__(self):
        self.cases = self.found = self.false = self.discoveries = 0

    def add(self, discovered, truth):
        self.cases += 1
        self.found += truth in discovered
        self.false += len(discovered - {truth})
        self.discoveries += len(discovered)

    def __str__(self):
        rate = self.false / self.discoveries if self.discoveries else 0.0
        return f"{self.found / self.cases:.0%}, {rate:.1%}"


def measure(judge, runtime, only, quick, report):
    tallies, misses = {}, []
    recorded = programs.many_runs(programs.all_programs(only), runtime, 10 if quick else programs.MANY)
    for name, (binary, runs) in recorded.items():
        symbols = Functions(binary, plain)
        executions = [Execution(judge, binary, run, symbols) for run in runs]
        mean = {f: sum(e.count(f) for e in executions) / len(executions) for e in executions for f in e.samples}
        judged = sorted((f for f in mean if mean[f] >= LEAST_SHARE * sum(mean.values())), key=lambda f: -mean[f])
        print(f"{name}: " + ", ".join(f"{f} {mean[f]:.0f}" for f in judged), flush=True)
        draw = random.Random(SEED)
        for function in judged[:3] if quick else judged:
            for design in DESIGNS[:1] if quick else DESIGNS:
                for level in LEVELS:
                    for number in range(1 if quick else DRAWS):
                        label = f"{name}-slow-{function[-40:]}-{design[0]}v{design[1]}x{design[2]}-{level}-{number}"
                        case(judge, binary, executions, judged, function, design, level, label, draw, mean, tallies, misses)
    table(tallies, misses, report)


def case(judge, binary, executions, judged, function, design, level, label, draw, mean, tallies, misses):
    base_runs, head_runs, each = design
    drawn = draw.sample(executions, (base_runs + head_runs) * each)
    groups = [drawn[i:i + each] for i in range(0, len(drawn), each)]
    before, after = groups[:base_runs], groups[base_runs:]
    seed = draw.randrange(1 << 30)
    base = [run_folder(binary, group)[0] for group in before]
    head = [run_folder(binary, group, function, level, f"{seed}-{i}") for i, group in enumerate(after)]
    document = judge.compare(base, [folder for folder, _ in head], label)
    own = [f for f in document["findings"] if f["metric"] == "self_time"]
    told = {plain(f["function"]) for f in own if f["verdict"] in ("regressed", "improved")}
    times = ({f: [sum(e.count(f) for e in group) for group in before] for f in judged},
             {f: [sum(e.count(f) for e in group) for group in after] for f in judged})
    times[1][function] = [counted for _, counted in head]
    samples = mean[function] * each
    band = next(b for b in BANDS if b[0] <= samples)
    for rule, found in {"gprofhub": told, **{rule: test(*times) for rule, test in rules.RULES.items()}}.items():
        for key in ((design, level, rule, band), (design, level, rule, None)):
            tallies.setdefault(key, Tally()).add(found, function)
    if told - {function} or (level >= 0.2 and function not in told and samples >= BANDS[1][0]):
        verdicts = [f"{f['verdict']} {f['effect_percent']:+.1f}% {f['interval']}" for f in own
                    if plain(f["function"]) == function]
        misses.append(f"- {label} ({samples:.0f} samples a run): found {sorted(told)}; it is {verdicts}\n"
                      f"  `{' '.join(judge.command(base, [folder for folder, _ in head], label))}`")


def table(tallies, misses, report):
    report("Power, and the share of false ones among all discoveries:\n")
    report("| runs | slowed by | samples of it in a run | cases | gprofhub | " + " | ".join(rules.RULES) + " |")
    report("|---|---|---|---|---|" + "---|" * len(rules.RULES))
    for design in DESIGNS:
        for level in LEVELS:
            for band in BANDS + (None,):
                if (design, level, "gprofhub", band) not in tallies:
                    continue
                tally = {rule: tallies[(design, level, rule, band)] for rule in ("gprofhub", *rules.RULES)}
                of = "all" if band is None else f"{band[0]} or more" if band[1] == float("inf") else f"{band[0]} to {band[1]}"
                runs = f"{design[0]} v {design[1]}" + (f", of {design[2]} executions" if design[2] > 1 else "")
                report(f"| {runs} | {level:.0%} | {of} | {tally['gprofhub'].cases} | " +
                       " | ".join(str(t) for t in tally.values()) + " |")
    for line in misses[:15]:
        report(line)
