"""Starts the programs that start_up.sh linked from disk, and prints its tables."""
import json
import math
import os
import statistics
import subprocess
import sys
import time

ORDERS = ["unordered", "profdata", "partitioning", "coverage", "start_up", "known"]
PEERS = ["profdata", "partitioning"]
ROUNDS = 21


def mean(values):
    return math.exp(sum(math.log(max(value, 1e-9)) for value in values) / len(values))


def pages_of(folder):
    """By order and metric: geometric means over the subsets of training runs."""
    found = {}
    for subset in sorted(os.listdir(os.path.join(folder, "start_up"))):
        for workload, metrics in (("held_out", ["startup_pages", "pages"]), ("start", ["pages"])):
            with open(os.path.join(folder, "start_up", subset, workload + ".json")) as file:
                for row in json.load(file)["orders"]:
                    name = os.path.basename(row["order"]).removesuffix(".app")
                    for metric in metrics:
                        found.setdefault((name, f"{workload} {metric}"), []).append(row[metric])
    return {key: mean(values) for key, values in found.items()}


def evict(path):
    """Removes the file from the page cache."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def start(program, arguments):
    """Major and minor faults and milliseconds of one run."""
    began = time.monotonic()
    child = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    usage = os.wait4(child.pid, 0)[2]
    return usage.ru_majflt, usage.ru_minflt, 1000 * (time.monotonic() - began)


def faults_of(folder):
    """By order and metric: medians of interleaved runs of the program that was just evicted."""
    found = {}
    for workload in ("held_out", "start"):
        with open(os.path.join(folder, "known", workload + ".args")) as file:
            arguments = file.read().split()
        for _ in range(ROUNDS):
            for order in ORDERS:
                program = os.path.join(folder, "start_up/0", order + ".app")
                evict(program)
                for metric, value in zip(("major", "minor", "ms"), start(program, arguments)):
                    found.setdefault((order, f"{workload} {metric}"), []).append(value)
    return {key: statistics.median(values) for key, values in found.items()}


def main(work, programs):
    ratios = {}
    for program in programs:
        folder = os.path.join(work, program)
        rows = {**pages_of(folder), **faults_of(folder)}
        metrics = list(dict.fromkeys(metric for _, metric in rows))
        print(f"\n{program}\n| order | " + " | ".join(metrics) + " |\n|---|" + "---|" * len(metrics))
        for order in ORDERS:
            print(f"| {order} | " + " | ".join(f"{rows[order, m]:.4g}" for m in metrics) + " |")
            for metric in metrics:
                best = min(rows[peer, metric] for peer in PEERS)
                ratios.setdefault((order, metric), []).append(max(rows[order, metric], 1) / max(best, 1))
    print("\nnext to the better of LLVM's two (geometric mean)")
    print("| order | " + " | ".join(metrics) + " |\n|---|" + "---|" * len(metrics))
    for order in ORDERS:
        print(f"| {order} | " + " | ".join(f"{mean(ratios[order, m]):.3f}" for m in metrics) + " |")


main(sys.argv[1], sys.argv[2:])
