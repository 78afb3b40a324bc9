#!/usr/bin/env python3
"""Runs the command lines of command_lines.txt through GNU gprof and ours and
compares standard output, standard error, exit code and files written.

  conformance.py OURS [--gnu GPROF] [--only TEXT] [--keep FOLDER]

--only: lines that contain TEXT. --keep: build in FOLDER, and use again what is
there.
"""
import argparse
import concurrent.futures
import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import make_gmon

HERE = os.path.dirname(os.path.abspath(__file__))


def without_help(text):
    return text.split(b"Report bugs to")[0]


# Deliberate differences: each function turns GNU gprof's result into ours. A result is
# (stdout, stderr, exit code, files). docs/gprof-compatibility.md explains each.
def dimension(gnu, ours):
    """The call graph's header names the histogram's dimension."""
    text = re.sub(rb"(granularity: .*) seconds\n", rb"\1 i-cache-misses\n", gnu[0], count=1)
    return (text,) + gnu[1:], ours


def own_words(gnu, ours):
    """--help and --version say which program this is; the usage is GNU's."""
    if b"Usage" not in gnu[0]:
        return (b"",) + gnu[1:], (b"" if b"2.40" in ours[0] else ours[0],) + ours[1:]
    usage = without_help(gnu[0])
    return (usage,) + gnu[1:], (ours[0][:len(usage)],) + ours[1:]


def ends_line(gnu, ours):
    """A message ends with a newline."""
    return (gnu[0], gnu[1] + b"\n") + gnu[2:], ours


def other_rate(gnu, ours):
    """Profiles of different rates are not added up."""
    words = rb"gprof: hist_only\.1: incompatible sampling: the histogram has 100 per .*list the two profiles separately\n"
    expected = ours[1] if re.fullmatch(words, ours[1]) else b"other words"
    return (b"", expected, 1, {}), ours


def time_only(gnu, ours):
    """A BSD profile's samples, which are of seconds, are not added to others."""
    words = rb"gprof: dimension (unit|abbreviation) changed .*\ngprof: from .*\ngprof: to .*\n"
    expected = ours[1] if re.fullmatch(words, ours[1]) else b"other words"
    return (b"", expected, 1, {}), ours


def no_version(gnu, ours):
    """A BSD profile has no version, whatever was read before it."""
    return (gnu[0].replace(b"`bsd.1' (version 1)", b"`bsd.1' (version 0)"),) + gnu[1:], ours


def by_own_function(gnu, ours):
    """Inlined code has the name of the function that its line is in."""
    def renamed(match):
        name = b"mix" if 4 <= int(match[2]) <= 10 else match[1]
        return b"%s (inlined.c:%s " % (name, match[2])

    def rows(text):
        return b"\n".join(sorted(text.split(b"\n")))

    renamed_rows = rows(re.sub(rb"(\w+) \(inlined\.c:(\d+) ", renamed, gnu[0]))
    return (renamed_rows,) + gnu[1:], (rows(ours[0]),) + ours[1:]


DIFFERENCES = {"dimension": dimension, "by_own_function": by_own_function, "own_words": own_words,
               "ends_line": ends_line, "other_rate": other_rate,
               "time_only": time_only, "no_version": no_version}


def lines_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                yield line


def symbols_of(program):
    out = subprocess.run(["nm", program], stdout=subprocess.PIPE, check=True, text=True).stdout
    table = {}
    for line in out.splitlines():
        words = line.split()
        if len(words) == 3:
            table.setdefault(words[2], int(words[0], 16))
    return table


def resolve(word, symbols):
    name, _, offset = word.partition("+")
    return hex(symbols[name] + int(offset or 0)) if name in symbols else word


