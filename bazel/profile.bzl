"""Profiles of tests on the terminal: `gprof_profile` and `gprof_test_suite`."""

load("@gprofhub_bazel//:rules.bzl", "sh_binary")

def _absolute(label):
    if label.startswith("//") or label.startswith("@"):
        return label
    return "//%s:%s" % (native.package_name(), label.lstrip(":"))

def gprof_test_suite(name, tests, config = "gprof", options = [], **kwargs):
    """A target whose run profiles several tests and prints their profiles. No server is needed.

        bazel run //:profiles -- [//TEST] [FILTER]

    It runs `bazel test --config=gprof` of the tests, so with their usual arguments and environment.
    Then it prints, of each program of each test, the flat profile, the call graph and where the flame
    graph is.

    Args:
      name: the target's name.
      tests: labels of the tests. One of them behind `--` runs that test only.
      config: "gprof", "gprof_allocations", "gprof_peak", "gprof_lines" or "gprof_mcount".
      options: further options of `bazel test`, such as ["-c", "opt"].
      **kwargs: attributes that all rules have.
    """
    sh_binary(
        name = name,
        testonly = True,
        srcs = [Label("//bazel:print_profile.sh")],
        args = [_absolute(test) for test in tests] + ["--config=" + config] + options + ["--"],
        tags = kwargs.pop("tags", []) + ["manual"],
        **kwargs
    )

def gprof_profile(name, test, config = "gprof", options = [], **kwargs):
    """The same of one test.

        bazel run //:profile -- [FILTER]

    Args:
      name: the target's name.
      test: label of the test.
      config: as gprof_test_suite has it.
      options: likewise.
      **kwargs: attributes that all rules have.
    """
    gprof_test_suite(
        name = name,
        tests = [test],
        config = config,
        options = options,
        **kwargs
    )
