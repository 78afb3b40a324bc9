"""What differs among the versions of Bazel: where rules come from, and which file of options fits."""

# gprof.bazelrc is for Bazel 4 to 6. `bazel run @gprofhub//bazel:setup` writes it for the others,
# whose names of repositories and options differ: Bazel 7, and Bazel 8 and later.
_FIRST = 4

def bazelrc_version(major):
    """The version that options for Bazel `major` are marked with."""
    return 4 if major < 7 else min(major, 8)

BazelrcInfo = provider(doc = "What --@gprofhub//bazel:bazelrc says.", fields = ["made_for"])

def _bazelrc_impl(ctx):
    return [BazelrcInfo(made_for = ctx.build_setting_value)]

bazelrc = rule(
    implementation = _bazelrc_impl,
    build_setting = config.string(flag = True),
    doc = "Which versions of Bazel the file with the profiling options is for, or nothing.",
)

RunningBazelInfo = provider(doc = "The running Bazel.", fields = ["major", "version"])

def _running_bazel_version_impl(ctx):
    return [RunningBazelInfo(major = ctx.attr.major, version = ctx.attr.version)]

running_bazel_version = rule(
    implementation = _running_bazel_version_impl,
    attrs = {
        "major": attr.int(mandatory = True),
        "version": attr.string(doc = "For people.", mandatory = True),
    },
    doc = "What @gprofhub_bazel says of the running Bazel.",
)

def check_bazel(running, made_for):
    """Fails with a message if this Bazel or the file of options is not the right one.

    Args:
      running: a RunningBazelInfo.
      made_for: of BazelrcInfo.
    """
    if running.major < _FIRST:
        fail("gprofhub's --config=gprof needs Bazel %d or later. This is Bazel %s. Plain builds may use any version." %
             (_FIRST, running.version))
    if made_for and made_for != str(bazelrc_version(running.major)):
        fail(("The profiling options in your gprof.bazelrc are for Bazel %s, and this is Bazel %s. Write the " +
              "file for this version with: bazel run @gprofhub//bazel:setup") %
             ({"4": "4 to 6", "7": "7", "8": "8 and later"}.get(made_for, made_for), running.version))
