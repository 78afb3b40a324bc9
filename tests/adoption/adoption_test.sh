#!/bin/bash
# A repository that adopts gprofhub, with the typical properties: it declares all of Bazel's
# dependencies itself, and it has targets with options, allocators and linkers of their own. Of
# gprofhub it has the archive for Bazel alone (packaging/for_bazel).
#
#   bazel build //packaging:all
#   tests/adoption/adoption_test.sh
#
# It prints PASS or FAIL and a name. The repository stays in ~/.cache/gprofhub/adoption, so a second
# run finds what Bazel has built.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
# For this checkout alone: another's tests may run at the same time.
WORK=$(cache_folder)/adoption/$(printf '%s' "$ROOT" | sha256sum | cut -c 1-12)
rm -rf -- "$WORK"
mkdir -p "$WORK/repository" "$WORK/archive"
cd "$WORK/repository"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

bazel_here() {
  local command=$1 options=()
  shift
  if [[ -n ${GPROFHUB_OUTPUT_BASES:-} ]]; then
    options+=("--output_base=$GPROFHUB_OUTPUT_BASES/adoption")
  fi
  bazel "${options[@]}" --host_jvm_args=-Xmx1g --max_idle_secs=30 "$command" "$@"
}

# Builds or tests, in the cache of its own.
bazel_cached() {
  local command=$1
  shift
  bazel_here "$command" --noshow_progress --disk_cache="$(cache_folder)/adoption-build" "$@"
}

# The download, as Bazel has built it, unpacked next to the repository.
unpack_archive() {
  tar -C "$WORK/archive" -xf "$ROOT/bazel-bin/packaging/gprofhub-bazel.tar.gz"
  GPROFHUB=$(echo "$WORK"/archive/gprofhub-bazel-*)
}

# A workspace independent of the distribution: nothing is where Debian's packages put it.
make_repositories() {
  mkdir -p own/rules_cc/cc own/remote_coverage_tools
  cp -RL /usr/share/bazel/tools/skylib own/bazel_skylib
  cp -RL /usr/share/bazel/tools/platforms own/platforms
  cp -RL /usr/share/bazel/rules/java own/rules_java
  cp -RL /usr/share/bazel/rules/proto own/rules_proto
  touch own/rules_cc/{WORKSPACE,BUILD,cc/BUILD} own/remote_coverage_tools/WORKSPACE
  local name
  for name in cc_library cc_toolchain cc_toolchain_suite cc_test cc_binary cc_import \
    cc_proto_library objc_import objc_library; do
    printf 'def %s(**attributes):\n    native.%s(**attributes)\n' "$name" "$name"
  done >own/rules_cc/cc/defs.bzl
  echo 'filegroup(name = "coverage_report_generator", visibility = ["//visibility:public"])' \
    >own/remote_coverage_tools/BUILD
}

# make_workspace VERSION: empty for the version of the Bazel that runs.
make_workspace() {
  local name
  echo 'workspace(name = "adopter")'
  echo "local_repository(name = 'gprofhub', path = '$GPROFHUB')"
  if [[ -n $1 ]]; then
    echo 'load("@gprofhub//bazel:version.bzl", "supported_bazel")'
    echo "supported_bazel(name = 'gprofhub_bazel', version = '$1')"
  fi
  echo 'load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")'
  echo 'gprofhub_repositories()'
  for name in bazel_skylib platforms rules_java rules_proto rules_cc remote_coverage_tools; do
    echo "local_repository(name = '$name', path = 'own/$name')"
  done
}

