"""The repositories of others: fetched, given a WORKSPACE that needs no network, edited."""

import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "benchmarks" / "verdicts"))
from fetch import debian_source  # noqa: E402

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "gprofhub-repositories"


class Edit:
    """Replaces `old`, which stands once in the file, by `new`."""

    def __init__(self, file, old, new):
        self.file, self.old, self.new = file, old, new

    def apply(self, folder):
        path = folder / self.file
        text = path.read_text()
        if text.count(self.old) != 1:
            raise SystemExit(f"{path}: {self.old!r} stands {text.count(self.old)} times in it, not once")
        path.write_text(text.replace(self.old, self.new))


class Repository:
    """`workspace` is its name in its own labels; `needs` maps names of other repositories to Debian's
    source packages."""

    def __init__(self, name, workspace, tests, needs, comment, planted, options=(), remove=()):
        self.name, self.workspace, self.tests, self.needs = name, workspace, tests, needs
        self.comment, self.planted, self.options, self.remove = comment, planted, options, remove

    def make(self, folder):
        shutil.copytree(source(self.name), folder)

    def folder(self, state, gprofhub=ROOT, name=None):
        """The repository in that state, made if it is not there; `gprofhub` is the folder of its rules."""
        folder = CACHE / "trees" / self.name / (name or state)
        if folder.exists():
            return folder
        staged = folder.with_suffix(".part")
        shutil.rmtree(staged, ignore_errors=True)
        self.make(staged)
        for path in self.remove:
            (staged / path).unlink()
        if state != "base":
            self.comment.apply(staged)
        if state == "planted":
            self.planted.apply(staged)
        (staged / "WORKSPACE").write_text(self._workspace(gprofhub))
        (staged / ".bazelrc").write_text(
            f"import {gprofhub}/bazel/gprof.bazelrc\n"
            "build --cxxopt=-std=c++17 --host_cxxopt=-std=c++17 --nosandbox_debug\n"
        )
        staged.rename(folder)
        return folder

    def _workspace(self, gprofhub):
        lines = [
            f'workspace(name = "{self.workspace}")',
            f'local_repository(name = "gprofhub", path = "{gprofhub}")',
            'load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")',
            "gprofhub_repositories()",
        ]
        for name, package in self.needs.items():
            lines.append(f'local_repository(name = "{name}", path = "{source(package)}")')
        lines += ['load("@gprofhub//bazel:debian.bzl", "debian_repositories")', "debian_repositories()"]
        return "\n".join(lines) + "\n"


def source(package):
    folder = CACHE / "sources" / package
    if not folder.exists():
        staged = folder.with_suffix(".part")
        shutil.rmtree(staged, ignore_errors=True)
        debian_source(package, staged)
        staged.rename(folder)
    return folder


def comment_above(file, line):
    return Edit(file, line, "// A comment more.\n" + line)


REPOSITORIES = [
    # Threads, spin locks, time-outs, hashes of addresses, random numbers.
    Repository(
        "abseil",
        "com_google_absl",
        ["//absl/..."],
        {"com_google_googletest": "googletest", "com_github_google_benchmark": "benchmark"},
        comment_above("absl/base/internal/raw_logging.cc", "#include <cstdarg>\n"),
        Edit(
            "absl/time/internal/cctz/src/time_zone_format.cc",
            "  const time_zone::absolute_lookup al = tz.lookup(tp);\n",
            "  tz.lookup(tp);\n  const time_zone::absolute_lookup al = tz.lookup(tp);\n",
        ),
        options=["--test_tag_filters=-benchmark", "--build_tests_only"],
    ),
    # How often nearly everything runs depends on how fast the machine is just then.
    Repository(
        "benchmark",
        "com_github_google_benchmark",
        ["//test/..."],
        {"com_google_googletest": "googletest"},
        comment_above("src/statistics.cc", "#include <algorithm>\n"),
        Edit(
            "src/benchmark_register.cc",
            "        const auto full_name = instance.name().str();\n",
            "        instance.name().str();\n        const auto full_name = instance.name().str();\n",
        ),
    ),
    # One test, with most of its CPU in a parser; hashes of addresses.
    Repository(
        "yaml-cpp",
        "com_github_jbeder_yaml_cpp",
        ["//..."],
        {"com_google_googletest": "googletest"},
        comment_above("src/parser.cpp", "#include <cstdio>\n"),
        Edit(
            "src/scanner.cpp",
            "    // then eat a comment\n",
            "    Exp::Comment().Matches(INPUT);\n    // then eat a comment\n",
        ),
    ),
    # One thread, and nothing but arithmetic.
    Repository(
        "double-conversion",
        "com_github_google_double_conversion",
        ["//..."],
        {},
        comment_above("double-conversion/bignum.cc", "#include <algorithm>\n"),
        Edit(
            "double-conversion/bignum-dtoa.cc",
            "  Bignum* power_ten = numerator;\n",
            "  Bignum* power_ten = numerator;\n  power_ten->AssignPowerUInt16(10, -estimated_power);\n",
        ),
    ),
]


def by_name(names):
    known = {repository.name: repository for repository in REPOSITORIES}
    for name in names:
        if name not in known:
            raise SystemExit(f"--repositories: {name} is none of {', '.join(known)}")
    return [known[name] for name in names]
