"""Programs for aarch64, beside tests that run on the host."""

def _to_aarch64_impl(settings, _attr):
    return {
        "//command_line_option:compiler": "gcc",
        # A sanitizer, or an option of clang, is the host's.
        "//command_line_option:copt": [
            option
            for option in settings["//command_line_option:copt"]
            if not option.startswith("-fsanitize")
        ],
        "//command_line_option:cpu": "aarch64",
        # A transition cannot enable toolchains by platforms in Bazel 4.
        "//command_line_option:crosstool_top": "//bazel/aarch64:suite",
        "//command_line_option:extra_toolchains": ["//bazel/aarch64:toolchain"],
        "//command_line_option:linkopt": [],
        "//command_line_option:platforms": ["//bazel/aarch64:linux"],
    }

_to_aarch64 = transition(
    implementation = _to_aarch64_impl,
    inputs = ["//command_line_option:copt"],
    outputs = [
        "//command_line_option:compiler",
        "//command_line_option:copt",
        "//command_line_option:cpu",
        "//command_line_option:crosstool_top",
        "//command_line_option:extra_toolchains",
        "//command_line_option:linkopt",
        "//command_line_option:platforms",
    ],
)

def _for_aarch64_impl(ctx):
    files = []
    for target in ctx.attr.targets:
        executable = target[DefaultInfo].files_to_run.executable
        if executable:
            made = [executable]
        else:
            # A library: its archive.
            made = target[OutputGroupInfo].archive.to_list()
        for file in made:
            link = ctx.actions.declare_file(file.basename)
            ctx.actions.symlink(output = link, target_file = file)
            files.append(link)
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files))]

for_aarch64 = rule(
    implementation = _for_aarch64_impl,
    attrs = {
        "targets": attr.label_list(
            cfg = _to_aarch64,
            doc = "Programs, shared objects and runtime_archive targets.",
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    doc = "What is made of the targets for aarch64, in this package and under its own name.",
)
