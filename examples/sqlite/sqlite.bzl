"""SQLite's amalgamation as @sqlite//:sqlite, from a folder that ci/fetch_sqlite fills."""

_BUILD = """
cc_library(
    name = "sqlite",
    srcs = ["sqlite3.c"],
    hdrs = ["sqlite3.h"],
    # Each commit compiles its release. -O2 takes twice as long.
    copts = [
        "-O1",
        "-w",
    ],
    defines = ["SQLITE_THREADSAFE=0"],
    includes = ["."],
    linkopts = ["-lm"],
    local_defines = [
        "SQLITE_DQS=0",
        "SQLITE_OMIT_LOAD_EXTENSION",
    ],
    visibility = ["//visibility:public"],
)
"""

def _cache(repository_ctx):
    environment = repository_ctx.os.environ
    if environment.get("GPROFHUB_SQLITE_DIR"):
        return environment["GPROFHUB_SQLITE_DIR"]
    if environment.get("XDG_CACHE_HOME"):
        return environment["XDG_CACHE_HOME"] + "/gprofhub/sqlite"
    return environment.get("HOME", "/root") + "/.cache/gprofhub/sqlite"

def _sqlite_amalgamation_impl(repository_ctx):
    release = repository_ctx.attr.release
    folder = repository_ctx.path(_cache(repository_ctx) + "/" + release)
    for name in ["sqlite3.c", "sqlite3.h"]:
        if not folder.get_child(name).exists:
            fail("{folder}/{name} was not found. Fetch it with gprofhub's ci/fetch_sqlite {release} (or point GPROFHUB_SQLITE_DIR to where it lies), then build again.".format(
                folder = folder,
                name = name,
                release = release,
            ))
        repository_ctx.symlink(folder.get_child(name), name)
    repository_ctx.file("BUILD", _BUILD)

sqlite_amalgamation = repository_rule(
    implementation = _sqlite_amalgamation_impl,
    attrs = {
        "release": attr.string(
            mandatory = True,
            doc = "the release of npm's better-sqlite3 whose amalgamation is used",
        ),
    },
    environ = ["GPROFHUB_SQLITE_DIR", "HOME", "XDG_CACHE_HOME"],
)
