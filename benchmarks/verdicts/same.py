"""A/A: one commit run many times, drawn into pairs and into five against five.

Every alarm is a false one. Comparisons are drawn with a seed; runs of one
comparison are different ones.
"""

import random

import programs
from judge import ALARMS, plain

COMPARISONS, SEED = 40, 1


def measure(judge, runtime, only, quick, report):
    report("| program | runs | comparisons | alarms of counts per comparison | of times | comparisons with an alarm |")
    report("|---|---|---|---|---|---|")
    examples, totals = [], {}
    recorded = programs.many_runs(programs.all_programs(only), runtime, 10 if quick else programs.MANY)
    for name, (_, runs) in recorded.items():
        draw = random.Random(SEED)
        for size in (1, 5):
            counts = times = alarmed = 0
            comparisons = 8 if quick else COMPARISONS
            for number in range(comparisons):
                drawn = draw.sample(runs, 2 * size)
                label = f"{name}-same-{size}v{size}-{number:02d}"
                document = judge.compare(drawn[:size], drawn[size:], label)
                alarms = [f for f in document["findings"] if f["verdict"] in ALARMS]
                of_counts = [f for f in alarms if f["metric"] == "calls"]
                counts += len(of_counts)
                times += len(alarms) - len(of_counts)
                alarmed += bool(alarms)
                if alarms:
                    f = alarms[0]
                    examples.append((label, f, len(alarms), " ".join(judge.command(drawn[:size], drawn[size:], label))))
            total = totals.setdefault(size, [0, 0, 0, 0])
            for i, value in enumerate((comparisons, counts, times, alarmed)):
                total[i] += value
            report(f"| {name} | {size} v {size} | {comparisons} | {counts / comparisons:.3f} | {times / comparisons:.3f} | {alarmed} |")
    for size, (comparisons, counts, times, alarmed) in totals.items():
        report(f"| all | {size} v {size} | {comparisons} | {counts / comparisons:.3f} | {times / comparisons:.3f} | {alarmed} |")
    for label, f, number, command in examples[:12]:
        report(f"- {label}: {number} alarms, first: {f['verdict']} {f['metric']} {plain(f['function'])} from {plain(f['caller'])} "
               f"{f['before']:.4g} → {f['after']:.4g} ({f['effect_percent']:+.1f}%, {f['interval']})\n  `{command}`")
