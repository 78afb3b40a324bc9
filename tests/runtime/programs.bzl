"""Builds of the stress program."""

load("//bazel/toolchain:counting_compiler.bzl", "FELL_BACK_HEADER", "counting_compiler")
load("//runtime:archive.bzl", "RUNTIME_LINKOPTS")

_ARCHIVE = "//tests/runtime:gprofhub_runtime_archive"

# Further link inputs, besides the archive, of a program that is linked without Bazel's rules.
_LINKOPTS = RUNTIME_LINKOPTS + ["-Wl,--export-dynamic-symbol=gprofhub_" + symbol for symbol in [
    "register_counters",
    "indirect",
    "tail_call",
    "tail_pointer",
]] + ["-pthread"]

def _is_clang(compiler):
    return compiler.startswith("clang")

def _program(name, srcs, command, copts, linkopts, runtime, visibility, tools = []):
    archives = [_ARCHIVE] if runtime else []
    native.genrule(
        name = name + "_linked",
        testonly = True,
        srcs = srcs + archives,
        outs = [name],
        cmd = " ".join(
            [command, "-I. -pg"] + copts + ["-o $@"] +
            ["$(execpath %s)" % file for file in srcs + archives if not file.endswith(".h")] +
            (_LINKOPTS if runtime else ["-pthread"]) + linkopts,
        ),
        executable = True,
        visibility = visibility,
        tools = tools,
    )

def mcount_program(name, srcs, copts = [], linkopts = [], compiler = "gcc"):
    """A program whose calls are counted by mcount.

    Args:
      name: of the binary.
      srcs: C or C++ files; headers among them are only there.
      copts: further compiler options.
      linkopts: further linker options.
      compiler: as counted_program has it.
    """
    _program(name, srcs, compiler, copts, linkopts, runtime = True, visibility = None)

def compiler_scripts(name):
    """The scripts NAME.gcc and NAME.clang that take a compiler's place, and their NAME.fell_back.h.

    Args:
      name: of the target.
    """
    files = {compiler: counting_compiler(compiler, _is_clang(compiler)) for compiler in ["gcc", "clang"]}
    files["fell_back.h"] = FELL_BACK_HEADER
    for file, text in files.items():
        _file(name + "." + file, text)
    native.filegroup(
        name = name,
        testonly = True,
        srcs = [name + "." + file for file in files],
    )

def _file(name, text):
    native.genrule(
        name = name + "_written",
        testonly = True,
        outs = [name],
        cmd = "cat >$@ <<'END_OF_FILE'\n" + text.replace("$", "$$") + "END_OF_FILE\n",
        executable = True,
    )

def profiled_program(name, copts = [], linkopts = [], runtime = True, tags = []):
    """The stress program, built with -pg.

    Args:
      name: of the binary.
      copts: further compiler options.
      linkopts: further linker options.
      runtime: linked with the runtime; otherwise glibc's profiler is left.
      tags: of the target.
    """
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = ["stress_program.c"],
        tags = tags,
        copts = ["-pg", "-O1", "-std=gnu11"] + copts,
        linkopts = ["-pg", "-pthread", "-ldl"] + linkopts,
        deps = [":truth"] + (["//runtime:gprofhub_runtime"] if runtime else []),
    )

def counted_program(name, srcs, copts = [], linkopts = [], compiler = "gcc", lines = False, runtime = True, visibility = None):
    """A program with counters in its text, as --config=gprof has it.

    Args:
      name: of the binary.
      srcs: C or C++ files; headers among them are only there.
      copts: further compiler options.
      linkopts: further linker options.
      compiler: "gcc" or "clang", and "g++" or "clang++" for C++.
      lines: blocks are counted too, as --config=gprof_lines has it.
      runtime: linked with the runtime; otherwise a shared object that finds it
        in the program.
      visibility: of the target.
    """
    command = "mkdir -p $@.tools && cp -f $(execpath //runtime/assembler:as) $@.tools/as\n" + "".join([
        "cat >$@.tools/%s <<'END_OF_FILE'\n%sEND_OF_FILE\n" % (file, text.replace("$", "$$"))
        for file, text in {"fell_back.h": FELL_BACK_HEADER, "gcc": counting_compiler(compiler, _is_clang(compiler))}.items()
    ]) + "bash $@.tools/gcc"
    if lines:
        command += " --gprofhub-count=calls+blocks"
    _program(
        name,
        srcs,
        command,
        ["-fno-omit-frame-pointer"] + copts,
        linkopts,
        runtime,
        visibility,
        tools = ["//runtime/assembler:as"],
    )
