"""One test's profile on the terminal: `gprof_profile`."""

def gprof_profile(name, test, config = "gprof", options = [], **kwargs):
    """A target whose run profiles one test and prints the profile. No server is needed.

        bazel run //:profile -- FILTER

    It runs `bazel test --config=gprof --test_filter=FILTER` of the test, so with its usual
    arguments and environment. Then it prints the flat profile, the call graph and where
    the flame graph is. Without FILTER all of the test runs.

    Args:
      name: the target's name.
      test: label of the test.
      config: "gprof", "gprof_fast" or "gprof_lines".
      options: further options of `bazel test`, such as ["-c", "opt"].
      **kwargs: attributes that all rules have.
    """
    if not test.startswith("//") and not test.startswith("@"):
        test = "//%s:%s" % (native.package_name(), test.lstrip(":"))
    native.sh_binary(
        name = name,
        testonly = True,
        srcs = [Label("//bazel:print_profile.sh")],
        args = [test, "--config=" + config] + options + ["--"],
        tags = kwargs.pop("tags", []) + ["manual"],
        **kwargs
    )
