"""Benchmarks as tests: `gprof_benchmark`."""

load("@gprofhub_bazel//:rules.bzl", "sh_test")
load("@rules_cc//cc:defs.bzl", "cc_binary")

# Functions of the library that benchmark_iterations.cc wraps: the registration, and setters that
# would override a number of iterations.
_WRAPPED = [
    "_ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE",
    "_ZN9benchmark8internal9Benchmark7MinTimeEd",
    "_ZN9benchmark8internal9Benchmark13MinWarmUpTimeEd",
]

# Attributes of the program. All others belong to the test.
_PROGRAM = ["additional_linker_inputs", "copts", "defines", "includes", "linkopts", "local_defines"]

def gprof_benchmark(name, srcs = None, deps = None, iterations = 100, binary = None, data = [], args = [], **kwargs):
    """A test that runs each case of a Google Benchmark program in a process of its own.

    With --config=gprof the calls of each case are counted, and each case is a target of
    its own: //db:bench#BM_Insert/1024. The number of iterations is fixed. So counts
    repeat, and a change of them is a fact.

    --test_filter=REGEX chooses cases.

    Args:
      name: the test's name.
      srcs: sources with benchmarks, as cc_binary's.
      deps: as cc_binary's, with the benchmark library.
      iterations: how often a case runs its loop, unless it says so itself
        (->Iterations(n)).
      binary: a cc_binary with benchmarks, in the place of srcs and deps. Then a case runs
        its loop once, unless it says so itself.
      data: files that the benchmarks read.
      args: of the program.
      **kwargs: attributes of the program (copts, defines, includes, linkopts,
        local_defines, additional_linker_inputs) and of the test (size, tags, shard_count, …).
    """
    if (binary == None) == (srcs == None):
        fail("gprof_benchmark(%s): set either binary or srcs" % repr(name))
    program = {key: kwargs.pop(key) for key in _PROGRAM if key in kwargs}
    if binary == None:
        binary = ":%s_program" % name
        cc_binary(
            name = name + "_program",
            testonly = True,
            srcs = srcs + [Label("//bazel:benchmark_iterations.cc")],
            deps = deps,
            linkopts = program.pop("linkopts", []) + ["-Wl,--wrap=" + function for function in _WRAPPED],
            local_defines = program.pop("local_defines", []) + ["GPROFHUB_ITERATIONS=%d" % iterations],
            tags = kwargs.get("tags", []) + ["manual"],
            visibility = ["//visibility:private"],
            **program
        )
    elif deps or program:
        fail("gprof_benchmark(%s): deps and %s are attributes of the binary, not of the benchmark" % (repr(name), ", ".join(_PROGRAM)))
    sh_test(
        name = name,
        srcs = [Label("//bazel:benchmark_cases.sh")],
        args = [str(iterations if srcs else 0), "$(rootpath %s)" % binary] + args,
        data = data + [binary],
        **kwargs
    )