make_repository() {
  make_repositories
  make_workspace '' >WORKSPACE
  echo "import $GPROFHUB/bazel/gprof.bazelrc" >.bazelrc
  cat >BUILD <<'END'
cc_library(name = "words", srcs = ["words.cc"], hdrs = ["words.h"])

cc_library(name = "allocator", srcs = ["allocator.c"])

cc_test(name = "words_test", size = "small", srcs = ["words_test.cc"], deps = [":words"])

cc_test(
    name = "frame_pointer_test",
    size = "small",
    srcs = ["words_test.cc"],
    copts = ["-fomit-frame-pointer"],
    deps = [":words"],
)

# Its allocator is named twice, so that it stays.
cc_test(
    name = "allocator_test",
    size = "small",
    srcs = ["allocator_test.cc"],
    malloc = ":allocator",
    deps = [":allocator"],
)

cc_test(
    name = "other_allocator_test",
    size = "small",
    srcs = ["words_test.cc"],
    malloc = ":allocator",
    deps = [":words"],
)

# Without templates no section is in a group: nothing but its own code names a table.
cc_test(
    name = "lld_test",
    size = "small",
    srcs = ["calls.c"],
    linkopts = ["-fuse-ld=lld"],
)

cc_test(
    name = "lto_test",
    size = "small",
    srcs = ["words_test.cc"],
    copts = ["-flto"],
    linkopts = ["-flto"],
    deps = [":words"],
)

cc_test(
    name = "intel_test",
    size = "small",
    srcs = ["calls.c", "intel.c"],
    copts = ["-masm=intel"],
)
END
  echo 'int intel;' >intel.c
  cat >words.h <<'END'
#include <string>
int CountWords(const std::string& text);
END
  cat >words.cc <<'END'
#include "words.h"
__attribute__((noinline)) int CountWords(const std::string& text) {
  int words = 1;
  for (char c : text) words += c == ' ';
  return words;
}
END
  cat >words_test.cc <<'END'
#include "words.h"
int main() {
  for (int i = 0; i < 20; ++i) {
    if (CountWords("to be or not to be") != 6) return 1;
  }
}
END
  cat >calls.c <<'END'
__attribute__((noinline, noclone)) int called(int i) {
  __asm__ volatile("");
  return i + 1;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 20; ++i) sum = called(sum);
  return sum != 20;
}
END
  cat >allocator.c <<'END'
#include <stddef.h>
#include <string.h>
static char arena[1 << 24];
static size_t used;
int allocator_calls;
void* malloc(size_t bytes) {
  ++allocator_calls;
  used += (bytes + 31) & ~(size_t)15;
  return arena + used - ((bytes + 31) & ~(size_t)15);
}
void free(void* at) { (void)at; }
void* calloc(size_t n, size_t size) { return memset(malloc(n * size), 0, n * size); }
void* realloc(void* old, size_t size) {
  void* at = malloc(size);
  return old ? memmove(at, old, size) : at;
}
END
  cat >allocator_test.cc <<'END'
#include <cstdlib>
extern "C" __attribute__((weak)) int allocator_calls;
void* volatile sink;
int main() {
  sink = std::malloc(10);
  return &allocator_calls != nullptr && allocator_calls > 0 ? 0 : 1;
}
END
}

plain_build_works() {
  bazel_cached test //... &&
    bazel_here query --output=build //external:bazel_skylib | grep 'path = "own/bazel_skylib"'
}

