"""Geometric means over the subsets of training runs, for run.sh."""
import json
import math
import os
import sys

METRICS = ["startup_pages", "pages", "itlb_misses_64", "itlb_misses_16", "l1i_misses"]


def mean(values):
    return math.exp(sum(math.log(max(value, 1)) for value in values) / len(values))


def read(folder):
    """Metrics by order, and the limit, of one program."""
    found = {}
    limit = None
    for subset in sorted(os.listdir(os.path.join(folder, "orders"))):
        with open(os.path.join(folder, "orders", subset, "replay.json")) as file:
            replay = json.load(file)
        limit = replay["limit"]
        rows = [("unordered", replay["as_linked"])]
        rows += [(os.path.basename(row["order"]), row) for row in replay["orders"]]
        for name, row in rows:
            for metric in METRICS:
                found.setdefault(name, {}).setdefault(metric, []).append(row[metric])
    return {n: {m: mean(v) for m, v in row.items()} for n, row in found.items()}, limit


def main(work, programs):
    """Prints a table per program and one of ratios to the better of lld's two sorts."""
    ratios = {}
    for program in programs:
        rows, limit = read(os.path.join(work, program))
        best = {m: min(rows["hfsort"][m], rows["cdsort"][m]) for m in METRICS}
        print(f"\n{program} (limit {limit['startup_pages']:.0f}, {limit['pages']:.0f})")
        print("| order | " + " | ".join(METRICS) + " |\n|---|" + "---|" * len(METRICS))
        for name, row in rows.items():
            print(f"| {name} | " + " | ".join(f"{row[m]:,.0f}" for m in METRICS) + " |")
            entry = ratios.setdefault(name, {})
            for metric in METRICS:
                if metric in limit:
                    way = (best[metric] - row[metric]) / (best[metric] - limit[metric])
                    entry.setdefault(metric, []).append(100 * way)
                else:
                    entry.setdefault(metric, []).append(row[metric] / best[metric])
    print("\npages: percent of the way from the better of hfsort and cdsort to the limit (mean);")
    print("misses: beside the better of the two (geometric mean)")
    print("| order | " + " | ".join(METRICS) + " |\n|---|" + "---|" * len(METRICS))
    for name, entry in ratios.items():
        cells = [f"{sum(entry[m]) / len(entry[m]):.0f}%" for m in METRICS[:2]]
        cells += [f"{math.exp(sum(map(math.log, entry[m])) / len(entry[m])):.3f}" for m in METRICS[2:]]
        print(f"| {name} | " + " | ".join(cells) + " |")


main(sys.argv[1], sys.argv[2:])
