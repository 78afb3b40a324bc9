"""Symbol bundles of tests' programs, as outputs of the build.

    build:gprof --aspects=@gprofhub//bazel:symbols.bzl%symbols
    build:gprof --output_groups=+gprofhub_symbols

A symbol bundle is what `gprofhub upload` sends of a program: names of functions and lines.
The output group gprofhub_symbols of a test has a bundle for its own program, and one for each
program and shared object among its runfiles. So who uploads needs no program. Bazel makes a
bundle once, and caches it as it caches everything.

The program of the test //db:query_test has the bundle db/query_test.gprofhub-symbols. An empty
file means that there are no symbols: it is a script, or a library without any.
"""

load(":client.bzl", "InstalledToolInfo")

_SymbolsInfo = provider(
    doc = "Programs that a target and its dependencies build.",
    fields = {"programs": "depset of struct(image, bundle): bundle is None for a script"},
)

# Rules whose executables are scripts.
_SCRIPTS = ["java_", "py_", "sh_"]

def _bundle(ctx, image, name):
    """Declares the actions that make the image's bundle."""
    made = ctx.actions.declare_file(name + ".gprofhub-bundle")
    arguments = ctx.actions.args()
    arguments.add("symbols")
    arguments.add(image)
    arguments.add("--output", made)
    arguments.add("--may-be-empty")
    ctx.actions.run(
        arguments = [arguments],
        executable = ctx.attr._tool[DefaultInfo].files_to_run,
        # Tools installed on this machine may be missing on others.
        execution_requirements = {"no-remote-exec": "1"} if InstalledToolInfo in ctx.attr._tool else {},
        inputs = [image],
        mnemonic = "GprofhubSymbols",
        outputs = [made],
        progress_message = "Reading symbols of %s" % image.short_path,
    )

    # An action that runs locally needs its inputs locally. So Bazel fetches them from a remote
    # cache, the bundle only. With --remote_download_toplevel it fetches no other output of an
    # aspect, and no test program.
    bundle = ctx.actions.declare_file(name + ".gprofhub-symbols")
    ctx.actions.run(
        arguments = [made.path, bundle.path],
        executable = "/bin/cp",
        execution_requirements = {"no-remote": "1", "no-sandbox": "1"},
        inputs = [made],
        mnemonic = "GprofhubSymbolsHere",
        outputs = [bundle],
        progress_message = "Fetching symbols of %s" % image.short_path,
    )
    return bundle

def _is_shared_object(file):
    return file.basename.endswith(".so") or ".so." in file.basename

def _own_programs(target, ctx):
    """The program or the shared object that the target itself makes, in a list."""
    executable = target[DefaultInfo].files_to_run.executable
    if executable and not executable.is_source:
        for prefix in _SCRIPTS:
            if ctx.rule.kind.startswith(prefix):
                return [struct(image = executable, bundle = None)]
        return [struct(image = executable, bundle = _bundle(ctx, executable, ctx.label.name))]
    if ctx.rule.kind != "cc_binary":
        return []
    return [
        struct(image = file, bundle = _bundle(ctx, file, ctx.label.name))
        for file in target[DefaultInfo].files.to_list()
        if _is_shared_object(file)
    ]

def _may_be_program(file):
    # Of prebuilt files only libraries are taken: a program would have to be compiled with the
    # profiling options.
    if file.is_directory:
        return False
    return _is_shared_object(file) or (not file.is_source and "." not in file.basename)

def _bundles_of_test(target, ctx, programs):
    bundles = {program.image.path: program.bundle for program in programs.to_list()}
    executable = target[DefaultInfo].files_to_run.executable
    images = [executable]
    runfiles = target[DefaultInfo].default_runfiles
    if runfiles:
        images += [file for file in runfiles.files.to_list() if file.path in bundles or _may_be_program(file)]
    result = {}
    for image in images:
        if image.path not in bundles:
            # No rule on the path to this target declares the file as its output.
            bundles[image.path] = _bundle(ctx, image, "%s.images/%s" % (ctx.label.name, image.short_path.replace("../", "external/")))
        if bundles[image.path]:
            result[image.path] = bundles[image.path]
    return result.values()

def _symbols_impl(target, ctx):
    if not ctx.attr._tool[DefaultInfo].files_to_run.executable:
        return []
    dependencies = []
    for name in ["actual", "data", "deps"]:
        attribute = getattr(ctx.rule.attr, name, None)
        dependencies += attribute if type(attribute) == "list" else [attribute]
    programs = depset(
        _own_programs(target, ctx),
        transitive = [
            dependency[_SymbolsInfo].programs
            for dependency in dependencies
            if type(dependency) == "Target" and _SymbolsInfo in dependency
        ],
    )
    found = [_SymbolsInfo(programs = programs)]
    if ctx.rule.kind.endswith("_test"):
        found.append(OutputGroupInfo(gprofhub_symbols = depset(_bundles_of_test(target, ctx, programs))))
    return found

symbols = aspect(
    implementation = _symbols_impl,
    attr_aspects = ["actual", "data", "deps"],
    attrs = {
        "_tool": attr.label(
            default = Label("//bazel:client"),
            cfg = "exec",
        ),
    },
    doc = "Adds the output group gprofhub_symbols to tests, unless gprofhub is not installed.",
)
