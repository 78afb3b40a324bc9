"""Profiles the repositories in their three states, in turns, and judges the reports. See run.sh."""

import argparse
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time

from repositories import CACHE, REPOSITORIES, ROOT, by_name

STATES = ["base", "comment", "planted"]
HISTORY = 5  # runs of the base that stand for one


def commit(repository, state, number):
    return hashlib.sha1(f"{repository}/{state}/{number}".encode()).hexdigest()


def run(command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    return done.returncode, done.stdout, done.stderr


@contextlib.contextmanager
def busy_processes(count):
    """Beside what is measured, others work."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()


class Server:
    """gprofhub serve on a free port, with the benchmark's own data."""

    def __init__(self, gprofhub):
        self.gprofhub = gprofhub
        log = CACHE / "server.log"
        with open(log, "w") as out:
            self.process = subprocess.Popen(
                [gprofhub, "serve", "--data-dir", CACHE / "data", "--listen", "127.0.0.1:0"], stdout=out, stderr=out
            )
        while self.process.poll() is None:
            lines = [line for line in log.read_text().splitlines() if line.startswith("listening on ")]
            if lines:
                self.address = lines[0].split()[2]
                return
            time.sleep(0.1)
        raise SystemExit(f"gprofhub serve did not come up:\n{log.read_text()}")

    def ask(self, project, *words):
        environment = dict(os.environ, GPROFHUB_SERVER=self.address, GPROFHUB_PROJECT=project)
        return run([self.gprofhub, *words], env=environment)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def record(repository, state, number, server):
    """Runs the tests of the state, and sends their profiles to two projects: one where each run is
    of a commit of its own, and one where all runs of the base are of one commit."""
    folder = repository.folder(state)
    events = CACHE / f"{repository.name}-{state}.bep"
    code, _, error = run(
        ["bazel", "--host_jvm_args=-Xmx1g", "--max_idle_secs=600", "test", "-k", "--config=gprof", "-c", "opt",
         "--noshow_progress", "--nocache_test_results", f"--build_event_binary_file={events}",
         f"--disk_cache={CACHE / 'build'}", *repository.options, *repository.tests],
        cwd=folder,
    )
    if code not in (0, 3):  # 3: some tests fail, in a sandbox without a network or beside the load
        raise SystemExit(f"bazel test of {repository.name}, {state}: status {code}\n{error[-3000:]}")
    base = state == "base"
    for project, own in ((repository.name, number), (f"{repository.name}-history", 0 if base else number)):
        words = ["upload", "--bep", events, "--workspace", folder, "--commit", commit(repository.name, state, own),
                 "--run-key", f"{state}-{number}", "--branch", "main" if base else state]
        if not base:
            words += ["--pull-request", str(number + 1), "--target-branch", "main",
                      "--base-commit", commit(repository.name, "base", 0)]
        code, _, error = server.ask(project, *words)
        if code not in (0, 5):
            raise SystemExit(f"upload of {repository.name}, {state}: status {code}\n{error[-3000:]}")


def report(server, project, head, base=None):
    words = ["report", head, "--format=json"] + (["--base", base] if base else [])
    code, out, error = server.ask(project, *words)
    if code != 0:
        raise SystemExit(f"gprofhub {' '.join(words)}: status {code}\n{error}")
    return json.loads(out)


def alarms(answer, small=False):
    """Causes that the comment would show: by the function that is called, and its caller. `small`:
    those that are too small for that, and that it only counts."""
    found = []
    folded = {name for finding in answer["findings"] for name in finding["follows"]}
    for finding in answer["findings"]:
        if bool(finding.get("material")) == small or finding.get("explained"):
            continue
        if not finding.get("caller") and finding["metric"] == "calls" and finding["function"] in folded:
            continue  # it has no row of its own
        if finding["verdict"] in ("regressed", "improved", "new", "vanished"):
            site = finding.get("site", {})
            found.append((f"{site.get('file', '')}:{site.get('line', 0)}", finding["metric"],
                          finding.get("function_display", finding["function"]), finding["target"],
                          finding.get("impact", finding.get("share_of_calls", 0))))
    return found


def judge(repository, server, rounds):
    """A row of the table, and lines about what is wrong."""
    name, wrong = repository.name, []

    def false_alarms(kind, answer):
        seen = alarms(answer)
        wrong.extend(f"{name}, {kind}: {alarm}" for alarm in seen[:5])
        return bool(seen)

    pairs = [(base, head) for base in range(rounds) for head in range(rounds) if base != head or rounds == 1][:20]
    first = [
        false_alarms(f"first {base}-{head}",
                     report(server, name, commit(name, "comment", head), commit(name, "base", base)))
        for base, head in pairs
    ]
    history = [
        false_alarms(f"history {head}", report(server, f"{name}-history", commit(name, "comment", head)))
        for head in range(rounds)
    ]
    leads = alone = too_small = 0
    for number in range(rounds):
        answer = report(server, name, commit(name, "planted", number), commit(name, "base", number))
        found = alarms(answer)
        if not found:  # what stands for next to nothing is no alarm, and has its line all the same
            found = alarms(answer, small=True)
            too_small += bool(found)
        leads += bool(found) and found[0][0].startswith(repository.planted.file + ":")
        # All calls by the planted line's callees are in the same row.
        foreign = [alarm for alarm in found
                   if not alarm[0].startswith(repository.planted.file + ":") and alarm[2] != found[0][2]]
        alone += bool(found) and not foreign
        if not found:
            wrong.append(f"{name}, planted {number}: not found")
        wrong.extend(f"{name}, planted {number}: beside it {alarm}" for alarm in foreign[:5])
    row = f"| {name} | {sum(first)} of {len(first)} | {sum(history)} of {len(history)} | {leads} of {rounds} | {alone} of {rounds} | {too_small} of {rounds} |"
    return row, wrong


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--repositories", default=",".join(r.name for r in REPOSITORIES))
    parser.add_argument("--rounds", type=int, default=HISTORY)
    parser.add_argument("--load", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--gprofhub", default=ROOT / "bazel-bin" / "cli" / "gprofhub")
    parser.add_argument("--report")
    parser.add_argument("--judge-only", action="store_true")
    arguments = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    chosen = by_name(arguments.repositories.split(","))
    server = Server(arguments.gprofhub)
    rows, wrong = [], []
    try:
        for repository in chosen:
            if not arguments.judge_only:
                for number in range(arguments.rounds):
                    for state in STATES:
                        print(f"{repository.name}: {state}, {number + 1} of {arguments.rounds}", file=sys.stderr)
                        with busy_processes(arguments.load if number > 0 else 0):
                            record(repository, state, number, server)
            for project in (repository.name, f"{repository.name}-history"):
                server.ask(project, "runs", "--wait=3600")
            row, mistakes = judge(repository, server, arguments.rounds)
            rows.append(row)
            wrong += mistakes
    finally:
        server.stop()
    text = "\n".join(
        ["| repository | alarms, first comment | alarms, with history | planted leads | alone | as a small change |", "|---|---|---|---|---|---|",
         *rows, "", *[f"- {line}" for line in wrong]]
    )
    print(text)
    if arguments.report:
        with open(arguments.report, "w") as file:
            file.write(text + "\n")


main()
