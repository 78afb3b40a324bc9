"""What a user's WORKSPACE needs to load gprofhub.

    local_repository(name = "gprofhub", path = "/usr/share/gprofhub/bazel")
    load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")
    gprofhub_repositories()

A user's tests need nothing but a C++ toolchain to be built with --config=gprof. All
repositories that are declared here are gprofhub's own. So plain builds find the others
where they found them without gprofhub.
"""

load(":client.bzl", "gprofhub_client")
load(":fast_toolchain.bzl", "fast_toolchain")
load(":version.bzl", "supported_bazel")

def _linkers_impl(repository_ctx):
    found = [name for name in ["lld", "gold", "bfd"] if repository_ctx.which("ld." + name)]
    repository_ctx.file("BUILD", "")
    repository_ctx.file("linkers.bzl", "# Linkers that can link in a given order, the best first.\nLINKERS = %s\n" % repr(found))

_linkers = repository_rule(implementation = _linkers_impl, configure = True, environ = ["PATH"])

def _supported_bazel(name):
    # bazel_version is not always defined where modules are evaluated.
    supported_bazel(name = name, version = getattr(native, "bazel_version", ""))

# Only the profiling configurations fetch more than the first.
_REPOSITORIES = {
    "gprofhub_linkers": _linkers,
    "gprofhub_bazel": _supported_bazel,
    "gprofhub_client": gprofhub_client,
    "gprofhub_fast_toolchain": fast_toolchain,
}

def declare_repositories(existing = []):
    """Declares gprofhub's own repositories.

    Args:
      existing: names of repositories that stay as they are.
    """
    for name, declare in _REPOSITORIES.items():
        if name not in existing:
            declare(name = name)

# A WORKSPACE calls it once, without a name. buildifier: disable=unnamed-macro
def gprofhub_repositories():
    """Declares gprofhub's own repositories, unless they exist already."""
    declare_repositories(existing = [name for name in _REPOSITORIES if native.existing_rule(name)])
