"""Builds of the stress program."""

load("//bazel:fast_toolchain.bzl", "counting_compiler")

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
    """A program whose calls the assembler shim counts, as --config=gprof_fast has it.

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
    script = counting_compiler(
        compiler,
        '"$(dirname $(execpath //runtime/assembler:as))"',
        compiler.startswith("clang"),
    )
    archive = "//tests/runtime:gprofhub_fast_runtime_archive"
    native.genrule(
        name = name + "_counted",
        testonly = True,
        srcs = srcs + ([archive] if runtime else []),
        outs = [name],
        cmd = "cat >$@.compiler <<'END'\n" +
              script.replace("$", "$$").replace("$$(execpath", "$(execpath") +
              "END\n" + " ".join([
            "bash $@.compiler -I.",
            "--gprofhub-count=calls" + ("+blocks" if lines else ""),
        ] + copts + [
            "-o $@",
        ] + ["$(execpath %s)" % source for source in srcs if not source.endswith(".h")] + ([
            "$(execpath %s)" % archive,
            "-Wl,--export-dynamic-symbol=gprofhub_register_counters",
            "-Wl,--export-dynamic-symbol=gprofhub_indirect",
        ] if runtime else []) + ["-pthread"] + linkopts),
        executable = True,
        visibility = visibility,
        tools = ["//runtime/assembler:as"],
    )
