"""A fuzz target: an entry point that libFuzzer and the replaying test share."""

def fuzz_target(name, deps):
    """Declares NAME_test, which any compiler builds, and NAME_libfuzzer.

    NAME_test runs every file of corpus/NAME.zip and a few thousand deterministic
    mutations of them. NAME_libfuzzer searches for new inputs; see README.md.

    Args:
      name: NAME.cc holds LLVMFuzzerTestOneInput, corpus/NAME.zip the inputs.
      deps: what NAME.cc uses.
    """
    native.cc_library(
        name = name,
        testonly = True,
        srcs = [name + ".cc"],
        visibility = ["//visibility:private"],
        deps = deps,
        alwayslink = True,
    )
    native.cc_test(
        name = name + "_test",
        size = "medium",
        srcs = ["//tests/fuzz:replay_main.cc"],
        args = [native.package_name() + "/corpus/" + name + ".zip"],
        data = ["corpus/" + name + ".zip"],
        deps = [
            ":" + name,
            "@zip",
        ],
    )
    native.cc_binary(
        name = name + "_libfuzzer",
        testonly = True,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = [":" + name],
    )