def build(folder):
    for name in os.listdir(os.path.join(HERE, "programs")):
        shutil.copy(os.path.join(HERE, "programs", name), folder)

    def one(line):
        name, command = line.split(": ")
        compiler, *arguments = command.split()
        subprocess.run([compiler, "-pg", "-o", name] + arguments, cwd=folder, check=True)
        run = tempfile.mkdtemp(dir=folder)
        for number in ("1", "2"):
            subprocess.run([os.path.join(folder, name)], cwd=run, check=False,
                           stdout=subprocess.DEVNULL)
            os.rename(os.path.join(run, "gmon.out"), os.path.join(folder, name + "." + number))
        os.rmdir(run)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(one, [l for l in lines_of("programs.txt") if not l.startswith("labels")]))
    for line in lines_of("programs.txt"):
        if line.startswith("labels"):
            name, command = line.split(": ")
            compiler, *arguments = command.split()
            subprocess.run([compiler, "-pg", "-o", name] + arguments, cwd=folder, check=True)
    for line in lines_of("profiles.txt"):
        head, items = line.split(": ", 1)
        name, program = head.split()
        symbols = symbols_of(os.path.join(folder, program))
        items = [resolve(word, symbols) for word in items.split()]
        with open(os.path.join(folder, name), "wb") as file:
            file.write(make_gmon.make(items))


def run(program, line, inputs):
    folder = tempfile.mkdtemp()
    try:
        for name in os.listdir(inputs):
            os.symlink(os.path.join(inputs, name), os.path.join(folder, name))
        process = subprocess.run(["gprof"] + shlex.split(line), executable=program, cwd=folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, timeout=1200)
        files = {}
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                files[name] = file.read()
            # GNU gprof does not set the spare bytes.
            if name == "gmon.sum" and files[name].startswith(b"gmon"):
                files[name] = files[name][:8] + files[name][20:]
        return process.stdout, process.stderr, process.returncode, files
    finally:
        shutil.rmtree(folder)


def explain(what, gnu, ours):
    gnu, ours = (text.decode("utf-8", "replace").splitlines() for text in (gnu, ours))
    diff = list(difflib.unified_diff(gnu, ours, "GNU " + what, "our " + what, lineterm="", n=1))
    return diff[:15]


def compare(line, arguments, inputs):
    """Returns what differs, as lines."""
    adapt = None
    answered_as = None
    if line.startswith("~"):
        _, line, answered_as = (part.strip() for part in line.split("~"))
    if line.startswith("!"):
        _, name, line = line.split(" ", 2)
        adapt = DIFFERENCES[name]
    gnu = run(arguments.gnu, line, inputs)
    ours = run(arguments.ours, line, inputs)
    if adapt is not None or answered_as is not None:
        if gnu == ours:
            return ["no difference any more: gprof " + line]
    if adapt is not None:
        gnu, ours = adapt(gnu, ours)
    if answered_as is not None:
        gnu = run(arguments.gnu, answered_as, inputs)
    if gnu == ours:
        return []
    report = ["FAILED: gprof " + line]
    report += explain("stdout", gnu[0], ours[0]) + explain("stderr", gnu[1], ours[1])
    if gnu[2] != ours[2]:
        report.append("exit code: GNU %d, ours %d" % (gnu[2], ours[2]))
    for name in sorted(set(gnu[3]) | set(ours[3])):
        if gnu[3].get(name) != ours[3].get(name):
            report += ["file " + name]
            report += explain(name, gnu[3].get(name, b""), ours[3].get(name, b""))
    return report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ours")
    parser.add_argument("--gnu", default=shutil.which("gprof"))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    arguments.ours = os.path.abspath(arguments.ours)
    if arguments.gnu is None:
        sys.exit("gprof is not installed; ./ci/setup installs it")
    inputs = arguments.keep or tempfile.mkdtemp()
    os.makedirs(inputs, exist_ok=True)
    if not os.listdir(inputs):
        build(inputs)
    lines = [line for line in lines_of("command_lines.txt") if arguments.only in line]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for report in pool.map(lambda line: compare(line, arguments, inputs), lines):
            if report:
                failed += 1
                print("\n".join(report))
    print("%d command lines, %d differ" % (len(lines), failed))
    if not arguments.keep:
        shutil.rmtree(inputs)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
