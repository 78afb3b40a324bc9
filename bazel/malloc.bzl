"""What --config=gprof says of tests that have an allocator of their own."""

load("@gprofhub_bazel//:rules.bzl", "CcInfo")

def _libraries(target):
    """Labels of the libraries that linking the target takes."""
    inputs = target[CcInfo].linking_context.linker_inputs.to_list()
    return [str(input.owner) for input in inputs if input.libraries]

def _own_malloc_impl(_target, ctx):
    malloc = getattr(ctx.rule.attr, "malloc", None)
    if not malloc or CcInfo not in malloc:
        return []
    wanted = _libraries(malloc)
    if not wanted:
        return []  # Bazel's default, an empty library
    linked = {
        library: True
        for dep in ctx.rule.attr.deps
        if CcInfo in dep
        for library in _libraries(dep)
    }
    if [library for library in wanted if library not in linked]:
        # buildifier: disable=print
        print(("%s is profiled with libc's allocator, not with its own. Its attribute " +
               "malloc = \"%s\" has no effect, because gprofhub's runtime replaces it. " +
               "Add the allocator to the target's deps.") % (ctx.label, malloc.label))
    return []

own_malloc = aspect(
    implementation = _own_malloc_impl,
    doc = "Reports targets whose allocator the profiling runtime replaces.",
)
