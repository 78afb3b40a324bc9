"""Rules that use what the profiles taught: `gprof_ordered_binary`."""

def _ordering_file_impl(ctx):
    output = ctx.actions.declare_file(ctx.label.name + ".txt")

    # The linker would fail too, but with "cannot find 'ld'".
    ctx.actions.run_shell(
        inputs = [ctx.file.ordering],
        outputs = [output],
        arguments = [ctx.file.ordering.path, output.path, str(ctx.label)],
        command = """
set -eu
if ! command -v ld.lld >/dev/null; then
    echo "$3: linking in a given order needs LLVM's linker, and ld.lld was not found in PATH ($PATH)." >&2
    echo "Install it (Debian, Ubuntu: apt-get install lld) and build again." >&2
    exit 1
fi
if ! grep -q '[^[:space:]]' "$1"; then
    echo "$3: the ordering $1 names no function. Write one with: gprofhub order --output $1" >&2
    exit 1
fi
cp "$1" "$2"
""",
        execution_requirements = {"no-remote-cache": "1"},
        mnemonic = "GprofOrdering",
        progress_message = "Checking the ordering %s" % ctx.file.ordering.short_path,
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([output]))]

_ordering_file = rule(
    implementation = _ordering_file_impl,
    attrs = {"ordering": attr.label(allow_single_file = True, mandatory = True)},
    doc = "The ordering file, once it is known that the linker for it is there.",
)

_COPT = "//command_line_option:copt"

def _function_sections_impl(settings, _attr):
    copts = settings[_COPT]
    return {_COPT: copts if "-ffunction-sections" in copts else copts + ["-ffunction-sections"]}

_function_sections = transition(
    implementation = _function_sections_impl,
    inputs = [_COPT],
    outputs = [_COPT],
)

def _with_function_sections_impl(ctx):
    # A rule under a transition yields a list, though there is one target.
    binary = ctx.attr.binary[0][DefaultInfo]
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        output = executable,
        target_file = binary.files_to_run.executable,
        is_executable = True,
    )
    return [DefaultInfo(
        executable = executable,
        files = depset([executable]),
        runfiles = binary.default_runfiles.merge(ctx.runfiles([executable])),
    )]

_with_function_sections = rule(
    implementation = _with_function_sections_impl,
    attrs = {
        "binary": attr.label(cfg = _function_sections, mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    doc = "The binary, built together with all it depends on with -ffunction-sections.",
    executable = True,
)

# Attributes that say how the target is seen and used rather than how it is
# linked: they belong to the outermost rule.
_OUTER_ATTRIBUTES = ["compatible_with", "deprecation", "exec_compatible_with", "restricted_to", "target_compatible_with", "testonly", "visibility"]

def gprof_ordered_binary(name, ordering, additional_linker_inputs = [], linkopts = [], tags = [], **kwargs):
    """A cc_binary whose functions stand in the order that a profile asks for.

    Functions that call each other or run together share pages and cache lines,
    so that fewer of them are touched. It is linked by LLVM's linker, ld.lld, which
    must be installed; all it depends on is compiled with -ffunction-sections, without a
    change to those targets (a configuration of its own: dependencies shared
    with other targets are compiled once more).

    Functions that the ordering does not name follow in their usual order; names
    that the binary does not have are ignored, so that an ordering stays useful
    as the program changes. Renew it from time to time.

    Args:
      name: the target's name.
      ordering: label of the ordering file, one linkage name a line, as
        `gprofhub order --output FILE` writes it. Check it in.
      additional_linker_inputs: as cc_binary's.
      linkopts: as cc_binary's. Options that choose another linker do not work.
      tags: as cc_binary's.
      **kwargs: cc_binary's other attributes.
    """
    outer = {key: kwargs.pop(key) for key in _OUTER_ATTRIBUTES if key in kwargs}
    inner = {key: outer[key] for key in outer if key not in ["deprecation", "visibility"]}

    # "manual" keeps wildcard builds from building the inner targets a second
    # time, without -ffunction-sections.
    _ordering_file(
        name = name + "_ordering",
        ordering = ordering,
        tags = ["manual"],
        visibility = ["//visibility:private"],
        **inner
    )
    native.cc_binary(
        name = name + "_linked",
        additional_linker_inputs = additional_linker_inputs + [":" + name + "_ordering"],
        linkopts = linkopts + [
            "-fuse-ld=lld",
            "-Wl,--symbol-ordering-file=$(execpath :%s_ordering)" % name,
            "-Wl,--no-warn-symbol-ordering",
        ],
        tags = tags + ["manual"],
        visibility = ["//visibility:private"],
        **dict(kwargs, **inner)
    )
    _with_function_sections(
        name = name,
        binary = ":" + name + "_linked",
        tags = tags,
        **outer
    )
