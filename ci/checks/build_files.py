"""buildifier over every BUILD, WORKSPACE and .bzl file."""

from checks import tools
from checks.outcome import Outcome

# Disabled lint warnings. The others of buildifier's defaults are on; a line that needs an exception
# has `# buildifier: disable=NAME` and the reason.
#
# These require rules and providers from rules_cc and rules_shell, as Bazel 8 does. Debian's Bazel
# 4.2.3 has them built in, and Debian's rules_cc does not load in it (bazel/repositories.bzl). Files of
# the archive for users' Bazel load them: ci/checks/bazel_versions.py has these warnings on.
OFF = [
    "native-cc-binary",
    "native-cc-common",
    "native-cc-info",
    "native-cc-library",
    "native-cc-test",
    "native-cc-toolchain",
    "native-cc-toolchain-suite",
    "native-sh-binary",
    "native-sh-test",
]


def check(the_tree, write=False):
    buildifier = tools.find("buildifier")
    files = the_tree.build_files()
    warnings = "-warnings=" + ",".join("-" + name for name in OFF)
    if write:
        for batch in tools.batches(files):
            tools.run([buildifier, "-mode=fix", *batch], the_tree.root)
    faults = []
    for batch in tools.batches(files):
        done = tools.run(
            [buildifier, "-mode=check", "-lint=warn", warnings, *batch], the_tree.root
        )
        found = [line for line in done.stdout.splitlines() if line.strip()]
        faults += found
        if done.returncode != 0 and not found:
            faults.append(f"buildifier failed with status {done.returncode}")
    return [Outcome("build-files: buildifier", faults, f"{len(files)} files")]
