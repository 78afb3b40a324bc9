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
import re
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


class Server:
    """`gprofhub serve` on a store of its own, for a `with` block; `data` names a
    store that exists already."""

    def __init__(self, gprofhub, data=None, options=()):
        self._gprofhub, self._options, self._temporary = gprofhub, options, tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._temporary.name)
        self.data = data or self.folder / "data"

    def __enter__(self):
        log = self.folder / "serve.log"
        self._process = subprocess.Popen(
            [self._gprofhub, "serve", "--data-dir", self.data, "--listen", "127.0.0.1:0", *self._options],
            stdout=log.open("w"), stderr=subprocess.STDOUT)
        for _ in range(600):
            found = re.search(r"127\.0\.0\.1:([1-9]\d*)", log.read_text())
            if found:
                self.address = found.group(0)
                return self
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        self.__exit__()
        raise SystemExit("gprofhub serve did not start:\n" + log.read_text())

    def peak_megabytes(self):
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()


def cpu(server):
    """Processor seconds so far of the server and of the commands that ended."""
    children = os.times()
    return server.cpu_seconds() + children.children_user + children.children_system


def measure(judge, runtime, only, quick, report):
    targets = 10 if quick else TARGETS
    functions, arcs_each = FUNCTIONS // TARGETS, ARCS // TARGETS
    draw = random.Random(SEED)
    store = tempfile.TemporaryDirectory()
    data = pathlib.Path(store.name) / "data"
    with Server(judge.gprofhub, data) as server:
        program, low = make_program(server.folder, functions)
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
                profile = server.folder / f"gmon.{run}"
                make_profile(profile, low, functions, arcs, bins)
                quiet([judge.gprofhub, "upload", "--server", server.address, "--target", f"//large:test{target}",
                       "--image", program, "--run-key", run, "--commit", {"base": "1", "head": "2"}[run] * 40,
                       "--branch", "main", "--configuration", "k8-opt", profile], cwd=server.folder)
        quiet([judge.gprofhub, "runs", "--server", server.address, "--wait"], cwd=server.folder)
    with Server(judge.gprofhub, data, ("--role", "query")) as server:
        idle, times, processor = server.peak_megabytes(), [], []
        for _ in range(ROUNDS):
            began, before = time.monotonic(), cpu(server)
            quiet([judge.gprofhub, "diff", "--server", server.address, "1" * 40, "2" * 40, "--format=json"],
                  cwd=server.folder)
            times.append(time.monotonic() - began)
            processor.append(cpu(server) - before)
        peak = server.peak_megabytes()
    report("| targets | functions | arcs | least time of 3 | most | least processor time | the server's peak memory | of which before |")
    report("|---|---|---|---|---|---|---|---|")
    report(f"| {targets} | {targets * functions} | {targets * arcs_each} | {min(times):.2f} s | {max(times):.2f} s | {min(processor):.2f} s | "
           f"{peak:.0f} MB | {idle:.0f} MB |")
