#!/usr/bin/env python3
"""Holds -c to objdump: every direct call that objdump shows between listed
functions is an arc of the call graph, and there are no others but the recorded.

  static_calls.py OURS PROGRAMS
"""
import bisect
import os
import re
import subprocess
import sys
import tempfile

import make_gmon

COMMANDS = ("gcc -O0 -pg calls.c", "gcc -O2 -pg cycles.c", "gcc -O2 -pg -no-pie cycles.c",
            "g++ -O0 -pg objects.cc", "g++ -O2 -pg -no-pie objects.cc",
            "gcc -m32 -O1 -ffreestanding -fno-pic -no-pie -nostdlib -Wl,-e,main cycles_32.c")

# No 32-bit C library is needed to link this.
CYCLES_32 = """
int later(int n);
int earlier(int n) { return n <= 0 ? n : later(n - 1) + 1; }
int later(int n) { return n <= 0 ? n : earlier(n - 2) * 3; }
int main(void) { return earlier(7) + later(9); }
"""


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def arcs_of_graph(ours, *arguments):
    """(caller, callee) of each callee's line, and the names of all entries."""
    text = output_of(ours, "-b", "-q", "-z", "--no-demangle", *arguments)
    arcs, names = set(), set()
    for entry in re.split("\n-{20,}\n", text.split("children    called     name\n")[1]):
        lines = [line for line in entry.split("\n") if line]
        at = [i for i, line in enumerate(lines) if line.startswith("[")]
        if not at or "as a whole>" in lines[at[0]]:
            continue
        name = lines[at[0]].split()[-2 if "<cycle" not in lines[at[0]] else -4]
        names.add(name)
        for line in lines[at[0] + 1:]:
            arcs.add((name, re.sub(r" <cycle \d+>", "", line).split()[-2]))
    return arcs, names


def arcs_of_code(program, functions):
    """`functions`: (address, name) of those listed, ascending."""
    at = dict(functions)
    starts = [address for address, _ in functions]
    arcs = set()
    for line in output_of("objdump", "-d", "--no-show-raw-insn", program).split("\n"):
        if call := re.match(r" *([0-9a-f]+):\tcall +([0-9a-f]+) <", line):
            before = bisect.bisect(starts, int(call[1], 16))
            if before and int(call[2], 16) in at:
                arcs.add((functions[before - 1][1], at[int(call[2], 16)]))
    return arcs


def addresses(program):
    lines = (line.split() for line in output_of("nm", program).split("\n"))
    return {words[2]: int(words[0], 16) for words in lines if len(words) == 3}


def main():
    ours, programs = (os.path.abspath(path) for path in sys.argv[1:])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("cycles_32.c", "w", encoding="utf-8") as file:
            file.write(CYCLES_32)
        for command in COMMANDS:
            *compiler, source = command.split()
            path = source if os.path.exists(source) else os.path.join(programs, source)
            subprocess.run(compiler + [path, "-o", "program"], check=True)
            symbols = addresses("program")
            address = hex(symbols["main"])
            size = "4" if "-m32" in compiler else "8"
            with open("profile", "wb") as file:
                file.write(make_gmon.make(["--size", size, "--arc", address, address, "1"]))
            recorded, names = arcs_of_graph(ours, "program", "profile")
            graph, _ = arcs_of_graph(ours, "-c", "program", "profile")
            listed = sorted((symbols[name], name) for name in names)
            want = arcs_of_code("program", listed) | recorded
            print("%s: %d arcs" % (command, len(want)))
            if graph != want or len(want) <= len(recorded):
                failed += 1
                print("FAILED: missing", sorted(want - graph)[:5], "surplus",
                      sorted(graph - want)[:5])
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
