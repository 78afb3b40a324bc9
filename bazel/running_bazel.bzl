"""The repository @gprofhub_bazel: the running Bazel's version, and rules and providers by version.

`rules.bzl` has CcInfo, cc_common, find_cpp_toolchain, sh_binary and sh_test. Up to Bazel 7 they are
built in, and a WORKSPACE need not have rules_shell. Bazel 8 loads them from there by itself, unless
options forbid that. Bazel 9 does not.
"""

_BUILD = """\
load("{rules}", "running_bazel_version")

exports_files(["version"])

running_bazel_version(
    name = "running",
    major = {major},
    version = {version},
    visibility = ["//visibility:public"],
)
"""

_BUILT_IN = """\
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", _find_cpp_toolchain = "find_cpp_toolchain")
load(":built_in.bzl", "built_in")

CcInfo = built_in.CcInfo
cc_common = built_in.cc_common
find_cpp_toolchain = _find_cpp_toolchain
sh_binary = native.sh_binary
sh_test = native.sh_test
"""

_FROM_RULES = """\
load("@rules_cc//cc:find_cc_toolchain.bzl", _find_cpp_toolchain = "find_cpp_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", _cc_common = "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", _CcInfo = "CcInfo")
load("@rules_shell//shell:sh_binary.bzl", _sh_binary = "sh_binary")
load("@rules_shell//shell:sh_test.bzl", _sh_test = "sh_test")

CcInfo = _CcInfo
cc_common = _cc_common
find_cpp_toolchain = _find_cpp_toolchain
sh_binary = _sh_binary
sh_test = _sh_test
"""

_FIRST_WITHOUT_BUILT_IN = 8

def label_from_elsewhere(label):
    """A label of this repository, as other repositories write it.

    Args:
      label: a Label. In gprofhub's own repository its text has no repository name.

    Returns:
      Its text.
    """
    text = str(label)
    return "@" + text if text.startswith("//") else text

def _major(repository_ctx, version):
    major = version.split(".")[0]
    if major.isdigit():
        return int(major)

    # Debian's Bazel 4.2.3 has no version, nor has one that somebody built from its newest sources.
    tools = repository_ctx.path(Label("@bazel_tools//tools/cpp:BUILD")).dirname
    return 4 if tools.get_child("cc_configure.bzl").exists else _FIRST_WITHOUT_BUILT_IN

def _running_bazel_impl(repository_ctx):
    version = repository_ctx.attr.version or native.bazel_version
    major = _major(repository_ctx, version)
    version = version or "%d (it has no version)" % major
    repository_ctx.file("BUILD", _BUILD.format(
        major = major,
        rules = label_from_elsewhere(Label("//bazel:version.bzl")),
        version = repr(version),
    ))
    repository_ctx.file("version", version + "\n")
    if major < _FIRST_WITHOUT_BUILT_IN:
        repository_ctx.file("built_in.bzl", "built_in = struct(CcInfo = CcInfo, cc_common = cc_common)\n")
        repository_ctx.file("rules.bzl", _BUILT_IN)
    else:
        repository_ctx.file("rules.bzl", _FROM_RULES)

running_bazel = repository_rule(
    implementation = _running_bazel_impl,
    attrs = {"version": attr.string(doc = "Another version than the running one, for tests.")},
    doc = "The running Bazel's version, and what comes from elsewhere in another version.",
    # Another Bazel may use the same output base.
    local = True,
)
