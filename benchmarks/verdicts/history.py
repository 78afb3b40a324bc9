"""A history of 30 releases of Lua with 10 steps in it, uploaded release by release.

A step is one of the injected regressions, kept from its release on. The releases
are commits of a git repository of their own, a day apart, whose `main` they are on;
truth.json beside it says at which release, and in which function, each step is.
RUNS_EACH runs of each release are uploaded as one run of the target. Which change
points are found is asked of `gprofhub changes`; where the program has no such
command, only the data is made and the part says so.
"""

import json
import os
import random
import subprocess

import patches
import programs
import scale
from judge import named, plain
from programs import CACHE, quiet

RELEASES, STEPS, RUNS_EACH, SEED, TARGET = 30, 10, 2, 4, "//lua:workload_test"
CHOSEN = ("lua-newstring-twice", "lua-finalizer-checked-twice", "lua-class-end-again", "lua-insert-counts-elements",
          "lua-tostring-twice", "lua-metamethod-searched-twice", "lua-array-size-in-loop", "lua-new-table-resized-twice",
          "lua-buffer-grows-by-what-is-asked", "lua-comparison-read-twice")


def steps():
    """{release: patch}, releases counted from 0, at least two apart."""
    draw = random.Random(SEED)
    by_name = {p.name: p for p in patches.read(programs.HERE / "changes/lua-regressions.txt", "lua")}
    chosen = list(CHOSEN)
    draw.shuffle(chosen)
    while True:
        releases = sorted(draw.sample(range(3, RELEASES - 2), STEPS))
        if all(b - a >= 2 for a, b in zip(releases, releases[1:])):
            return {release: by_name[name] for release, name in zip(releases, chosen)}


def make(runtime):
    """The repository, [(commit, binary, recordings)] and the truth."""
    program, made = programs.all_programs(["lua"])["lua"], steps()
    folder = CACHE / "history"
    folder.mkdir(parents=True, exist_ok=True)
    repository = folder / "repository"
    if not repository.exists():
        quiet(["git", "init", "-q", "-b", "main", repository])
    sources, releases, truth = dict(program.sources), [], []
    for release in range(RELEASES):
        if release in made:
            sources, _ = made[release].apply(sources)
            sources = {file: text.replace(patches.MARK, "") for file, text in sources.items()}
            truth.append({"release": release, "step": made[release].name, **made[release].fields})
        binary = programs.build(program, sources, runtime)
        commit = commit_of(repository, release, sources)
        runs = CACHE / "runs/lua" / f"{binary.parent.name}-release{release:02d}"
        releases.append((commit, binary, [programs.record(program, binary, runs / f"run{i}") for i in range(RUNS_EACH)]))
    (folder / "truth.json").write_text(json.dumps(truth, indent=1))
    return repository, releases, truth


def commit_of(repository, release, sources):
    for name, text in sources.items():
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(text, errors="surrogateescape")
    (repository / "RELEASE").write_text(f"{release}\n")
    date = f"2024-01-{release + 1:02d}T12:00:00Z"
    author = {"GIT_AUTHOR_NAME": "benchmark", "GIT_AUTHOR_EMAIL": "benchmark@example.com", "GIT_AUTHOR_DATE": date,
              "GIT_COMMITTER_NAME": "benchmark", "GIT_COMMITTER_EMAIL": "benchmark@example.com", "GIT_COMMITTER_DATE": date}
    git = ["git", "-C", repository]
    known = quiet(git + ["log", "--format=%H", f"--grep=^release {release}$", "--all"]).split()
    if known:
        return known[0]
    quiet(git + ["add", "-A"])
    quiet(git + ["commit", "-q", "-m", f"release {release}"], env={**os.environ, **author})
    return quiet(git + ["rev-parse", "HEAD"]).strip()


def measure(judge, runtime, only, quick, report):
    repository, releases, truth = make(runtime)
    with scale.Server(judge.gprofhub) as server:
        for release, (commit, binary, runs) in enumerate(releases):
            quiet(["git", "-C", repository, "checkout", "-q", commit])
            quiet([judge.gprofhub, "upload", "--server", server.address, "--workspace", repository, "--target", TARGET,
                   "--image", binary, "--branch", "main", "--configuration", "k8-opt", "--run-key", f"release{release}",
                   *[next(run.glob("*.gprofhub")) for run in runs]], cwd=server.folder)
        quiet([judge.gprofhub, "runs", "--server", server.address, "--wait"], cwd=server.folder)
        asked = subprocess.run([judge.gprofhub, "changes", "--server", server.address, "--format=json"],
                               capture_output=True, text=True, cwd=server.folder)
    quiet(["git", "-C", repository, "checkout", "-q", "main"])
    report(f"{len(releases)} releases with {len(truth)} steps are uploaded; {CACHE}/history/truth.json names the steps.")
    if asked.returncode != 0:
        report(f"Not measured: `gprofhub changes --format=json` says: {asked.stderr.strip().splitlines()[:1]}")
        return
    order = {commit: release for release, (commit, _, _) in enumerate(releases)}
    events = json.loads(asked.stdout)["events"]
    found, false = set(), []
    for event in events:
        at = order.get(event["at"]["commit"])
        near = [s["release"] for s in truth if at is not None and abs(s["release"] - at) <= 1]
        found.update(near)
        if not near:
            false.append((at, plain(event["cause"]["function"])))
    right = sum(1 for s in truth for e in events
                if order.get(e["at"]["commit"]) == s["release"] and named(e["cause"]["function"], s["function"]))
    report("| steps | found within one release | events | false events | steps whose function is an event's |")
    report("|---|---|---|---|---|")
    report(f"| {len(truth)} | {len(found)} | {len(events)} | {len(false)} | {right} |")
    for step in truth:
        if step["release"] not in found:
            report(f"- not found: release {step['release']}, {step['step']}")
    for at, function in false[:10]:
        report(f"- false: release {at}, {function}")
