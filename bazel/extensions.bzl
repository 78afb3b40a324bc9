"""gprofhub's own repositories, for a MODULE.bazel.

    bazel_dep(name = "gprofhub", version = "…")

is all that a module needs. To download the program `gprofhub`, where it is not in PATH:

    gprofhub = use_extension("@gprofhub//bazel:extensions.bzl", "gprofhub")
    gprofhub.client(url = "https://…/gprofhub-linux-x86_64.tar.gz", sha256 = "…")
"""

load(":client.bzl", "CLIENT_ATTRIBUTES", "gprofhub_client")
load(":repositories.bzl", "declare_repositories")

def _gprofhub_impl(module_ctx):
    existing = []
    for module in module_ctx.modules:
        # The root module comes first. A dependency's choice is not the user's.
        if module.is_root and module.tags.client:
            if len(module.tags.client) > 1:
                fail("gprofhub.client() may be called once")
            client = module.tags.client[0]
            gprofhub_client(
                name = "gprofhub_client",
                program = client.program,
                sha256 = client.sha256,
                strip_prefix = client.strip_prefix,
                url = client.url,
            )
            existing.append("gprofhub_client")
    declare_repositories(existing = existing)

gprofhub = module_extension(
    implementation = _gprofhub_impl,
    tag_classes = {
        "client": tag_class(
            attrs = CLIENT_ATTRIBUTES,
            doc = "Where to download the program gprofhub from.",
        ),
    },
)
