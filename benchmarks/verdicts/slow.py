"""Slow-downs of one function's own time by a known share: power and false discoveries.

The runs are real ones of one commit. The heads are made from them: the chosen
function's samples in each run are increased by a Poisson number with the mean of
the share wanted, in the gmon file of that run, and everything else, noise
included, stays as recorded. So the truth is known exactly, and any function with
samples can be slowed. What goes to `gprofhub diff` are the gmon files and the
program; the other rules are given the same samples.

A discovery is a function whose own time is called changed; it is false if the
function is another than the slowed one. Power is the share of comparisons in which
the slowed one is among them.
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
DESIGNS = ((5, 5), (30, 3))
LEAST_SHARE = 0.01
BANDS = ((400, float("inf")), (100, 400), (0, 100))  # samples of the function in a run


def gmon_of(judge, binary, run):
    """A folder with the run's gmon file and its program."""
    folder = CACHE / "gmon" / binary.parent.name / run.name
    if not folder.exists():
        staged = folder.with_suffix(".part")
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
        (recording,) = run.glob("*.gprofhub")
        quiet([judge.gprofhub, "gmon", recording, "--output-dir", staged])
        for other in staged.iterdir():
            if not other.name.startswith(binary.name + "."):
                other.unlink()
        (staged / binary.name).symlink_to(binary)
        staged.rename(folder)
    return folder


def slowed_run(folder, gmon, function, bins, share, seed):
    target = folder.parent / f"{folder.name}-{programs.digest(function, share, seed)}"
    if not target.exists():
        staged = target.with_suffix(".part")
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir()
        (original,) = [f for f in folder.iterdir() if ".gmon." in f.name]
        (staged / original.name).write_bytes(slowed(gmon, bins, share, seed))
        (program,) = [f for f in folder.iterdir() if f.is_symlink()]
        (staged / program.name).symlink_to(program.resolve())
        staged.rename(target)
    return target


def count(bins):
    return sum(value for _, value in bins)


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
        return f"{self.found / self.cases:.0%}, {rate:.1%}" if self.cases else "-"


def measure(judge, runtime, only, quick, report):
    tallies, misses = {}, []
    recorded = programs.many_runs(programs.all_programs(only), runtime, 10 if quick else programs.MANY)
    for name, (binary, runs) in recorded.items():
        symbols = Functions(binary, plain)
        folders = [gmon_of(judge, binary, run) for run in runs]
        gmons = [Gmon(next(f for f in folder.iterdir() if ".gmon." in f.name).read_bytes()) for folder in folders]
        samples = [symbols.samples(gmon) for gmon in gmons]
        mean = {}
        for of_run in samples:
            for function, bins in of_run.items():
                mean[function] = mean.get(function, 0.0) + count(bins) / len(samples)
        judged = sorted((f for f in mean if mean[f] >= LEAST_SHARE * sum(mean.values())), key=lambda f: -mean[f])
        print(f"{name}: " + ", ".join(f"{f} {mean[f]:.0f}" for f in judged), flush=True)
        draw = random.Random(SEED)
        for function in judged[:3] if quick else judged:
            for design in DESIGNS[:1] if quick else DESIGNS:
                for level in LEVELS:
                    for number in range(1 if quick else DRAWS):
                        drawn = draw.sample(range(len(runs)), sum(design))
                        before, after = drawn[: design[0]], drawn[design[0]:]
                        seed = draw.randrange(1 << 30)
                        heads = [slowed_run(folders[i], gmons[i], function, samples[i].get(function, []), level, f"{seed}-{i}")
                                 for i in after]
                        label = f"{name}-slow-{function[-40:]}-{design[0]}v{design[1]}-{level}-{number}"
                        base = [folders[i] for i in before]
                        document = judge.compare(base, heads, label)
                        told = {plain(f["function"]) for f in document["findings"]
                                if f["metric"] == "self_time" and f["verdict"] in ("regressed", "improved")}
                        own = lambda folders: [
                            symbols.samples(Gmon(next(f for f in folder.iterdir() if ".gmon." in f.name).read_bytes()))
                            for folder in folders]
                        slow = own(heads)
                        times = ({f: [count(samples[i].get(f, [])) for i in before] for f in judged},
                                 {f: [count(s.get(f, [])) for s in slow] for f in judged})
                        band = next(b for b in BANDS if b[0] <= mean[function])
                        discovered = {"gprofhub": told, **{rule: test(*times) for rule, test in rules.RULES.items()}}
                        for rule, found in discovered.items():
                            for key in ((design, level, rule, band), (design, level, rule, None)):
                                tallies.setdefault(key, Tally()).add(found, function)
                        if level >= 0.2 and (told - {function} or (function not in told and band == BANDS[0])):
                            verdicts = [f"{f['verdict']} {f['effect_percent']:+.1f}% {f['interval']}"
                                        for f in document["findings"]
                                        if f["metric"] == "self_time" and plain(f["function"]) == function]
                            misses.append(f"- {label} ({mean[function]:.0f} samples a run): found {sorted(told)}; it is {verdicts}\n"
                                          f"  `{' '.join(judge.command(base, heads, label))}`")
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
                report(f"| {design[0]} v {design[1]} | {level:.0%} | {of} | {tally['gprofhub'].cases} | " +
                       " | ".join(str(t) for t in tally.values()) + " |")
    for line in misses[:15]:
        report(line)
