"""The C++ toolchain of --config=gprof_fast and --config=gprof_lines.

It is the host's own compiler with an assembler in front of the real one. That
assembler adds the counters of calls and blocks (runtime/assembler).

The compiler compiles the assembler when the repository is fetched. The assembler and
a wrapper of the compiler lie in one folder, which is named by a digest of the
assembler's sources. The folder's name is part of every compile command. So no object
that an older assembler made is taken from a cache.

The folder lies outside the sandbox. The sandbox shows it read-only. Workers on other
machines do not have it.
"""

load("@bazel_tools//tools/cpp:cc_configure.bzl", "cc_autoconf_impl")

_SOURCES = [
    "block_counters.cc",
    "block_counters.h",
    "block_graph.cc",
    "block_graph.h",
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

# Executions of lines are counted in the machine code. These options keep lines apart
# there. They forbid copies of several rounds of a loop in one, common ends of different
# branches, and moves in the place of branches.
_GCC_LINE_OPTIONS = [
    "-fno-unroll-loops",
    "--param=max-completely-peel-times=0",
    "-fno-tree-vectorize",
    "-fno-crossjumping",
    "-fno-tree-tail-merge",
    "-fno-if-conversion",
    "-fno-if-conversion2",
    "-fno-ssa-phiopt",
]
_CLANG_LINE_OPTIONS = [
    "-fno-unroll-loops",
    "-fno-vectorize",
    "-mllvm -enable-tail-merge=false",
    "-mllvm -simplifycfg-sink-common=false",
    "-mllvm -simplifycfg-hoist-common=false",
    "-mllvm -phi-node-folding-threshold=0",
    "-mllvm -two-entry-phi-node-folding-threshold=0",
]

# -dp adds comments that tell tail calls from switches. With -fno-ipa-ra gcc does not
# rely on registers that a callee happens to keep: counters do not keep them.
_GCC_OPTIONS = ["-dp", "-fno-ipa-ra"]
_CLANG_OPTIONS = ["-fno-integrated-as"]

_WRAPPER = """#!/bin/bash
# Replaces --gprofhub-count=KINDS by the options that make the compiler use our assembler.
arguments=()
kinds=
lto_only=
source=
for argument in "$@"; do
  case $argument in
    --gprofhub-count=*) kinds=${argument#*=}; continue ;;
    -fwhole-program-vtables | -fvirtual-function-elimination | -fsanitize=*cfi*)
      lto_only=$argument ;;
    *.c | *.cc | *.cpp | *.cxx | *.c++ | *.C) source=$argument ;;
  esac
  arguments+=("$argument")
done
# Counters stand in a file's assembly. With -flto there is none before the link. So a counted file
# is compiled as if -flto had not been asked for.
if [[ -n $kinds && -n $lto_only ]]; then
  echo "gprofhub: $source: nothing is counted in this file: $lto_only needs -flto" >&2
elif [[ -n $kinds ]]; then
  arguments+=(-B%{folder}/ -Wa,--gprofhub-count="$kinds" -fno-lto %{options})
  if [[ $kinds == *blocks* ]]; then
    arguments+=(%{line_options})
  fi
fi
exec %{compiler} "${arguments[@]}"
"""

def counting_compiler(compiler, folder, is_clang):
    """A script that takes a compiler's place and knows --gprofhub-count=KINDS, too.

    Args:
      compiler: the real one, as bash reads it.
      folder: that of our assembler, as bash reads it.
      is_clang: whether it is clang; otherwise it is gcc.

    Returns:
      The script's text.
    """
    script = _WRAPPER.replace("%{compiler}", compiler).replace("%{folder}", folder)
    script = script.replace("%{options}", " ".join(_CLANG_OPTIONS if is_clang else _GCC_OPTIONS))
    line_options = _CLANG_LINE_OPTIONS if is_clang else _GCC_LINE_OPTIONS
    return script.replace("%{line_options}", " ".join(line_options))

def _execute(repository_ctx, what, arguments):
    result = repository_ctx.execute(arguments)
    if result.return_code != 0:
        fail("--config=gprof_fast: %s failed: %s\n%s%s" %
             (what, " ".join([str(argument) for argument in arguments]), result.stdout, result.stderr))
    return result

def _compiler(repository_ctx):
    name = repository_ctx.os.environ.get("CC", "").strip() or "gcc"
    path = name if name.startswith("/") else repository_ctx.which(name)
    if not path:
        fail("--config=gprof_fast: no C compiler: %s was not found; install it or set CC" % name)
    return path

def _fast_toolchain_impl(repository_ctx):
    machine = _execute(repository_ctx, "asking for the processor", ["uname", "-m"]).stdout.strip()
    if machine != "x86_64":
        fail("--config=gprof_fast is for x86-64, and this machine is %s; take --config=gprof" % machine)
    sources = [repository_ctx.path(Label("//runtime/assembler:" + name)) for name in _SOURCES]
    root = sources[0].dirname.dirname.dirname
    compiler = _compiler(repository_ctx)
    digest = _execute(
        repository_ctx,
        "reading the assembler's sources",
        ["sha256sum"] + sources,
    ).stdout
    digest = "".join([line.split(" ")[0][:8] for line in digest.splitlines()])
    folder = str(repository_ctx.path(digest))
    repository_ctx.file(digest + "/.keep", "")
    _execute(
        repository_ctx,
        "compiling the assembler",
        [compiler, "-xc++", "-std=c++17", "-O2", "-I%s" % root] +
        [source for source in sources if source.basename.endswith(".cc")] +
        ["-o", folder + "/as", "-lstdc++"],
    )
    version = _execute(repository_ctx, "asking for the compiler's name", [compiler, "-v"])

    # The answer to -v names the compiler.
    is_clang = "clang version" in version.stdout + version.stderr
    wrapper = counting_compiler("'%s'" % compiler, "'%s'" % folder, is_clang)
    repository_ctx.file(digest + "/gcc", wrapper, executable = True)
    cc_autoconf_impl(repository_ctx, overriden_tools = {"gcc": folder + "/gcc"})

fast_toolchain = repository_rule(
    implementation = _fast_toolchain_impl,
    configure = True,
    doc = "The host's C++ toolchain. It counts what --gprofhub-count=KINDS names.",
    environ = ["BAZEL_CXXOPTS", "BAZEL_LINKLIBS", "BAZEL_LINKOPTS", "CC", "PATH"],
)
