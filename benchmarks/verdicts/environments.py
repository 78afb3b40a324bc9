"""A/A in different environments: the same code on both sides, so every alarm is a false one.

Each program is recorded in each environment, as it is, and with an instruction without effect in
main, so that some code is edited. All pairs of environments are compared: those of one binary, and
those of both. Comparisons of an emulator with the processor must not be made.
"""

import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import types

import programs
from judge import ALARMS
from mutations import describe
from rebuilt import SHORTER, busy

MASKS = {"without AVX-512": "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD",
         "without AVX": "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-AVX,-BMI2,-FMA",
         "without ERMS, SSE 4": "-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-ERMS,-FSRM,-SSE4_2,-SSE4_1,-SSSE3"}
FAKETIME = next(iter(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")), None)


def environments():
    """{name: (command before the program's, variables, whether the machine is busy)}; `setarch -R`
    where nothing is said of addresses, so that one environment alone has what depends on them."""
    fixed = ["setarch", "-R"]
    found = {"usual": (fixed, {}), "usual, again": (fixed, {}), "addresses at random": ([], {}), "addresses at random, again": ([], {})}
    for name, mask in MASKS.items():
        found[name] = (fixed, {"GLIBC_TUNABLES": f"glibc.cpu.hwcaps={mask}"})
    found["one processor"] = (["taskset", "-c", "0", *fixed], {})
    found["two processors"] = (["taskset", "-c", "0,1", *fixed], {})
    found["stack of 1 MB"] = (["prlimit", f"--stack={1 << 20}", *fixed], {})
    found["stack without a limit"] = (["prlimit", "--stack=unlimited", *fixed], {})
    found["large environment"] = (fixed, {f"FILLER_{i}": "x" * 1000 for i in range(100)})
    found["locale"] = (fixed, {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"})
    found["time zone"] = (fixed, {"TZ": "Asia/Kathmandu"})
    if FAKETIME:
        found["clock"] = (fixed, {"LD_PRELOAD": str(FAKETIME), "FAKETIME": "+400d"})
    found["load"] = (fixed, {})
    if shutil.which("qemu-x86_64-static"):
        for model in ("Nehalem", "max"):
            found[f"QEMU {model}"] = (["qemu-x86_64-static", "-cpu", model], {})
    return found


def with_nop_in_main(program):
    """The sources with an instruction without effect at the beginning of main; None: no main is found."""
    for file, text in program.sources.items():
        changed, count = re.subn(r"(\bint\s+main\s*\([^)]*\)\s*\{)", r'\1 __asm__ volatile("nop");', text, count=1)
        if count and file in program.units:
            return {**program.sources, file: changed}
    return None


def record(program, binary, folder, name, command, variables, arguments):
    """As programs.record; an emulator reads the program's name itself."""
    if folder.exists():
        return folder
    wrapped = types.SimpleNamespace(arguments=arguments)
    with busy(name == "load"):
        return programs.record(wrapped, binary, folder, {"GPROFHUB_SAMPLE_RATE": "0", **variables}, moved_about=True, before=command)


def recordings(program, binary, label):
    """{environment: folder}; one that the program does not run in is left out."""
    last = program.arguments[-1]
    arguments = program.arguments[:-1] + [str(max(1, int(last) // SHORTER.get(program.name, 10)))]
    found = {}
    for name, (command, variables) in environments().items():
        folder = programs.run_folder(program, binary, f"-environments-{label}", arguments) / re.sub(r"\W+", "_", name)
        try:
            found[name] = record(program, binary, folder, name, command, variables, arguments)
        except (subprocess.SubprocessError, SystemExit) as error:
            print(f"{program.name} does not run in the environment '{name}': {error}", flush=True)
    return found


def is_emulated(name):
    return name.startswith("QEMU")


def judged(judge, label, base, head):
    document = judge.compare([base], [head], label)
    alarms = [f for f in document["findings"] if f["verdict"] in ALARMS and f["metric"] == "calls"]
    return {"label": label, "alarms": [f for f in alarms if f["material"]], "small": len(alarms),
            "unconfirmed": sum(f["unconfirmed"] and f["material"] for f in document["findings"]),
            "not_compared": [n["reason"] for n in document["compared"]["not_compared"]],
            "varies": sorted({f["function"] for f in document["findings"] if f["unexplained"] or not f["exact"] and f["metric"] == "calls"}),
            "command": " ".join(judge.command([base], [head], label))}


def measure(judge, runtime, only, quick, report):
    rows = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, program in programs.all_programs(only).items():
            sources = with_nop_in_main(program)
            binaries = {"same": programs.build(program, program.sources, runtime)}
            if sources:
                binaries["edited"] = programs.build(program, sources, runtime)
            runs = {kind: recordings(program, binary, kind) for kind, binary in binaries.items()}
            pairs = [("same", a, b) for a, b in itertools.combinations(runs["same"], 2)]
            pairs += [("edited", a, b) for a, b in itertools.product(runs["same"], runs.get("edited", {}))]
            if quick:
                pairs = pairs[::8]
            made = [pool.submit(judged, judge, f"{name}-environments-{kind}-{i:03d}", runs["same"][a], runs[kind][b])
                    for i, (kind, a, b) in enumerate(pairs)]
            for (kind, a, b), result in zip(pairs, made):
                rows.append({"name": name, "kind": kind, "between": (a, b), **result.result()})
                if rows[-1]["alarms"]:
                    print(f"{rows[-1]['label']} {a} / {b}: {describe(rows[-1]['alarms'][0])}", flush=True)
            print(f"{name}: {len(rows)} comparisons so far", flush=True)
    table(rows, report)


def table(rows, report):
    report("| | pairs | not compared | with an alarm | with any change | unconfirmed |")
    report("|---|---:|---:|---:|---:|---:|")
    groups = [("the same binary", lambda r: r["kind"] == "same"), ("main edited", lambda r: r["kind"] == "edited")]
    groups += [(e, lambda r, e=e: e in r["between"]) for e in dict.fromkeys(e for r in rows for e in r["between"])]
    groups += [(n, lambda r, n=n: r["name"] == n) for n in dict.fromkeys(r["name"] for r in rows)]
    for group, is_in in groups + [("all", lambda r: True)]:
        of_it = [r for r in rows if is_in(r)]
        report(f"| {group} | {len(of_it)} | {sum(bool(r['not_compared']) for r in of_it)} | {sum(bool(r['alarms']) for r in of_it)} | "
               f"{sum(r['small'] > 0 for r in of_it)} | {sum(r['unconfirmed'] > 0 for r in of_it)} |")
    wrong = [r for r in rows if is_emulated(r["between"][0]) != is_emulated(r["between"][1]) and not r["not_compared"]]
    report(f"\nPairs of an emulator and the processor that were compared: {len(wrong)}")
    for r in rows:
        if r["alarms"]:
            report(f"- {r['label']}, {r['between'][0]} / {r['between'][1]}: {len(r['alarms'])} alarms, first: {describe(r['alarms'][0])}\n  `{r['command']}`")
