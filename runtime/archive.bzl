"""How the runtime is compiled, and how its rooms become one archive."""

load("@gprofhub_bazel//:rules.bzl", "CcInfo", "cc_common", "find_cpp_toolchain")
load("//bazel:version.bzl", "BazelrcInfo", "RunningBazelInfo", "check_bazel")

# The runtime's code runs where argument registers of the program are live and where libc may not be
# called: no vector registers, nothing that the compiler would turn into a call of memcpy or memset,
# no stack protector (it needs libc's initialisation), and never instrumented itself
# (bazel/gprof.bazelrc). It declares the program's names with types of its own, so link-time
# optimisation of both together is off.
RUNTIME_COPTS = [
    "-DGPROFHUB_RUNTIME",
    "-D_GNU_SOURCE",
    "-std=gnu11",
    "-O2",
    "-g",
    "-fPIC",
    "-ffreestanding",
    "-fno-lto",
    "-fno-stack-protector",
    "-fvisibility=hidden",
    "-fcf-protection=none",
    "-mgeneral-regs-only",
    "-Wno-unknown-warning-option",
    "-Wno-unused-command-line-argument",
    "-fno-sanitize=all",
    "-U_FORTIFY_SOURCE",
]

# Linker options of programs with the runtime. The first ones link it in even without a reference to
# it. The others give threads that libc starts itself counters of their own
# (runtime/process/notifications.h), and lead to functions that a sanitizer hides
# (runtime/process/signal_masks.c, close_hook.c).
RUNTIME_LINKOPTS = ["-Wl,--undefined=" + symbol for symbol in [
    "__monstartup",
    "mcount",
    "gprofhub_register_counters",
]] + ["-Wl,--wrap=" + function for function in [
    "aio_fsync",
    "aio_fsync64",
    "aio_read",
    "aio_read64",
    "aio_write",
    "aio_write64",
    "close",
    "getaddrinfo_a",
    "lio_listio",
    "lio_listio64",
    "mq_notify",
    "pthread_sigmask",
    "sigaction",
    "signalfd",
    "sigprocmask",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "timer_create",
]]

def _built(ctx, toolchain, features):
    """The linking context and the files of an archive that is there."""
    library = cc_common.create_library_to_link(
        actions = ctx.actions,
        alwayslink = ctx.attr.alwayslink,
        cc_toolchain = toolchain,
        feature_configuration = features,
        pic_static_library = ctx.file.built,
    )
    linker_input = cc_common.create_linker_input(
        libraries = depset([library]),
        owner = ctx.label,
        user_link_flags = depset(ctx.attr.linkopts),
    )
    return cc_common.create_linking_context(linker_inputs = depset([linker_input])), [ctx.file.built]

def _made(ctx, toolchain, features):
    """The same of one that is made from its rooms."""
    objects = []
    pic_objects = []
    for room in ctx.attr.rooms:
        for linker_input in room[CcInfo].linking_context.linker_inputs.to_list():
            for library in linker_input.libraries:
                objects.extend(library.objects or [])
                pic_objects.extend(library.pic_objects or [])
    linking_context, outputs = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        compilation_outputs = cc_common.create_compilation_outputs(
            objects = depset(objects),
            pic_objects = depset(pic_objects),
        ),
        user_link_flags = ctx.attr.linkopts,
        alwayslink = ctx.attr.alwayslink,
        disallow_dynamic_library = True,
    )
    library = outputs.library_to_link
    return linking_context, [file for file in [library.static_library, library.pic_static_library] if file]

def _runtime_archive_impl(ctx):
    check_bazel(ctx.attr._bazel[RunningBazelInfo], ctx.attr._bazelrc[BazelrcInfo].made_for)
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    linking_context, archives = (_built if ctx.file.built else _made)(ctx, toolchain, features)
    return [
        DefaultInfo(files = depset(archives)),
        CcInfo(
            compilation_context = ctx.attr.header[CcInfo].compilation_context,
            linking_context = linking_context,
        ),
        OutputGroupInfo(archive = depset(archives)),
    ]

_runtime_archive = rule(
    implementation = _runtime_archive_impl,
    attrs = {
        "alwayslink": attr.bool(doc = "All of it is linked, whatever is called."),
        "built": attr.label(
            allow_single_file = [".a"],
            doc = "The archive, where it need not be made.",
        ),
        "header": attr.label(
            doc = "The library of what a program may include.",
            mandatory = True,
            providers = [CcInfo],
        ),
        "linkopts": attr.string_list(doc = "For the program that it is linked into."),
        "rooms": attr.label_list(
            doc = "cc_library targets; their objects and those of their deps go in.",
            mandatory = True,
            providers = [CcInfo],
        ),
        "_bazel": attr.label(default = "@gprofhub_bazel//:running"),
        "_bazelrc": attr.label(default = Label("//bazel:bazelrc")),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    doc = "lib<name>.a, one archive of the objects of several libraries, to be linked without Bazel, too.",
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def runtime_archive(name, **attributes):
    """As _runtime_archive, or the archive that is there already.

    The download for users has archives for x86-64 in built/: compiling them costs more than a small test.

    Args:
      name: lib<name>.a is the archive.
      **attributes: the rule's.
    """
    built = native.glob(["built/lib%s.a" % name], allow_empty = True)
    if built:
        attributes["built"] = select({
            "@platforms//cpu:x86_64": built[0],
            "//conditions:default": None,
        })
    _runtime_archive(name = name, **attributes)
