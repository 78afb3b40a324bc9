"""docs/runtime/system-calls.md has all system calls that the runtime makes, and no others."""

import re
import unittest

from planted import ROOT

CODE = re.compile(r"\bGH_CALL[0-6]\(([a-z]\w+)|\bgh_syscall\(SYS_(\w+)|\(long\)SYS_(\w+)|= SYS_(\w+);")
# Their numbers are in the assembly: the end of a signal handler, and of an instrumented runtime.
IN_ASSEMBLY = {"rt_sigreturn", "write", "exit_group"}


def made():
    calls = set(IN_ASSEMBLY)
    for path in (ROOT / "runtime").rglob("*"):
        if path.suffix in {".c", ".h"} and not re.search(r"_test$", path.stem):
            for groups in CODE.findall(path.read_text()):
                calls.update(name for name in groups if name)
    return calls


def assembly_with_system_calls():
    files = [path for path in (ROOT / "runtime").rglob("*") if path.suffix in {".S", ".inc"}]
    return sorted(
        path.name for path in files if re.search(r"^\s*(syscall|svc)\b", path.read_text(), re.M)
    )


def listed():
    calls = set()
    for row in re.findall(r"^\| (.*?) \|", (ROOT / "docs/runtime/system-calls.md").read_text(), re.M):
        if not row.startswith("**"):
            calls.update(re.findall(r"`([a-z]\w+)`", row))
    return calls


class SystemCallsTest(unittest.TestCase):
    def test_the_list_is_that_of_the_code(self):
        self.assertEqual(sorted(made() - listed()), [], "made, and not listed")
        self.assertEqual(sorted(listed() - made()), [], "listed, and not made")

    def test_assembly_makes_them_in_the_stubs_only(self):
        self.assertEqual(assembly_with_system_calls(), ["arc_stubs_aarch64.S", "arc_stubs_x86_64.S"])

    def test_code_names_each_call_where_it_makes_it(self):
        text = "GH_CALL2(getrusage, 0, 0); gh_syscall(SYS_openat, 0); x8 = SYS_clone;"
        names = {name for groups in CODE.findall(text) for name in groups if name}
        self.assertEqual(names, {"getrusage", "openat", "clone"})


if __name__ == "__main__":
    unittest.main()
