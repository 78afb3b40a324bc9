"""What a user's WORKSPACE needs to load gprofhub.

    local_repository(name = "gprofhub", path = "third_party/gprofhub")
    load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")
    gprofhub_repositories()

A user's tests need nothing but a C++ toolchain to be built with --config=gprof. All
repositories that are declared here are gprofhub's own. So plain builds find the others
where they found them without gprofhub.
"""

load(":fast_toolchain.bzl", "fast_toolchain")
load(":version.bzl", "supported_bazel")

def _linkers_impl(repository_ctx):
    found = [name for name in ["lld", "gold", "bfd"] if repository_ctx.which("ld." + name)]
    repository_ctx.file("BUILD", "")
    repository_ctx.file("linkers.bzl", "# Linkers that can link in a given order, the best first.\nLINKERS = %s\n" % repr(found))

_linkers = repository_rule(implementation = _linkers_impl, configure = True, environ = ["PATH"])

# A WORKSPACE calls it once, and has no use for a name.
# buildifier: disable=unnamed-macro
def gprofhub_repositories():
    """Declares gprofhub's own repositories, unless they exist already."""
    if not native.existing_rule("gprofhub_linkers"):
        _linkers(name = "gprofhub_linkers")

    # Only the profiling configurations fetch these.
    if not native.existing_rule("gprofhub_bazel"):
        supported_bazel(name = "gprofhub_bazel", version = native.bazel_version)
    if not native.existing_rule("gprofhub_fast_toolchain"):
        fast_toolchain(name = "gprofhub_fast_toolchain")
