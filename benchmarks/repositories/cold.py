#!/usr/bin/env python3
"""What `bazel test --config=gprof` costs where nothing is built yet, compared with `bazel test`.

    bazel build -c opt //packaging:gprofhub-bazel.tar.gz //cli:gprofhub
    benchmarks/repositories/cold.py bazel-bin/packaging/gprofhub-bazel.tar.gz bazel-bin/cli/gprofhub \
        [--repositories LIST] [--rounds N]

Each round builds and runs the tests of a repository in an output base of its own, without a cache,
plain and profiled in turns. A row has the processor time of all that Bazel runs (compilers, linkers,
tests; profiled also what reads symbols), that of Bazel itself, and the time on the clock, each the
least of the rounds. `tiny` is a test of two files; the others are those of repositories.py, which
come as Debian's source packages.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import time

from repositories import CACHE, REPOSITORIES, Repository

TICK = os.sysconf("SC_CLK_TCK")
MODES = {"plain": [], "profiled": ["--config=gprof"]}
TINY = {
    "BUILD": 'cc_library(name = "words", srcs = ["words.cc"], hdrs = ["words.h"])\n'
             'cc_test(name = "words_test", size = "small", srcs = ["words_test.cc"], deps = [":words"])\n',
    "words.h": "int words(const char* text);\n",
    "words.cc": '#include "words.h"\nint words(const char* text) {\n  int count = 1;\n'
                "  for (; *text; ++text) count += *text == ' ';\n  return count;\n}\n",
    "words_test.cc": '#include "words.h"\nint main() { return words("one two three") == 3 ? 0 : 1; }\n',
}


class Tiny(Repository):
    def __init__(self):
        super().__init__("tiny", "tiny", ["//..."], {}, None, None)

    def make(self, folder):
        folder.mkdir(parents=True)
        for name, text in TINY.items():
            (folder / name).write_text(text)


def unpacked(archive):
    """The folder that the archive has, unpacked anew."""
    into = CACHE / "archive"
    shutil.rmtree(into, ignore_errors=True)
    with tarfile.open(archive) as file:
        file.extractall(into)
    return next(into.iterdir())


def seconds(server):
    """Of the server itself, and of the processes that it has waited for."""
    fields = pathlib.Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK, (int(fields[13]) + int(fields[14])) / TICK


def measure(repository, folder, options):
    """(processor seconds of Bazel's children, its own, seconds on the clock) of one `bazel test`."""
    base = tempfile.mkdtemp(prefix="cold-", dir=CACHE)
    bazel = ["bazel", "--nohome_rc", f"--output_base={base}", "--host_jvm_args=-Xmx1g", "--max_idle_secs=60"]

    def call(*words):
        return subprocess.run([*bazel, *words], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        server = call("info", "server_pid").stdout.strip()
        own, children = seconds(server)
        began = time.monotonic()
        done = call("test", "-k", "-c", "opt", "--noshow_progress", *options, *repository.options, *repository.tests)
        took = time.monotonic() - began
        if done.returncode not in (0, 3):  # 3: some tests fail in a sandbox without a network
            raise SystemExit(f"bazel test of {repository.name}: status {done.returncode}\n{done.stderr[-3000:]}")
        own_after, children_after = seconds(server)
        return children_after - children, own_after - own, took
    finally:
        call("shutdown")
        subprocess.run(["chmod", "-R", "u+w", base], check=False)
        shutil.rmtree(base, ignore_errors=True)


def main():
    known = {repository.name: repository for repository in [Tiny(), *REPOSITORIES]}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("gprofhub", type=pathlib.Path)
    parser.add_argument("--repositories", default=",".join(known))
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    # Where Bazel looks for it.
    os.environ["PATH"] = f"{arguments.gprofhub.resolve().parent}:{os.environ['PATH']}"
    gprofhub = unpacked(arguments.archive)
    print("| repository | plain: children, Bazel, clock | profiled: children, Bazel, clock | ratio |\n|---|---|---|---|")
    for name in arguments.repositories.split(","):
        repository = known[name]
        shutil.rmtree(CACHE / "trees" / name / "cold", ignore_errors=True)
        folder = repository.folder("base", gprofhub, "cold")
        least = {mode: [float("inf")] * 3 for mode in MODES}
        for _ in range(arguments.rounds):
            for mode, options in MODES.items():
                taken = measure(repository, folder, options)
                least[mode] = [min(pair) for pair in zip(least[mode], taken)]
        cells = [", ".join(f"{value:.1f} s" for value in least[mode]) for mode in MODES]
        ratio = [profiled / plain for plain, profiled in zip(least["plain"], least["profiled"])]
        print(f"| {name} | {cells[0]} | {cells[1]} | {', '.join(f'{value:.2f}' for value in ratio)} |", flush=True)


main()
