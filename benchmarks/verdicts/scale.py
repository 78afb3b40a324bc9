"""How long it takes to compare two large runs, and how much memory.

Two runs of TARGETS targets, FUNCTIONS functions and ARCS arcs in all, are uploaded
to a server with an embedded store; then a server that only answers questions is
started on that store, and `gprofhub diff` is timed against it. Its peak memory is
what the comparison took at most. One arc in a hundred has another count in the
second run.
"""

import os
import pathlib
import random
import struct
import subprocess
import tempfile
import time

from programs import quiet

TARGETS, FUNCTIONS, ARCS, SEED, ROUNDS = 200, 50000, 500000, 3, 3
BYTES = 64


def make_program(folder, functions):
    lines = ["\t.text", "\t.globl _start", "_start:", "\tret", "\t.p2align 6"]
    for i in range(functions):
        lines += [f"\t.globl module{i // 50}_function{i}", f"\t.type module{i // 50}_function{i},@function",
                  f"module{i // 50}_function{i}:", "\tnop", "\tret", "\t.p2align 6",
                  f"\t.size module{i // 50}_function{i}, {BYTES}"]
    (folder / "program.s").write_text("\n".join(lines) + "\n")
    quiet(["as", folder / "program.s", "-o", folder / "program.o"])
    quiet(["ld", "-Ttext=0x401000", "--build-id", folder / "program.o", "-o", folder / "program"])
    return folder / "program", 0x401000 + BYTES


def make_profile(path, low, functions, arcs, bins):
    high = low + functions * BYTES
    data = struct.pack("<4si12x", b"gmon", 1)
    data += b"\0" + struct.pack("<QQII15sc", low, high, len(bins), 100, b"seconds", b"s")
    data += struct.pack(f"<{len(bins)}H", *bins)
    for (caller, callee), calls in arcs.items():
        data += b"\1" + struct.pack("<QQI", low + caller * BYTES + 5, low + callee * BYTES, calls)
    path.write_bytes(data)


def serve(gprofhub, folder, *options):
    """The process and its address."""
    log = folder / f"serve{len(options)}.log"
    process = subprocess.Popen([gprofhub, "serve", "--data-dir", folder / "data", "--listen", "127.0.0.1:0", *options],
                               stdout=log.open("w"), stderr=subprocess.STDOUT)
    for _ in range(200):
        for word in log.read_text().split():
            if word.rstrip(",.").startswith("127.0.0.1:") and not word.rstrip(",.").endswith(":0"):
                return process, word.rstrip(",.")
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise SystemExit("gprofhub serve did not start:\n" + log.read_text())


def peak_megabytes(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def measure(judge, runtime, only, quick, report):
    targets = 10 if quick else TARGETS
    functions, arcs_each = FUNCTIONS // TARGETS, ARCS // TARGETS
    draw = random.Random(SEED)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        program, low = make_program(work, functions)
        process, address = serve(judge.gprofhub, work)
        try:
            for target in range(targets):
                arcs = {}
                while len(arcs) < arcs_each:
                    arcs[tuple(sorted(draw.sample(range(functions), 2)))] = draw.randrange(1, 100000)
                bins = [draw.randrange(200) if draw.random() < 0.2 else 0 for _ in range(functions * BYTES // 16)]
                for run in ("base", "head"):
                    if run == "head":
                        for arc in draw.sample(sorted(arcs), arcs_each // 100):
                            arcs[arc] += draw.randrange(1, 100000)
                        bins = [max(0, round(draw.gauss(b, b ** 0.5))) for b in bins]
                    make_profile(work / f"gmon.{run}", low, functions, arcs, bins)
                    quiet([judge.gprofhub, "upload", "--server", address, "--target", f"//large:test{target}",
                           "--image", program, "--run-key", run, "--commit", {"base": "1", "head": "2"}[run] * 40,
                           "--branch", "main", "--configuration", "k8-opt", work / f"gmon.{run}"], cwd=work)
            quiet([judge.gprofhub, "runs", "--server", address, "--wait"], cwd=work)
        finally:
            process.terminate()
            process.wait()
        process, address = serve(judge.gprofhub, work, "--role", "query")
        try:
            idle, times = peak_megabytes(process), []
            for _ in range(ROUNDS):
                began = time.monotonic()
                quiet([judge.gprofhub, "diff", "--server", address, "1" * 40, "2" * 40, "--format=json"], cwd=work)
                times.append(time.monotonic() - began)
            peak = peak_megabytes(process)
        finally:
            process.terminate()
            process.wait()
    report("| targets | functions | arcs | least time of 3 | most | the server's peak memory | of which before |")
    report("|---|---|---|---|---|---|---|")
    report(f"| {targets} | {targets * functions} | {targets * arcs_each} | {min(times):.2f} s | {max(times):.2f} s | "
           f"{peak:.0f} MB | {idle:.0f} MB |")
