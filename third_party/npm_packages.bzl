"""The npm packages of a lock file as a Bazel repository.

`ci/setup` installs them, so that a build needs no network. The repository links to what is there,
if it is that of the lock file.
"""

def _npm_packages_impl(repository_ctx):
    environ = repository_ctx.os.environ
    cache = environ.get("XDG_CACHE_HOME") or environ.get("HOME", "") + "/.cache"
    folder = repository_ctx.path(cache + "/gprofhub/" + repository_ctx.attr.folder)
    lock = repository_ctx.read(repository_ctx.path(repository_ctx.attr.lock))
    installed = folder.get_child("installed")
    if not installed.exists or repository_ctx.read(installed) != lock:
        fail("The npm packages of %s are not in %s. Run ./ci/setup, then build again." %
             (repository_ctx.attr.lock, folder))
    repository_ctx.symlink(folder.get_child("node_modules"), "node_modules")
    groups = [
        """
filegroup(
    name = "{name}",
    srcs = glob({patterns}),
    visibility = {visibility},
)
""".format(
            name = name,
            patterns = repr(["node_modules/" + pattern for pattern in patterns]),
            visibility = repr(repository_ctx.attr.users),
        )
        for name, patterns in repository_ctx.attr.groups.items()
    ]
    repository_ctx.file("BUILD", "".join(groups))

npm_packages = repository_rule(
    implementation = _npm_packages_impl,
    attrs = {
        "groups": attr.string_list_dict(
            mandatory = True,
            doc = "filegroups, and the patterns of their files",
        ),
        "folder": attr.string(mandatory = True, doc = "below the cache's folder of gprofhub"),
        "lock": attr.label(mandatory = True, doc = "package-lock.json"),
        "users": attr.string_list(mandatory = True, doc = "who may depend on it, as in visibility"),
    },
    environ = ["HOME", "XDG_CACHE_HOME"],
    local = True,
)
