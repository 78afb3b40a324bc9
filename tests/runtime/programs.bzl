"""Builds of the stress program."""

def profiled_program(name, copts = [], linkopts = [], runtime = True):
    """The stress program, built with -pg.

    Args:
      name: of the binary.
      copts: further compiler options.
      linkopts: further linker options.
      runtime: linked with the runtime; otherwise glibc's profiler is left.
    """
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = ["stress_program.c"],
        copts = ["-pg", "-O1", "-std=gnu11"] + copts,
        linkopts = ["-pg", "-pthread", "-ldl"] + linkopts,
        deps = [":truth"] + (["//runtime:gprofhub_runtime"] if runtime else []),
    )
