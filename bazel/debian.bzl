"""What Debian's Bazel asks for, from Debian's packages: for machines without a network.

    load("@gprofhub//bazel:debian.bzl", "debian_repositories")
    debian_repositories()

Bazel's own releases download these repositories, or bring them along. Debian's Bazel
4.2.3 finds them nowhere by itself. A repository that the WORKSPACE has declared above
is left alone. This file stands alone: a copy of it serves a repository without gprofhub.
"""

_FOLDERS = {
    "bazel_skylib": ("/usr/share/bazel/tools/skylib", "bazel-skylib"),
    "platforms": ("/usr/share/bazel/tools/platforms", "bazel-platforms"),
    "rules_java": ("/usr/share/bazel/rules/java", "bazel-rules-java"),
    "rules_proto": ("/usr/share/bazel/rules/proto", "bazel-rules-proto"),
}

def _debian_folder_impl(repository_ctx):
    folder = repository_ctx.path(repository_ctx.attr.path)
    if not folder.exists:
        missing = [package for path, package in _FOLDERS.values() if not repository_ctx.path(path).exists]
        if not repository_ctx.which("zip"):
            missing.append("zip")  # Bazel's own scripts call it, for the files that a test leaves.
        fail(("%s was not found. Install what Debian's Bazel needs: apt-get install %s. On another " +
              "distribution, remove debian_repositories() from WORKSPACE: Bazel gets this elsewhere.") %
             (folder, " ".join(missing)))
    for entry in folder.readdir():
        repository_ctx.symlink(entry, entry.basename)

_debian_folder = repository_rule(
    implementation = _debian_folder_impl,
    attrs = {
        "path": attr.string(mandatory = True),
    },
    local = True,
)

def _rules_cc_impl(repository_ctx):
    # Debian's bazel-rules-cc 0.0.4 does not load in Bazel 4.2.3. This repository contains only its
    # native rules, the only ones in use.
    repository_ctx.file("WORKSPACE", 'workspace(name = "rules_cc")\n')
    repository_ctx.file("BUILD", "")
    repository_ctx.file("cc/BUILD", 'exports_files(["defs.bzl"])\n')
    names = ["cc_binary", "cc_import", "cc_library", "cc_proto_library", "cc_test", "cc_toolchain", "cc_toolchain_suite", "objc_import", "objc_library"]
    repository_ctx.file("cc/defs.bzl", "".join([
        "def {name}(**attrs):\n    native.{name}(**attrs)\n\n".format(name = name)
        for name in names
    ]))

_rules_cc = repository_rule(implementation = _rules_cc_impl)

def _no_remote_coverage_tools_impl(repository_ctx):
    # `bazel test` resolves the first label even when no coverage is collected.
    repository_ctx.file("WORKSPACE", 'workspace(name = "remote_coverage_tools")\n')
    repository_ctx.file("missing.sh", """#!/bin/sh
echo "Debian's Bazel has no coverage tools: declare remote_coverage_tools in WORKSPACE, above debian_repositories()" >&2
exit 1
""")
    repository_ctx.file("BUILD", """
[
    sh_binary(
        name = name,
        srcs = ["missing.sh"],
        visibility = ["//visibility:public"],
    )
    for name in ["coverage_report_generator", "lcov_merger"]
]
""")

_no_remote_coverage_tools = repository_rule(implementation = _no_remote_coverage_tools_impl)

# A WORKSPACE calls it once, without a name. buildifier: disable=unnamed-macro
def debian_repositories():
    """Declares what Debian's Bazel asks for, unless the WORKSPACE has it already."""
    for name, (path, _) in _FOLDERS.items():
        if not native.existing_rule(name):
            _debian_folder(name = name, path = path)
    if not native.existing_rule("rules_cc"):
        _rules_cc(name = "rules_cc")
    if not native.existing_rule("remote_coverage_tools"):
        _no_remote_coverage_tools(name = "remote_coverage_tools")
