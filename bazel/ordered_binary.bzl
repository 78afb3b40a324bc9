"""Programs whose functions stand in a better order: `gprof_ordered_binary`."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

# lld orders by function name. gold and GNU ld order by section name only. -ffunction-sections puts
# a function into .text.NAME, or into .text.hot.NAME and so on if the compiler expects it to run
# often. .text.unlikely.NAME stays where it is: most are cold parts of functions. The two forms of a constructor or destructor may be one function under either
# name (docs/ordering.md).
_SECTIONS = """
function print_sections(name) {
    print "HOT" name "END"; print "TEXT" name "END"; print "STARTUP" name "END"
    print "EXIT" name "END"
}
/^[^#[:space:]]/ {
    print_sections($1)
    if (substr($1, 1, 2) != "_Z") next
    for (i = 3; i + 2 <= length($1); ++i) {
        if (substr($1, i, 3) !~ /^[CD][12][EI]$/) continue
        digit = substr($1, i + 1, 1) == "1" ? "2" : "1"
        print_sections(substr($1, 1, i) digit substr($1, i + 2))
    }
}
"""

def _sections(before, after):
    program = _SECTIONS
    for kind, prefix in {"TEXT": ".text.", "HOT": ".text.hot.", "STARTUP": ".text.startup.", "EXIT": ".text.exit."}.items():
        program = program.replace('"' + kind + '"', '"' + before + prefix + '"')
    return program.replace('"END"', '"' + after + '"')

def _ordering_file_impl(ctx):
    output = ctx.actions.declare_file(ctx.label.name + ".txt")

    # Without this check the linker also fails, but with "cannot find 'ld'".
    ctx.actions.run_shell(
        inputs = [ctx.file.ordering],
        outputs = [output],
        arguments = [
            ctx.file.ordering.path,
            output.path,
            str(ctx.label),
            ctx.attr.linker,
            _sections("", "") if ctx.attr.linker == "gold" else _sections("    *(", ")"),
        ],
        command = """
set -eu
if ! command -v "ld.$4" >/dev/null; then
    echo "$3: linking in a given order needs ld.$4, which was not found in PATH ($PATH)." >&2
    echo "Install it (Debian, Ubuntu: apt-get install $([ "$4" = lld ] && echo lld || echo binutils)) and build again." >&2
    exit 1
fi
if ! grep -q '^[^#[:space:]]' "$1"; then
    echo "$3: the ordering $1 contains no function. Create one with: gprofhub order --output $1" >&2
    exit 1
fi
case $4 in
lld) cp "$1" "$2" ;;
gold) awk "$5" "$1" >"$2" ;;
bfd) { echo "SECTIONS { .text.ordered : {"; awk "$5" "$1"; echo "} } INSERT BEFORE .text;"; } >"$2" ;;
esac
""",
        execution_requirements = {"no-remote-cache": "1"},
        mnemonic = "GprofOrdering",
        progress_message = "Preparing the ordering %s" % ctx.file.ordering.short_path,
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([output]))]

_ordering_file = rule(
    implementation = _ordering_file_impl,
    attrs = {
        "linker": attr.string(mandatory = True, values = ["lld", "gold", "bfd"]),
        "ordering": attr.label(allow_single_file = True, mandatory = True),
    },
    doc = "The ordering in the form that the linker reads. Fails if the linker is not installed.",
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
    # Under a transition the attribute is a list, though it has one target.
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
    doc = "The binary. It and all it depends on are compiled with -ffunction-sections.",
    executable = True,
)

_LINK_OPTIONS = {
    "bfd": ["-Wl,-T,%s"],
    "gold": ["-Wl,--section-ordering-file=%s"],
    "lld": ["-Wl,--symbol-ordering-file=%s", "-Wl,--no-warn-symbol-ordering"],
}

# Attributes of the outermost rule. They control how the target is seen and used, not how it is
# linked.
_OUTER_ATTRIBUTES = ["compatible_with", "deprecation", "exec_compatible_with", "restricted_to", "target_compatible_with", "testonly", "visibility"]

def gprof_ordered_binary(name, ordering, linker = "lld", additional_linker_inputs = [], linkopts = [], tags = [], **kwargs):
    """A cc_binary whose functions stand in the order that a profile asks for.

    Functions that call each other or run together share pages and cache lines. So
    fewer pages and lines are touched.

    ld.lld links the binary: install it (Debian, Ubuntu: apt-get install lld). All its
    dependencies are compiled with -ffunction-sections. Those targets need no
    change, because the rule has a configuration of its own: dependencies shared with
    other targets are compiled once more.

    Functions that the ordering does not name follow in their usual order. Names that
    the binary does not have are ignored. So an ordering stays useful as the program
    changes. Renew it from time to time.

    Args:
      name: the target's name.
      ordering: label of the ordering file. It has one linkage name a line, as
        `gprofhub order --output FILE` writes it. Check it in.
      linker: "lld", "gold" or "bfd" (GNU ld). lld places functions. The others place
        sections only, which are not always better than no order (docs/ordering.md).
      additional_linker_inputs: as cc_binary's.
      linkopts: as cc_binary's. Options that choose another linker do not work.
      tags: as cc_binary's.
      **kwargs: cc_binary's other attributes.
    """
    outer = {key: kwargs.pop(key) for key in _OUTER_ATTRIBUTES if key in kwargs}
    inner = {key: outer[key] for key in outer if key not in ["deprecation", "visibility"]}

    # "manual" excludes the inner targets from wildcard builds, which would build them again,
    # without -ffunction-sections.
    _ordering_file(
        name = name + "_ordering",
        linker = linker,
        ordering = ordering,
        tags = ["manual"],
        visibility = ["//visibility:private"],
        **inner
    )
    execpath = "$(execpath :%s_ordering)" % name
    cc_binary(
        name = name + "_linked",
        additional_linker_inputs = additional_linker_inputs + [":" + name + "_ordering"],
        linkopts = linkopts + ["-fuse-ld=" + linker] + [
            option.replace("%s", execpath)
            for option in _LINK_OPTIONS[linker]
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
