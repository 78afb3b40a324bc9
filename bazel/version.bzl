"""Which versions of Bazel gprofhub's profiling supports."""

# Before version 4, the files that the rules load are elsewhere. From 7 on, --crosstool_top does not
# select a C++ toolchain: mcount would count the calls, which is untested there.
_FIRST = 4
_LAST = 6

def _supported_bazel_impl(repository_ctx):
    version = repository_ctx.attr.version
    major = version.split(".")[0]

    # A Bazel without a version is a distribution's build or a development build.
    if major.isdigit() and not (_FIRST <= int(major) and int(major) <= _LAST):
        fail(("gprofhub's --config=gprof, gprof_mcount and gprof_lines need Bazel %d to %d. " +
              "This is Bazel %s. Profile with a supported Bazel; plain builds may use any.") %
             (_FIRST, _LAST, version))
    repository_ctx.file("BUILD", 'filegroup(name = "supported", visibility = ["//visibility:public"])\n')

supported_bazel = repository_rule(
    implementation = _supported_bazel_impl,
    attrs = {"version": attr.string(doc = "Version of Bazel, from native.bazel_version.")},
    doc = "Fails if this Bazel is not supported. Used only by profiling builds.",
)