nothing_is_debians() {
  local external entry
  external=$(bazel_here info output_base 2>/dev/null)/external
  [[ -e $external/rules_cc ]] || return 1
  for entry in "$external"/*; do
    entry=$(readlink -f -- "$entry")
    echo "$entry"
    case $entry in /usr/share/bazel/tools/* | /usr/share/bazel/rules/*) return 1 ;; esac
  done
}

# profiled MODE TEST OPTION...: runs a test profiled. Bazel's output is in MODE.txt.
profiled() {
  local mode=$1
  shift
  bazel_cached test "--config=$mode" "$@" >"$mode.txt" 2>&1 || { cat "$mode.txt"; return 1; }
}

# calls MODE TEST FUNCTION: as GNU gprof counts them in the test's profile.
calls() {
  local bin logs
  bin=$(bazel_here info -c opt "--config=$1" bazel-bin 2>/dev/null)
  logs=$(bazel_here info -c opt "--config=$1" bazel-testlogs 2>/dev/null)
  unzip -p "$logs/$2/test.outputs/outputs.zip" '*.gmon.*' >gmon
  gprof -b -p "$bin/$2" gmon >flat.txt
  cat flat.txt
  awk -v name="$3" '$7 == name || index($7, name "(") == 1 { print "calls: " $4 }' flat.txt
}

counts() {
  calls "$@" >counts.txt
  cat counts.txt
  grep -qx "calls: 20" counts.txt
}

# Each of the 20 strings has 18 characters and a zero, which do not fit into the string itself.
allocates() {
  calls gprof_allocations "$1" gprofhub_allocated_bytes >counts.txt
  cat counts.txt
  awk '$1 == "calls:" && $2 >= 20 * 19 { enough = 1 } END { exit !enough }' counts.txt
}

# Each of these strings precedes the next one.
has_a_peak() {
  calls gprof_peak "$1" gprofhub_peak_bytes >counts.txt
  cat counts.txt
  awk '$1 == "calls:" && $2 >= 19 && $2 < 20 * 19 { one = 1 } END { exit !one }' counts.txt
}

counted_by_the_text() {
  local bin
  bin=$(bazel_here info -c opt --config=gprof bazel-bin 2>/dev/null)
  objdump -d --no-show-raw-insn "$bin/$1" >code.txt
  grep -q 'incq.*%gs:' code.txt && ! grep 'call.*<mcount>' code.txt
}

log_names_what_fell_back() {
  local logs
  logs=$(bazel_here info -c opt --config=gprof bazel-testlogs 2>/dev/null)
  cat "$logs/intel_test/test.log"
  grep -q 'gprofhub: intel_test: .*calls.c (not counted: -masm=intel)' "$logs/intel_test/test.log" &&
    ! grep -q 'gprofhub: ' "$logs/lld_test/test.log"
}

own_toolchain_has_mcount_count() {
  profiled gprof -c opt --crosstool_top=@bazel_tools//tools/cpp:toolchain //:lld_test &&
    counts gprof lld_test called && ! counted_by_the_text lld_test
}

says_who_loses_an_allocator() {
  cat gprof.txt
  [[ $(grep -c 'profiled with libc.s allocator' gprof.txt) == 1 ]] &&
    grep '//:other_allocator_test is profiled with libc.s allocator.*malloc = "//:allocator"' gprof.txt
}

# Events name what ran as the folders do.
events_name_the_mode() {
  grep -o '"mnemonic":"[^"]*"' "$1.json" | sort -u >mnemonics.txt
  cat mnemonics.txt
  grep -qx "\"mnemonic\":\"k8-opt-$1\"" mnemonics.txt
}

modes_have_folders_of_their_own() {
  local mode folder
  for mode in gprof gprof_allocations gprof_peak gprof_mcount gprof_lines; do
    folder=$(bazel_here info -c opt "--config=$mode" bazel-bin 2>/dev/null)
    echo "$folder"
    [[ $folder == */bazel-out/k8-opt-$mode/bin ]] || return 1
  done
}

