"""The C++ toolchain of --config=gprof.

It is the host's own compiler with an assembler in front of the real one. That
assembler adds the counters of calls and blocks (runtime/assembler). Where there is
none, it is the host's own toolchain, and calls are counted by mcount.

The compiler compiles the assembler when the repository is fetched. The assembler and
a wrapper of the compiler lie in one folder, which is named by a digest of what they
are made of. The folder's name is part of every compile command. So no object
that an older assembler made is taken from a cache.

The folder lies outside the sandbox. The sandbox shows it read-only. Workers on other
machines do not have it.
"""

load("@bazel_tools//tools/cpp:cc_configure.bzl", "cc_autoconf_impl")
load(":counting_compiler.bzl", "counting_compiler")

_SOURCES = [
    "block_counters.cc",
    "block_counters.h",
    "call_counters.cc",
    "call_counters.h",
    "code.cc",
    "code.h",
    "instructions.cc",
    "instructions.h",
    "instrument.cc",
    "instrument.h",
    "lines.h",
    "main.cc",
    "pieces.h",
    "references.cc",
    "references.h",
    "sections.cc",
    "sections.h",
    "statements.cc",
    "statements.h",
    "symbols.cc",
    "symbols.h",
    "text_parts.h",
]

def _compiler(repository_ctx):
    name = repository_ctx.os.environ.get("CC", "").strip() or "gcc"
    return name if name.startswith("/") else repository_ctx.which(name)

# "gcc", "clang" or nothing, by the compiler's output for -v.
def _kind(repository_ctx, compiler):
    if not compiler or repository_ctx.execute(["uname", "-m"]).stdout.strip() != "x86_64":
        return None
    version = repository_ctx.execute([compiler, "-v"])
    for kind in ["clang", "gcc"]:
        if kind + " version" in version.stdout + version.stderr:
            return kind
    return None

# Path of the assembler; nothing if the compiler cannot build it.
def _make_assembler(repository_ctx, compiler):
    sources = [repository_ctx.path(Label("//runtime/assembler:" + name)) for name in _SOURCES]
    root = sources[0].dirname.dirname.dirname
    parts = sources + [repository_ctx.path(Label("//bazel:counting_compiler.bzl"))]
    digests = repository_ctx.execute(["sha256sum"] + parts).stdout.splitlines()
    digest = "".join([line.split(" ")[0][:8] for line in digests])
    repository_ctx.file(digest + "/.keep", "")
    folder = str(repository_ctx.path(digest))
    result = repository_ctx.execute(
        [compiler, "-xc++", "-std=c++17", "-O2", "-I%s" % root] +
        [source for source in sources if source.basename.endswith(".cc")] +
        ["-o", folder + "/as", "-lstdc++"],
    )
    return None if result.return_code != 0 else folder

def _fast_toolchain_impl(repository_ctx):
    compiler = _compiler(repository_ctx)
    kind = _kind(repository_ctx, compiler)
    folder = _make_assembler(repository_ctx, compiler) if kind else None
    if not folder:
        # buildifier: disable=print
        print("gprofhub: calls are counted by mcount. Counters in the text, which cost less, " +
              "need x86-64, gcc or clang, and C++17.")
        cc_autoconf_impl(repository_ctx)
        return
    wrapper = counting_compiler("'%s'" % compiler, "'%s'" % folder, kind == "clang")
    repository_ctx.file(folder + "/gcc", wrapper, executable = True)
    cc_autoconf_impl(repository_ctx, overriden_tools = {"gcc": folder + "/gcc"})

fast_toolchain = repository_rule(
    implementation = _fast_toolchain_impl,
    configure = True,
    doc = "The host's C++ toolchain. Its -pg puts counters into the text where that can be.",
    environ = ["BAZEL_CXXOPTS", "BAZEL_LINKLIBS", "BAZEL_LINKOPTS", "CC", "PATH"],
)
