"""The check of the archive for users' Bazel finds a planted fault each."""

from planted import PlantedTree, ROOT
from checks import bazel_versions

MODULE = """module(name = "gprofhub", version = "1")
bazel_dep(name = "rules_cc", version = "0.2.0")
bazel_dep(name = "rules_shell", version = "0.4.0")
gprofhub = use_extension("//bazel:extensions.bzl", "gprofhub")
use_repo(gprofhub, "gprofhub_tool")
"""

EXTENSION = """load(":tool.bzl", "tool")

def _impl(module_ctx):
    for module in module_ctx.modules:
        for tag in module.tags.client:
            tool(name = "gprofhub_tool", url = tag.url)
            return
    tool(name = "gprofhub_tool")

gprofhub = module_extension(
    implementation = _impl,
    tag_classes = {"client": tag_class(attrs = {"url": attr.string()})},
)
"""

TOOL = """def _impl(repository_ctx):
    if not repository_ctx.which("gprofhub"):
        fail("gprofhub is not installed")
    repository_ctx.file("BUILD", 'exports_files(["cc.bzl"])')
    repository_ctx.file("cc.bzl", 'load("@rules_cc//cc/common:cc_info.bzl", _info = "CcInfo")\\nCcInfo = _info\\n')

tool = repository_rule(implementation = _impl, attrs = {"url": attr.string()})
"""

DEFS = """load("@gprofhub_tool//:cc.bzl", "CcInfo")
load("@rules_cc//cc:defs.bzl", "cc_binary")

def _impl(ctx):
    return [ctx.attr.deps[0][CcInfo]]

used = rule(implementation = _impl, attrs = {"deps": attr.label_list()})

def gprof_benchmark(name, **kwargs):
    cc_binary(name = name, **kwargs)

gprof_ordered_binary = gprof_benchmark
gprof_profile = gprof_benchmark
gprof_test_suite = gprof_benchmark
"""

GOOD = {
    "MODULE.bazel": MODULE,
    "bazel/BUILD.bazel": 'filegroup(name = "all", srcs = glob(["*"]))\n',
    "bazel/defs.bzl": DEFS,
    "bazel/extensions.bzl": EXTENSION,
    "bazel/tool.bzl": TOOL,
}


