"""What people run is built with -c opt, however the rest is built."""

def _to_opt_impl(_settings, _attr):
    return {"//command_line_option:compilation_mode": "opt"}

_to_opt = transition(
    implementation = _to_opt_impl,
    inputs = [],
    outputs = ["//command_line_option:compilation_mode"],
)

def _optimized_impl(ctx):
    return [DefaultInfo(files = depset(ctx.files.program))]

optimized = rule(
    implementation = _optimized_impl,
    attrs = {
        "program": attr.label(cfg = _to_opt, mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    doc = "The files of `program`, built with -c opt.",
)
