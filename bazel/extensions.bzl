"""gprofhub's own repositories, for a MODULE.bazel.

    bazel_dep(name = "gprofhub")
    gprofhub = use_extension("@gprofhub//bazel:extensions.bzl", "gprofhub")

It declares what gprofhub_repositories() declares for a WORKSPACE. Bazel 4.2.3 has no module
extensions, so no test runs it.
"""

load(":repositories.bzl", "declare_repositories")

def _gprofhub_impl(_module_ctx):
    declare_repositories()

gprofhub = module_extension(implementation = _gprofhub_impl)
