"""Runs the parts of the benchmark; run.sh says how."""

import argparse
import pathlib

import programs
from judge import Judge


PARTS = ("same", "rebuilt", "counts", "mutations", "mixed", "shifts", "refactorings", "moved", "toolchains", "slow", "slowed_sources", "history", "scale",
         "bugs", "data", "growth", "agents", "environments")
# Parts of many long runs use only three programs; for patches, the tuned ones. SQLite, one unit of
# 240,000 lines, takes too long to compile some hundred times.
WITHOUT_SQLITE = tuple(name for name in programs.ALL if name != "sqlite")
PROGRAMS = {"same": programs.TUNED[:3], "slow": programs.TUNED[:3], "counts": programs.TUNED, "shifts": programs.TUNED,
            "mutations": WITHOUT_SQLITE, "mixed": WITHOUT_SQLITE, "moved": WITHOUT_SQLITE,
            "environments": ("cjson", "tinyxml2", "mujs", "zlib", "tinyscheme")}

# Parts that draw cases by seed.
DRAWN = ("mutations", "mixed", "moved", "refactorings", "data", "growth", "agents")


def range_of(text):
    first, _, last = text.partition("-")
    return {"seeds": range(int(first), int(last or first) + 1)}


def main():
    parser = argparse.ArgumentParser(prog="benchmarks/verdicts/run.sh")
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--gprofhub", default=programs.ROOT / "bazel-bin/cli/gprofhub")
    parser.add_argument("--runtime", default=programs.ROOT / "bazel-bin/runtime/libgprofhub_runtime.a")
    parser.add_argument("--programs", help="of " + ", ".join(programs.ALL))
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=range_of, default={}, help="FIRST-LAST")
    arguments = parser.parse_args()
    lines = []

    def report(line):
        lines.append(line)

    judge = Judge(arguments.gprofhub)
    report(f"judge {judge.version}")
    for part in arguments.parts or PARTS:
        report(f"\n## {part}\n")
        module = __import__(part)
        chosen = arguments.programs.split(",") if arguments.programs else PROGRAMS.get(part, programs.ALL)
        module.measure(judge, pathlib.Path(arguments.runtime).resolve(), chosen, arguments.quick, report,
                       **(arguments.seeds if part in DRAWN else {}))
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.report:
        arguments.report.write_text(text)


main()
