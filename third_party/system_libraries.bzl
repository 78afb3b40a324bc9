"""Debian's libraries as Bazel repositories, found through pkg-config.

Every library is used as @NAME//:NAME. Headers stand in /usr/include, which the
toolchain searches anyway. A repository adds defines, further include directories and
the link line.
"""

def _fail_missing(repository_ctx, what):
    fail("{what} was not found. Install the Debian package {package} (./ci/setup installs everything this repository needs), then build again.".format(
        what = what,
        package = repository_ctx.attr.debian_package,
    ))

def _pkg_config(repository_ctx, flag):
    tool = repository_ctx.which("pkg-config")
    if not tool:
        fail("pkg-config was not found. Run ./ci/setup, then build again.")
    result = repository_ctx.execute([tool, flag] + repository_ctx.attr.modules)
    if result.return_code != 0:
        _fail_missing(repository_ctx, "pkg-config module " + " ".join(repository_ctx.attr.modules))
    return [word for word in result.stdout.replace("\n", " ").split(" ") if word]

def _system_library_impl(repository_ctx):
    cflags = []
    linkopts = list(repository_ctx.attr.linkopts)
    if repository_ctx.attr.modules:
        cflags = _pkg_config(repository_ctx, "--cflags")
        linkopts = _pkg_config(repository_ctx, "--libs") + linkopts
    if repository_ctx.attr.header and not repository_ctx.path("/usr/include/" + repository_ctx.attr.header).exists:
        _fail_missing(repository_ctx, "/usr/include/" + repository_ctx.attr.header)
    seen = {}
    for option in linkopts:
        seen[option] = True
    defines = [flag[2:] for flag in cflags if flag.startswith("-D")]

    # Bazel refuses absolute include directories. So a directory outside the default
    # search path is reached through a link in the repository.
    links = []
    for index, flag in enumerate([flag for flag in cflags if flag.startswith("-I")]):
        link = "include%d" % index
        repository_ctx.symlink(flag[2:], link)
        links.append(link)
    repository_ctx.file("BUILD", """
cc_library(
    name = "{name}",
    hdrs = glob([{globs}]),
    includes = {includes},
    defines = {defines},
    linkopts = {linkopts},
    visibility = {visibility},
)
""".format(
        name = repository_ctx.name,
        globs = ", ".join(['"%s/**/*.h", "%s/**/*.hpp", "%s/**/*.hxx"' % (link, link, link) for link in links]),
        includes = repr(links),
        defines = repr(defines),
        linkopts = repr(seen.keys()),
        visibility = repr(repository_ctx.attr.users),
    ))

system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {
        "debian_package": attr.string(mandatory = True),
        "header": attr.string(doc = "a header below /usr/include that must exist"),
        "linkopts": attr.string_list(),
        "modules": attr.string_list(doc = "pkg-config modules"),
        "users": attr.string_list(
            default = ["//visibility:public"],
            doc = "who may depend on the library, as in visibility",
        ),
    },
    environ = ["PKG_CONFIG_PATH"],
    local = True,
)

# Only the store sees the databases' libraries.
_STORE = ["@gprofhub//store:__subpackages__"]

def system_libraries():
    """Declares one repository per system library."""
    system_library(
        name = "absl",
        debian_package = "libabsl-dev",
        modules = ["absl_status", "absl_statusor", "absl_strings", "absl_str_format", "absl_flat_hash_map", "absl_flat_hash_set", "absl_time", "absl_synchronization", "absl_span", "absl_hash", "absl_cord"],
    )
    system_library(
        name = "boost",
        debian_package = "libboost-dev",
        header = "boost/math/distributions/students_t.hpp",
    )
    system_library(name = "cli11", debian_package = "libcli11-dev", header = "CLI/CLI.hpp")
    system_library(name = "cmark_gfm", debian_package = "libcmark-gfm-dev libcmark-gfm-extensions-dev", header = "cmark-gfm-core-extensions.h", linkopts = ["-lcmark-gfm-extensions", "-lcmark-gfm"])
    system_library(name = "curl", debian_package = "libcurl4-openssl-dev", modules = ["libcurl"], users = ["@gprofhub//base:__subpackages__", "@gprofhub//reporter/notify:__pkg__"])
    system_library(name = "dtl", debian_package = "libdtl-dev", header = "dtl/dtl.hpp", users = ["@gprofhub//page:__pkg__"])
    system_library(name = "elfutils", debian_package = "libdw-dev", modules = ["libdw", "libelf"])

    # A statically linked program needs these for elfutils' archives.
    system_library(name = "elfutils_archives", debian_package = "libbz2-dev liblzma-dev", linkopts = ["-llzma", "-lbz2", "-lz"])
    system_library(name = "expat", debian_package = "libexpat1-dev", modules = ["expat"], users = ["@gprofhub//store/objects:__pkg__"])
    system_library(name = "grpc", debian_package = "libgrpc++-dev", modules = ["grpc++", "protobuf"])
    system_library(name = "gtest", debian_package = "libgtest-dev", modules = ["gtest"], linkopts = ["-lgmock"])
    system_library(name = "httplib", debian_package = "libcpp-httplib-dev", modules = ["cpp-httplib"])
    system_library(name = "iberty", debian_package = "libiberty-dev", header = "libiberty/demangle.h", linkopts = ["-liberty"])
    system_library(name = "json", debian_package = "nlohmann-json3-dev", header = "nlohmann/json.hpp")
    system_library(name = "jwt", debian_package = "libjwt-dev", modules = ["libjwt"], users = ["@gprofhub//collector:__subpackages__", "@gprofhub//reporter/forge:__subpackages__"])
    system_library(name = "lzma", debian_package = "liblzma-dev", modules = ["liblzma"], users = ["@gprofhub//profile/elf:__pkg__"])
    system_library(name = "openssl_crypto", debian_package = "libssl-dev", modules = ["libcrypto"])
    system_library(name = "openssl_ssl", debian_package = "libssl-dev", modules = ["libssl", "libcrypto"], users = ["@gprofhub//ci/upload:__subpackages__", "@gprofhub//tests:__subpackages__"])
    system_library(name = "png", debian_package = "libpng-dev", modules = ["libpng"], users = ["@gprofhub//cli:__subpackages__"])
    system_library(name = "pq", debian_package = "libpq-dev", modules = ["libpq"], users = _STORE)
    system_library(name = "prometheus", debian_package = "prometheus-cpp-dev", modules = ["prometheus-cpp-core"], users = ["@gprofhub//server:__pkg__"])
    system_library(name = "protobuf", debian_package = "libprotobuf-dev", modules = ["protobuf"])
    system_library(name = "seccomp", debian_package = "libseccomp-dev", modules = ["libseccomp"], users = ["@gprofhub//analyzer/worker:__pkg__"])
    system_library(name = "spdlog", debian_package = "libspdlog-dev", modules = ["spdlog"])
    system_library(name = "sqlite3", debian_package = "libsqlite3-dev", modules = ["sqlite3"], users = _STORE)
    system_library(name = "zlib", debian_package = "zlib1g-dev", modules = ["zlib"])
    system_library(name = "zydis", debian_package = "libzydis-dev libzycore-dev", header = "Zydis/Zydis.h", linkopts = ["-lZydis"])
    system_library(name = "zip", debian_package = "libzip-dev", modules = ["libzip"])
    system_library(name = "zstd", debian_package = "libzstd-dev", modules = ["libzstd"])