# This Bazel has no modules. But it has their language: it evaluates both files, and the extension's own
# function, with stubs in the places of the functions that it lacks.
module_files_are_evaluated() {
  mkdir -p own/module
  echo 'workspace(name = "module")' >own/module/WORKSPACE
  {
    sed '/^load(/q' "$GPROFHUB/bazel/extensions.bzl" | sed 's|":repositories.bzl"|"@gprofhub//bazel:repositories.bzl"|'
    echo 'def module_extension(implementation): return implementation'
    sed '1,/^load(/d' "$GPROFHUB/bazel/extensions.bzl"
  } >own/module/extensions.bzl
  {
    echo 'load(":extensions.bzl", "gprofhub")'
    echo 'extension = gprofhub'
    echo 'used = []'
    echo 'def module(name, version): print("module %s %s" % (name, version))'
    echo 'def use_extension(file, name): return (file, name)'
    echo 'def use_repo(extension, *names): used.extend([extension[0], extension[1]] + list(names))'
    sed 's|^gprofhub = |proxy = |; s|^    gprofhub,|    proxy,|' "$GPROFHUB/MODULE.bazel"
    echo 'def run_extension():'
    echo '    print("uses %s" % " ".join(used))'
    echo '    extension(None)'
  } >own/module/module.bzl
  touch own/module/BUILD
  cp WORKSPACE workspace.before
  {
    grep -v gprofhub_repositories WORKSPACE
    echo "local_repository(name = 'module', path = 'own/module')"
    echo 'load("@module//:module.bzl", "run_extension")'
    echo 'run_extension()'
  } >workspace.module
  mv workspace.module WORKSPACE
  local status=0
  bazel_here build --nobuild //:words >module.txt 2>&1 || status=1
  bazel_here query --output=build "//external:gprofhub_fast_toolchain + //external:gprofhub_client +
    //external:gprofhub_linkers + //external:gprofhub_bazel" >>module.txt 2>&1 || status=1
  mv workspace.before WORKSPACE
  cat module.txt
  ((status == 0)) && grep -q "module gprofhub $(cat "$ROOT/VERSION")" module.txt &&
    grep -q 'uses //bazel:extensions.bzl gprofhub .*gprofhub_fast_toolchain' module.txt
}

plain_build_takes_any_bazel() {
  bazel_cached build --nobuild //...
}

profiling_names_the_versions() {
  ! bazel_cached build --nobuild --config=gprof //... >version.txt 2>&1 || return 1
  cat version.txt
  grep -q 'gprof_lines need Bazel 4 to 6. This is Bazel 3.7.2.' version.txt
}

unpack_archive
make_repository
check "plain tests run, with the repositories that the workspace has" plain_build_works
check "a plain build needs none of Debian's packages" nothing_is_debians
check "--config=gprof runs tests that omit frame pointers, have an allocator, use -flto or lld" \
  profiled gprof -c opt --build_event_json_file=gprof.json //...
check "a file with -fomit-frame-pointer is counted" counts gprof frame_pointer_test CountWords
check "lld keeps what is counted" counts gprof lld_test called
check "a file with -flto is counted" counts gprof lto_test CountWords
check "calls are counted in the text" counted_by_the_text lld_test
check "what is not counted is in the test's log" log_names_what_fell_back
check "the build says which test loses its allocator" says_who_loses_an_allocator
check "build events name the mode gprof" events_name_the_mode gprof
check "--config=gprof_allocations runs them, too" profiled gprof_allocations -c opt //...
check "a string that needs memory is an allocation" allocates frame_pointer_test
check "--config=gprof_peak runs them, too" profiled gprof_peak -c opt //...
check "what is in use at the most is known" has_a_peak frame_pointer_test
check "--config=gprof_mcount runs them, too" \
  profiled gprof_mcount -c opt --build_event_json_file=gprof_mcount.json -- //... -//:intel_test
check "mcount counts" counts gprof_mcount lld_test called
check "build events name the mode gprof_mcount" events_name_the_mode gprof_mcount
check "--config=gprof_lines runs them, too" profiled gprof_lines -c opt //...
check "a toolchain of the repository's own has mcount count" own_toolchain_has_mcount_count
check "each mode has a folder of its own" modes_have_folders_of_their_own
check "Bazel's Starlark evaluates MODULE.bazel and the extension" module_files_are_evaluated
make_workspace 3.7.2 >WORKSPACE
check "a plain build does not ask for a version of Bazel" plain_build_takes_any_bazel
check "profiling names the versions of Bazel that it supports" profiling_names_the_versions
((failures == 0))
