"""ci/test --under-load ends its load, however it ends."""

import os
import pathlib
import re
import signal
import subprocess
import time

from planted import PlantedTree, ROOT


class LoadTest(PlantedTree):
    """Runs the functions of ci/test that start and stop the load, cut out of it."""

    def start(self, then):
        text = (ROOT / "ci/test").read_text()
        functions = re.search(r"^load=\(\)\n.*?^trap 'exit 130' HUP INT TERM\n", text, re.M | re.S)[0]
        path = self.folder / "load"
        path.write_text(
            "set -euo pipefail\nsay() { :; }\nfinish() { stop_load; }\n"
            f'{functions}start_load\necho "${{load[*]}}"\n{then}\n'
        )
        # Processes in a background job ignore interrupts, and bash cannot trap ignored signals.
        process = subprocess.Popen(
            ["bash", str(path)],
            stdout=subprocess.PIPE,
            universal_newlines=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        pids = process.stdout.readline().split()
        self.assertEqual(4 * len(os.sched_getaffinity(0)), len(pids))
        return process, pids

    def assert_gone(self, process, pids):
        process.wait()
        process.stdout.close()
        while any(is_running(pid) for pid in pids):
            time.sleep(0.05)  # a test that hangs here has found a load that stays

    def test_at_the_end(self):
        self.assert_gone(*self.start("true"))

    def test_on_a_failure(self):
        self.assert_gone(*self.start("false"))

    def test_on_an_interrupt(self):
        self.signal(signal.SIGINT)

    def test_on_an_ordinary_kill(self):
        self.signal(signal.SIGTERM)

    def test_on_a_kill_that_cannot_be_caught(self):
        self.signal(signal.SIGKILL)

    def signal(self, number):
        process, pids = self.start("while true; do sleep 0.1; done")
        process.send_signal(number)
        self.assert_gone(process, pids)


def is_running(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