class BazelVersionsTest(PlantedTree):
    def found(self, changes=None, version="9"):
        planted = self.plant({**GOOD, **(changes or {})})
        table = bazel_versions.FOLDER / f"bazel-{version}.txt"
        faults, self.evaluated = bazel_versions.load_faults(planted.root, [table])
        return "\n".join(faults)

    def replaced(self, path, old, new, version="9"):
        self.assertIn(old, GOOD[path])
        return self.found({path: GOOD[path].replace(old, new)}, version)

    def test_a_good_archive_passes_in_every_version(self):
        for version in "789":
            self.assertEqual("", self.found(version=version))
            # Files: scenario.bzl, MODULE.bazel, three .bzl files and two that they load, a BUILD file, two generated
            # ones. Calls: the extension twice, its repository twice, five of macros.
            self.assertEqual("10 files, 9 calls", self.evaluated)

    def test_a_rule_that_a_version_lacks(self):
        build = {"bazel/BUILD.bazel": 'sh_binary(name = "a", srcs = ["a.sh"])\n'}
        self.assertIn("name 'sh_binary' is not defined", self.found(build))
        self.assertEqual("", self.found(build, "8"))

    def test_a_removed_rule_where_it_is_called(self):
        found = self.replaced("bazel/defs.bzl", "    cc_binary(", "    native.cc_binary(")
        self.assertIn("gprof_benchmark of bazel/defs.bzl", found)
        self.assertIn("native.cc_binary is removed", found)

    def test_a_provider_in_an_implementation_that_nothing_calls(self):
        self.assertIn(
            "name 'JavaInfo' is not defined",
            self.replaced("bazel/defs.bzl", "[CcInfo]", "[JavaInfo]"),
        )
        self.assertIn(
            "'native' has no field 'sh_test'",
            self.replaced("bazel/defs.bzl", "    return [", "    native.sh_test()\n    return ["),
        )

    def test_a_parameter_that_a_version_lacks(self):
        old, new = "used = rule(", "used = rule(incompatible_use_toolchain_transition = True, "
        self.assertIn("has no parameter", self.replaced("bazel/defs.bzl", old, new))
        self.assertEqual("", self.replaced("bazel/defs.bzl", old, new, "8"))

    def test_a_file_that_a_version_lacks(self):
        line = 'load("@bazel_tools//tools/cpp:cc_configure.bzl", "cc_autoconf_impl")\n'
        changes = {"bazel/tool.bzl": line + TOOL}
        self.assertIn("bazel/tool.bzl: cannot load", self.found(changes, "8"))
        self.assertEqual("", self.found(changes, "7"))

    def test_a_file_of_another_package_or_of_none(self):
        load = 'load("//%s", "x")\n'
        for label, why in [
            ("bazel:none.bzl", "no such file"),
            ("none:x.bzl", "no BUILD file in 'none'"),
            ("bazel:inner/x.bzl", "'bazel/inner' is a package"),
        ]:
            changes = {"bazel/a.bzl": load % label, "bazel/inner/BUILD.bazel": "", "bazel/inner/x.bzl": "x = 1\n"}
            self.assertIn(why, self.found(changes), label)

    def test_a_dependency_that_the_module_does_not_name(self):
        found = self.replaced("MODULE.bazel", 'bazel_dep(name = "rules_cc", version = "0.2.0")\n', "")
        self.assertIn("MODULE.bazel does not make @rules_cc visible", found)

    def test_a_label_of_a_repository_that_the_module_does_not_name(self):
        found = self.replaced("bazel/tool.bzl", 'file("BUILD", ', 'read(Label("@local_config_cc//:BUILD")); (')
        self.assertIn("repository 'gprofhub_tool': ", found)
        self.assertIn("MODULE.bazel does not make @local_config_cc visible", found)
        build = {"bazel/BUILD.bazel": 'filegroup(name = "a", srcs = ["@other//:b"])\n'}
        self.assertIn("bazel/BUILD.bazel:1: MODULE.bazel does not make @other visible", self.found(build))

    def test_a_repository_that_the_extension_does_not_declare(self):
        found = self.replaced("MODULE.bazel", '"gprofhub_tool")', '"gprofhub_tool", "gprofhub_more")')
        self.assertIn("uses the repository 'gprofhub_more'", found)

    def test_an_unknown_function_of_a_module_file(self):
        self.assertIn("'workspace' is not defined", self.found({"MODULE.bazel": MODULE + "workspace()\n"}))

    def test_an_extension_that_reads_an_unknown_tag(self):
        found = self.replaced("bazel/extensions.bzl", "tags.client", "tags.program")
        self.assertIn("has no field 'program'", found)

    def test_a_repository_rule_that_fails_where_all_is_well(self):
        found = self.replaced("bazel/tool.bzl", 'if not repository_ctx.which("gprofhub")', "if True")
        self.assertIn("repository 'gprofhub_tool': ", found)

    def test_a_repository_rule_that_breaks_where_nothing_is_found(self):
        old = 'if not repository_ctx.which("gprofhub")'
        found = self.replaced("bazel/tool.bzl", old, 'if not repository_ctx.which("gprofhub").exists')
        self.assertIn("where nothing is found", found)

    def test_a_generated_file_that_does_not_load(self):
        found = self.replaced("bazel/tool.bzl", '@rules_cc//cc/common:cc_info.bzl", _info', ':x.bzl", _info')
        self.assertIn("@gprofhub_tool//:cc.bzl: cannot load ':x.bzl'", found)
        found = self.replaced("bazel/tool.bzl", "exports_files([", "java_info([")
        self.assertIn("@gprofhub_tool//:BUILD:1:1: name 'java_info' is not defined", found)

    def test_buildifier_finds_what_is_not_loaded(self):
        planted = self.plant({**GOOD, "bazel/BUILD.bazel": 'sh_binary(name = "a", srcs = ["a.sh"])\n'})
        found = "\n".join(bazel_versions.native_faults(planted.root))
        self.assertIn("bazel/BUILD.bazel:1: native-sh-binary", found)
        self.assertNotIn("defs.bzl", found)

    def test_the_archive_is_made_of_this_tree(self):
        self.assertEqual([], bazel_versions.make_archive(ROOT, self.folder))
        for name in ["MODULE.bazel", "bazel/defs.bzl", "runtime/BUILD.bazel"]:
            self.assertTrue((self.folder / "archive" / name).is_file(), name)
