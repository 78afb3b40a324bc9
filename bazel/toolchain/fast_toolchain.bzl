"""The C++ toolchain of --config=gprof, and the platform that selects it.

It is the host's own toolchain, @local_config_cc, with another path of the compiler: a script
(counting_compiler.bzl), beside which lies an assembler that adds the counters of calls and blocks
(runtime/assembler). Both lie in `extra_tools/`, whose files Bazel's own BUILD file makes inputs of
each action. So sandboxes, caches and remote workers have them, at relative paths.

The toolchain fits only a platform that has @gprofhub//bazel/toolchain:counters_in_text. The one of
this repository has it, where counters can be put into the text. Bazel's own platform has not. So
tools of the build are compiled as they always are, and are not built again.
"""

load("//bazel:running_bazel.bzl", "label_from_elsewhere")
load(":counting_compiler.bzl", "FELL_BACK_HEADER", "counting_compiler")

_NOT_COPIED = ["BUILD", "WORKSPACE", "MODULE.bazel", "REPO.bazel", "extra_tools"]

_PLATFORM = """
platform(
    name = "platform",
    constraint_values = [
        "@platforms//os:linux",
        "@platforms//cpu:%s",%s
    ],
)
"""

# Linux's names of processors, where @platforms has others.
_PROCESSORS = {
    "armv7l": "armv7",
    "i686": "x86_32",
    "ppc64": "ppc",
}

def _compiler_of(build_file):
    """The compiler's path in @local_config_cc's BUILD file, or None."""
    parts = build_file.split('"gcc": "')
    return parts[1].split('"')[0] if len(parts) == 2 else None

def _kind(repository_ctx, compiler):
    """ "gcc" or "clang" by the compiler's output for -v, or None. """
    if not compiler:
        return None
    version = repository_ctx.execute([compiler, "-v"])
    for kind in ["clang", "gcc"]:
        if kind + " version" in version.stdout + version.stderr:
            return kind
    return None

def _make_assembler(repository_ctx, output):
    """Copies the program that the archive brings. Returns what is wrong, or None."""
    here = repository_ctx.path(Label("//bazel/toolchain:fast_toolchain.bzl")).dirname
    shipped = here.get_child("as")
    if shipped.exists:
        copied = repository_ctx.execute(["cp", shipped, output])
        return None if copied.return_code == 0 else copied.stderr

    # gprofhub's own repository has its sources.
    root = here.dirname.dirname
    sources = [
        path
        for path in root.get_child("runtime").get_child("assembler").readdir()
        if path.basename.endswith(".cc") and not path.basename.endswith("_test.cc")
    ]
    made = repository_ctx.execute(
        ["g++", "-std=c++17", "-O2", "-static", "-I%s" % root, "-o", output] + sources,
    )
    return None if made.return_code == 0 else "no assembler: " + made.stderr

def _extra_tools(repository_ctx, compiler):
    """Makes the compiler's script and its assembler. Returns what is wrong, or None."""
    repository_ctx.file("extra_tools/fell_back.h", FELL_BACK_HEADER, executable = False)
    is_relative = compiler and not compiler.startswith("/")
    kind = _kind(repository_ctx, str(repository_ctx.path(compiler)) if is_relative else compiler)
    if not kind:
        return "%s is neither gcc nor clang" % compiler
    problem = _make_assembler(repository_ctx, str(repository_ctx.path("extra_tools/as")))
    if problem:
        return problem
    repository_ctx.file(
        "extra_tools/gcc",
        counting_compiler(
            '"$folder/../%s"' % compiler if is_relative else "'%s'" % compiler,
            kind == "clang",
        ),
        executable = True,
    )
    return None

def _fast_toolchain_impl(repository_ctx):
    own = repository_ctx.path(Label("@local_config_cc//:BUILD"))
    build_file = repository_ctx.read(own)
    for file in own.dirname.readdir():
        if file.basename not in _NOT_COPIED:
            repository_ctx.symlink(file, file.basename)
    if own.dirname.get_child("extra_tools").exists:
        for file in own.dirname.get_child("extra_tools").readdir():
            repository_ctx.symlink(file, "extra_tools/" + file.basename)
    processor = repository_ctx.execute(["uname", "-m"]).stdout.strip()
    compiler = _compiler_of(build_file)
    counters = ""
    if processor == "x86_64":
        problem = _extra_tools(repository_ctx, compiler)
        if problem:
            # buildifier: disable=print
            print("gprofhub: mcount counts the calls, which costs more than counters in the text: " + problem)
        else:
            build_file = build_file.replace('"gcc": "%s"' % compiler, '"gcc": "extra_tools/gcc"')
            counters = '\n        "%s",' % label_from_elsewhere(Label("//bazel/toolchain:counters_in_text"))
    platform = _PLATFORM % (_PROCESSORS.get(processor, processor), counters)
    repository_ctx.file("BUILD", build_file + platform, executable = False)

fast_toolchain = repository_rule(
    implementation = _fast_toolchain_impl,
    configure = True,
    doc = "The host's C++ toolchain. Its -pg puts counters into the text where that is possible.",
    environ = ["PATH"],
)
