"""What a user's WORKSPACE needs to load gprofhub.

    local_repository(name = "gprofhub", path = "third_party/gprofhub")
    load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")
    gprofhub_repositories()

A user's tests need nothing but a C++ toolchain to be built with --config=gprof.
Bazel itself asks for the repositories that are declared here. They are taken from
Debian's packages, so no download is needed. A repository that the user's WORKSPACE
already declares is left alone.
"""

load(":fast_toolchain.bzl", "fast_toolchain")

_DEBIAN_REPOSITORIES = {
    "bazel_skylib": ("/usr/share/bazel/tools/skylib", "bazel-skylib"),
    "platforms": ("/usr/share/bazel/tools/platforms", "bazel-platforms"),
    "rules_java": ("/usr/share/bazel/rules/java", "bazel-rules-java"),
    "rules_proto": ("/usr/share/bazel/rules/proto", "bazel-rules-proto"),
}

def _rules_cc_impl(repository_ctx):
    # Debian's bazel-rules-cc 0.0.4 does not load in Bazel 4.2.3. Only its native rules
    # are used, so this repository has just those.
    repository_ctx.file("WORKSPACE", 'workspace(name = "rules_cc")\n')
    repository_ctx.file("BUILD", "")
    repository_ctx.file("cc/BUILD", 'exports_files(["defs.bzl"])\n')
    names = ["cc_binary", "cc_import", "cc_library", "cc_proto_library", "cc_test", "cc_toolchain", "cc_toolchain_suite", "objc_import", "objc_library"]
    repository_ctx.file("cc/defs.bzl", "".join([
        "def {name}(**attrs):\n    native.{name}(**attrs)\n\n".format(name = name)
        for name in names
    ]))

_rules_cc = repository_rule(implementation = _rules_cc_impl)

def _no_remote_coverage_tools_impl(repository_ctx):
    # `bazel test` resolves this label even when no coverage is collected.
    repository_ctx.file("WORKSPACE", 'workspace(name = "remote_coverage_tools")\n')
    repository_ctx.file("BUILD", """
filegroup(
    name = "coverage_report_generator",
    srcs = [],
    visibility = ["//visibility:public"],
)
""")

_no_remote_coverage_tools = repository_rule(implementation = _no_remote_coverage_tools_impl)

def _linkers_impl(repository_ctx):
    found = [name for name in ["lld", "gold", "bfd"] if repository_ctx.which("ld." + name)]
    repository_ctx.file("BUILD", "")
    repository_ctx.file("linkers.bzl", "# Linkers that can link in a given order, the best first.\nLINKERS = %s\n" % repr(found))

_linkers = repository_rule(implementation = _linkers_impl, configure = True, environ = ["PATH"])

# A WORKSPACE calls it once, and has no use for a name.
# buildifier: disable=unnamed-macro
def gprofhub_repositories():
    """Declares the repositories that Bazel needs, unless they exist already."""
    for name, (path, _package) in _DEBIAN_REPOSITORIES.items():
        if not native.existing_rule(name):
            native.local_repository(name = name, path = path)
    if not native.existing_rule("rules_cc"):
        _rules_cc(name = "rules_cc")
    if not native.existing_rule("remote_coverage_tools"):
        _no_remote_coverage_tools(name = "remote_coverage_tools")
    if not native.existing_rule("gprofhub_linkers"):
        _linkers(name = "gprofhub_linkers")

    # Only --config=gprof_fast and --config=gprof_lines fetch it.
    if not native.existing_rule("gprofhub_fast_toolchain"):
        fast_toolchain(name = "gprofhub_fast_toolchain")
