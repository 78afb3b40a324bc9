"""What a user's WORKSPACE needs to load gprofhub.

    local_repository(name = "gprofhub", path = "/usr/share/gprofhub/bazel")
    load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")
    gprofhub_repositories()

A user's tests need nothing but a C++ toolchain to be built with --config=gprof. All
repositories that are declared here are gprofhub's own. So plain builds find the others
where they found them without gprofhub.
"""

load("//bazel/toolchain:fast_toolchain.bzl", "fast_toolchain")
load(":client.bzl", "gprofhub_client")
load(":running_bazel.bzl", "running_bazel")

# A plain build fetches the first, where it loads gprofhub's rules. Profiling fetches all.
_REPOSITORIES = {
    "gprofhub_bazel": running_bazel,
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
