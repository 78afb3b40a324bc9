"""The checks that run other people's programs find a planted fault each."""

import subprocess
import sys

from planted import PlantedTree, ROOT
from checks import build_files, format as formatting, scripts, tidy, tools

STYLE = (ROOT / ".clang-format").read_text()


class ToolsTest(PlantedTree):
    def test_format_catches_a_deviation_and_mends_it(self):
        planted = self.plant(
            {".clang-format": STYLE, "a/b.cc": "int  f( );\n", "a/c.h": "int g();\n"}
        )
        self.assertIn("a/b.cc:1: not formatted", self.faults(formatting.check(planted), "format"))
        formatting.check(planted, write=True)
        self.assert_passes(formatting.check(planted))

    def test_format_leaves_input_of_tests_alone(self):
        planted = self.plant(
            {
                ".clang-format": STYLE,
                "a/testdata/b.cc": "int  f( );\n",
                "c/.clang-format": "DisableFormat: true\n",
                "c/d.cc": "int  f( );\n",
            }
        )
        self.assert_passes(formatting.check(planted))

    def test_buildifier_catches_an_unsorted_list_and_an_unused_load(self):
        planted = self.plant(
            {
                "BUILD.bazel": 'cc_library(name = "a", deps = [":c", ":b"])\n',
                "a.bzl": '"""A."""\n\nload(":b.bzl", "unused")\n',
            }
        )
        found = self.faults(build_files.check(planted), "build-files")
        self.assertIn("BUILD.bazel # reformat", found)
        self.assertIn("a.bzl:3: load:", found)

    def test_shellcheck_finds_scripts_by_ending_and_by_first_line(self):
        planted = self.plant(
            {
                "a.sh": "#!/bin/sh\necho $1\n",
                "ci/b": "#!/usr/bin/env bash\nrm $x\n",
                "c": "#!/usr/bin/env python3\necho $1\n",
            }
        )
        found = self.faults(scripts.check(planted), "scripts")
        self.assertIn("a.sh:2:", found)
        self.assertIn("ci/b:2:", found)
        self.assertNotIn("\nc:", "\n" + found)

    def test_tidy_reads_joined_sources_one_by_one(self):
        planted = self.plant({name: "" for name in ("a/b.cc", "a/b_test.cc", "a/c_tests.cc", "a/main.cc")})

        def compiled(source, option):
            return {"arguments": ["gcc", option, "-Wno-subobject-linkage", "-c", source, "-o", "x.o"]}

        actions = [
            compiled("bazel-out/k8/bin/a/joined_sources_1.cc", "-O2"),
            compiled("bazel-out/k8/bin/a/joined_tests_1.cc", "-O1"),
            compiled("a/main.cc", "-O0"),
            compiled("bazel-out/k8/bin/a/made.cc", "-O3"),
        ]
        self.assertEqual(
            {"a/b.cc": ["-O2"], "a/b_test.cc": ["-O1"], "a/c_tests.cc": ["-O1"], "a/main.cc": ["-O0"]},
            tidy.commands_of(actions, planted.root),
        )

    def test_tidy_finds_planted_faults_but_asks_for_no_further_include(self):
        self.plant(
            {
                "a.cc": '#include <string>\n#include "b.h"\n#include "unused.h"\n'
                "int F(std::string s) { return s.size() + B(); }\n",
                "b.h": '#pragma once\n#include "c.h"\nint B();\n',
                "c.h": "#pragma once\nint C();\n",
                "unused.h": "#pragma once\nint U();\n",
            }
        )
        command = [tools.find(tidy.PROGRAM), f"--config-file={ROOT / tidy.CONFIGURATION}"]
        done = tools.run([*command, "--quiet", "a.cc", "--", "-std=c++20", "-w"], self.folder)
        found = "\n".join(tidy.read_faults(done.stdout, self.folder))
        self.assertIn("a.cc:3: included header unused.h is not used directly", found)
        self.assertIn("[performance-unnecessary-value-param]", found)
        self.assertNotIn("no header providing", found)
        self.assertTrue(tidy.understood(done.stdout))

    def test_tidy_knows_a_source_that_it_could_not_read_to_its_end(self):
        self.plant({"a.cc": '#include "not_made_yet.pb.h"\n'})
        command = [tools.find(tidy.PROGRAM), f"--config-file={ROOT / tidy.CONFIGURATION}"]
        done = tools.run([*command, "--quiet", "a.cc", "--", "-std=c++20", "-w"], self.folder)
        self.assertFalse(tidy.understood(done.stdout))

    def test_tidy_leaves_out_what_only_gcc_knows(self):
        command = "gcc -Wall -fno-canonical-system-headers -MD -MF x.d -frandom-seed=x -iquote . -c a.cc -o a.o"
        self.assertEqual(["-Wall", "-iquote", "."], tidy.clang_arguments(command.split()))

    def test_tidy_judges_sources_with_a_changed_header_and_no_more_than_it_has_time_for(self):
        sources = {f"a/{i:03}.cc" for i in range(tidy.MOST_SOURCES + 2)}
        self.assertEqual((["a/007.cc"], 0), tidy.choose(sources, {"a/007.h", "b/1.h"}))
        chosen, left = tidy.choose(sources, sources)
        self.assertEqual((sorted(sources)[: tidy.MOST_SOURCES], 2), (chosen, left))

    def test_tidy_compares_with_the_commit_before_where_main_is_what_is_tested(self):
        self.plant({"a.cc": "int a;\n"})
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "one")
        self.assertIsNone(tidy.default_base(self.folder))
        first = self.git("rev-parse", "HEAD").strip()
        self.git("commit", "-q", "--allow-empty", "-m", "two")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.assertEqual(first, tidy.default_base(self.folder))
        self.git("commit", "-q", "--allow-empty", "-m", "three")
        self.git("commit", "-q", "--allow-empty", "-m", "four")
        self.assertEqual(self.git("rev-parse", "HEAD~2").strip(), tidy.default_base(self.folder))


class CommandTest(PlantedTree):
    """ci/check itself, in a repository of its own."""

    def setUp(self):
        super().setUp()
        listed = ["git", "ls-files", "-c", "-o", "--exclude-standard", "ci/check", "ci/checks"]
        names = subprocess.run(listed, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode()
        self.plant({name: (ROOT / name).read_text() for name in names.split()})
        self.plant({".clang-format": STYLE, "a.cc": "int f();\n"})
        (self.folder / "ci/check").chmod(0o755)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def check(self, *arguments):
        command = [sys.executable, str(self.folder / "ci/check"), *arguments]
        return tools.run(command, self.folder)

    def test_says_pass_and_fail_by_name_and_status(self):
        good = self.check("format")
        self.assertEqual(0, good.returncode, good.stdout)
        self.assertTrue(good.stdout.startswith("PASS: format"), good.stdout)
        (self.folder / "a.cc").write_text("int  f();\n")
        bad = self.check("format")
        self.assertEqual(1, bad.returncode, bad.stdout)
        self.assertTrue(bad.stdout.startswith("FAIL: format"), bad.stdout)

    def test_refuses_a_check_that_there_is_not(self):
        self.assertEqual(2, self.check("nonsense").returncode)

    def test_staged_judges_what_is_staged_not_what_lies_there(self):
        (self.folder / "a.cc").write_text("int  f();\n")
        self.git("add", "a.cc")
        (self.folder / "a.cc").write_text("int f();\n")
        self.assertEqual(1, self.check("--staged", "format").returncode)
        self.git("add", "a.cc")
        (self.folder / "a.cc").write_text("int  f();\n")
        self.assertEqual(0, self.check("--staged", "format").returncode)
