"""The program `gprofhub` for actions of the build.

It is the one in PATH, unless the WORKSPACE names an archive to download, or
`--@gprofhub//bazel:client=LABEL` names a program. Without any of them all works as before, but
for the outputs that need it.
"""

load(":running_bazel.bzl", "label_from_elsewhere")

InstalledToolInfo = provider(doc = "Marks a program of this machine. Others may not have it.", fields = [])

def _client_program_impl(ctx):
    if not ctx.file.program:
        # buildifier: disable=print
        print(ctx.attr.missing)
        return [DefaultInfo()]
    program = ctx.actions.declare_file(ctx.label.name)
    if ctx.attr.is_installed:
        ctx.actions.symlink(output = program, target_file = ctx.file.program, is_executable = True)
        return [DefaultInfo(executable = program), InstalledToolInfo()]

    # A program from the archive looks for its siblings in its own directory, on any machine.
    ctx.actions.write(
        output = program,
        content = '#!/bin/sh\nexec "$0.runfiles/%s" "$@"\n' % ctx.file.program.short_path.replace("../", ""),
        is_executable = True,
    )
    return [DefaultInfo(executable = program, runfiles = ctx.runfiles(ctx.files.data))]

client_program = rule(
    implementation = _client_program_impl,
    attrs = {
        "data": attr.label_list(allow_files = True),
        "is_installed": attr.bool(),
        "missing": attr.string(doc = "Message to print if there is no program."),
        "program": attr.label(allow_single_file = True),
    },
    doc = "The program, or a target without an executable if there is none.",
)

_BUILD = """
load("{rules}", "client_program")

client_program(
    name = "client",
    {attributes},
    visibility = ["//visibility:public"],
)
"""

def _write(repository_ctx, attributes):
    repository_ctx.file("BUILD", _BUILD.format(
        attributes = attributes,
        rules = label_from_elsewhere(Label("//bazel:client.bzl")),
    ))

# gprofhub is a small front program for this one, which has all commands but gprof. As built it is
# in the same directory, as installed in libexec.
_COMMANDS = ["gprofhub_commands", "../libexec/gprofhub/gprofhub_commands"]

def _installed(repository_ctx):
    """What is wrong; or the program, in a list."""
    found = repository_ctx.which("gprofhub")
    if not found:
        return "gprofhub not found in PATH"
    if repository_ctx.execute([found, "symbols", "--help"]).return_code != 0:
        return "%s is older than these rules, and has no command `symbols`" % found
    for name in _COMMANDS:
        commands = repository_ctx.path("%s/%s" % (found.realpath.dirname, name))
        if commands.exists:
            return [commands]
    return [found]

# Of the repository rule below and of the module extension.
CLIENT_ATTRIBUTES = {
    "program": attr.string(
        default = "bin/gprofhub",
        doc = "Path of the program in the archive.",
    ),
    "sha256": attr.string(),
    "strip_prefix": attr.string(),
    "url": attr.string(doc = "URL of an archive with gprofhub (default: the program in PATH)."),
}

def _gprofhub_client_impl(repository_ctx):
    if repository_ctx.attr.url:
        repository_ctx.download_and_extract(
            repository_ctx.attr.url,
            output = "archive",
            sha256 = repository_ctx.attr.sha256,
            stripPrefix = repository_ctx.attr.strip_prefix,
        )
        program = "archive/" + repository_ctx.attr.program
        if not repository_ctx.path(program).exists:
            fail("%s has no file %s" % (repository_ctx.attr.url, repository_ctx.attr.program))
        _write(repository_ctx, 'program = "%s",\n    data = glob(["archive/**"])' % program)
        return
    found = _installed(repository_ctx)
    if type(found) == "string":
        _write(repository_ctx, "missing = %s" % repr(
            found + "; symbol bundles are not built, so gprofhub upload needs the tests' programs",
        ))
        return
    repository_ctx.symlink(found[0], "gprofhub")
    _write(repository_ctx, 'program = "gprofhub",\n    is_installed = True')

gprofhub_client = repository_rule(
    implementation = _gprofhub_client_impl,
    attrs = CLIENT_ATTRIBUTES,
    configure = True,
    doc = "Finds the program gprofhub in PATH, or downloads it.",
    environ = ["PATH"],
    local = True,
)
