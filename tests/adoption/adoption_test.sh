#!/bin/bash
# A repository that adopts gprofhub, with the typical properties: it declares all of Bazel's
# dependencies itself, and it has targets with options, allocators and linkers of their own. Of
# gprofhub it has the archive for Bazel alone (packaging/for_bazel).
#
#   bazel build //packaging:all //cli:gprofhub //cli:gprofhub_commands
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

# make_workspace [VERSION [NAME]]: VERSION is empty for that of the Bazel that runs. NAME is
# gprofhub's in this workspace.
make_workspace() {
  local version=${1:-} gprofhub=${2:-gprofhub} name
  echo 'workspace(name = "adopter")'
  echo "local_repository(name = '$gprofhub', path = '$GPROFHUB')"
  if [[ -n $version ]]; then
    echo "load('@$gprofhub//bazel:running_bazel.bzl', 'running_bazel')"
    echo "running_bazel(name = 'gprofhub_bazel', version = '$version')"
  fi
  echo "load('@$gprofhub//bazel:repositories.bzl', 'gprofhub_repositories')"
  echo 'gprofhub_repositories()'
  for name in bazel_skylib platforms rules_java rules_proto rules_cc remote_coverage_tools; do
    echo "local_repository(name = '$name', path = 'own/$name')"
  done
}

make_repository() {
  make_repositories
  make_workspace >WORKSPACE
  echo 'try-import %workspace%/tools/gprofhub/gprof.bazelrc' >.bazelrc
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
    name = "far_test",
    size = "small",
    srcs = ["calls.c"],
    copts = ["-mcmodel=large"],
)

sh_test(
    name = "outputs_test",
    size = "small",
    srcs = ["outputs_test.sh"],
    data = [":lld_test"],
)

cc_test(
    name = "intel_test",
    size = "small",
    srcs = ["calls.c", "intel.c"],
    copts = ["-masm=intel"],
)
END
  echo 'int intel;' >intel.c
  # It counts its outputs.
  # shellcheck disable=SC2016 # for the script
  printf '%s\n' '#!/bin/bash' 'set -e' './lld_test' 'touch "$TEST_UNDECLARED_OUTPUTS_DIR/mine"' \
    'find "$TEST_UNDECLARED_OUTPUTS_DIR" -type f' \
    '[[ $(find "$TEST_UNDECLARED_OUTPUTS_DIR" -type f | wc -l) == 1 ]]' >outputs_test.sh
  chmod +x outputs_test.sh
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

# calls MODE TEST FUNCTION [PROGRAM]: as GNU gprof counts them in the test's profile.
calls() {
  local bin logs
  bin=$(bazel_here info "--config=$1" bazel-bin 2>/dev/null)
  logs=$(bazel_here info "--config=$1" bazel-testlogs 2>/dev/null)
  unzip -p "$logs/$2/test.outputs/outputs.zip" processes.gprofhub >recorded.gprofhub
  rm -rf gmon
  "$ROOT/bazel-bin/cli/gprofhub" gmon recorded.gprofhub --output-dir gmon
  gprof -b -p "$bin/${4:-$2}" gmon/"${4:-$2}".*.gmon.* >flat.txt
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
  bin=$(bazel_here info --config=gprof bazel-bin 2>/dev/null)
  objdump -d --no-show-raw-insn "$bin/$1" >code.txt
  grep -q 'incq.*%gs:' code.txt && ! grep 'call.*<mcount>' code.txt
}

log_names_what_fell_back() {
  local logs
  logs=$(bazel_here info --config=gprof bazel-testlogs 2>/dev/null)
  cat "$logs/intel_test/test.log"
  grep -q 'gprofhub: intel_test: .*calls.c (not counted: -masm=intel)' "$logs/intel_test/test.log" &&
    ! grep -q 'gprofhub: ' "$logs/lld_test/test.log"
}

# register_toolchain COMPILER: a toolchain that the repository registers, Bazel's own under another name
# and with another path of its compiler. It has the assembler among its files, and no script.
register_toolchain() {
  local external
  external=$(bazel_here info output_base 2>/dev/null)/external
  rm -rf own/toolchain
  mkdir -p own/toolchain
  cp -L "$external"/local_config_cc/{*.bzl,builtin_include_directory_paths,cc_wrapper.sh} own/toolchain
  sed "s|\"gcc\": \"[^\"]*\"|\"gcc\": \"$(command -v "$1")\"|
       s|extra_tools/\*\*\"\], allow_empty = True)|& + [\"@gprofhub//bazel/toolchain:as\"]|
       s|cxx_builtin_include_directories = \[|&\"/usr/lib/llvm-14\", |" \
    "$external/local_config_cc/BUILD" >own/toolchain/BUILD
  if [[ $1 == clang ]]; then sed -i 's/"-fno-canonical-system-headers",//; s/"-pass-exit-codes"//' own/toolchain/BUILD; fi
  cat >>own/toolchain/BUILD <<'END'

toolchain(
    name = "registered",
    exec_compatible_with = ["@platforms//cpu:x86_64", "@platforms//os:linux"],
    target_compatible_with = ["@platforms//cpu:x86_64", "@platforms//os:linux"],
    toolchain = ":cc-compiler-k8",
    toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
)
END
  make_workspace >WORKSPACE
  echo 'register_toolchains("//own/toolchain:registered")' >>WORKSPACE
}

# with_toolchain COMPILER MODE TARGET...
with_toolchain() {
  local compiler=$1 mode=$2
  shift 2
  register_toolchain "$compiler"
  profiled "$mode" --incompatible_enable_cc_toolchain_resolution -- "$@" &&
    bazel_here aquery "--config=$mode" --incompatible_enable_cc_toolchain_resolution \
      'mnemonic("CppCompile", //:lld_test)' 2>/dev/null | grep "exec $(command -v "$compiler") "
}

counts_in_the_text() {
  counts gprof lld_test called && counts gprof words_test CountWords && counted_by_the_text lld_test
}

# Its -pg calls mcount by address, where no counter can be in its place.
far_test_fell_back() {
  local logs
  logs=$(bazel_here info --config=gprof bazel-testlogs 2>/dev/null)
  counts gprof far_test called &&
    grep 'gprofhub: far_test: not counted in the text, but by mcount, which costs more: .*calls.c (' \
      "$logs/far_test/test.log"
}

registered_gcc_counts() {
  with_toolchain x86_64-linux-gnu-gcc gprof_own_toolchain //... -//:intel_test -//:outputs_test &&
    counts_in_the_text && counts gprof lto_test CountWords && far_test_fell_back
}

registered_clang_counts() {
  with_toolchain clang gprof_own_toolchain_clang //:lld_test //:words_test //:far_test &&
    counts_in_the_text && far_test_fell_back
}

registered_toolchain_has_mcount_count() {
  with_toolchain clang gprof_mcount //:lld_test && counts gprof_mcount lld_test called
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
    folder=$(bazel_here info "--config=$mode" bazel-bin 2>/dev/null)
    echo "$folder"
    [[ $folder == */bazel-out/k8-opt-$mode/bin ]] || return 1
  done
}

plain_build_takes_any_bazel() {
  bazel_cached build --nobuild //...
}

# refused_with VERSION TEXT: profiling with another version of Bazel.
refused_with() {
  make_workspace "$1" >WORKSPACE
  ! bazel_cached build --nobuild --config=gprof //... >version.txt 2>&1 || return 1
  cat version.txt
  grep -qF -- "$2" version.txt
}

set_up() {
  bazel_here run --noshow_progress @gprofhub//bazel:setup >setup.txt 2>&1 || { cat setup.txt; return 1; }
  cat setup.txt
}

set_up_is_all() {
  set_up && grep -qx 'wrote tools/gprofhub/gprof.bazelrc' setup.txt &&
    grep -qx 'wrote tools/gprofhub/status.sh' setup.txt && ! grep -q 'Add to .bazelrc' setup.txt &&
    cmp "$GPROFHUB/bazel/status.sh" tools/gprofhub/status.sh && [[ -x tools/gprofhub/status.sh ]] &&
    cmp "$GPROFHUB/bazel/credential_helper.sh" tools/gprofhub/credential_helper.sh
}

second_set_up_shows_a_difference() {
  set_up && grep -qx 'tools/gprofhub/gprof.bazelrc is up to date' setup.txt || return 1
  sed -i 's/--platform_suffix=-gprof$/--platform_suffix=-mine/' tools/gprofhub/gprof.bazelrc
  set_up && grep -qx -- '-build:gprof --platform_suffix=-mine' setup.txt &&
    grep -qx -- '+build:gprof --platform_suffix=-gprof' setup.txt &&
    grep -qx 'changed tools/gprofhub/gprof.bazelrc' setup.txt
}

# options_of VERSION: the file for another Bazel, as `bazel run` would have its script write it.
options_of() {
  echo "$1" >version
  rm -rf other
  BUILD_WORKSPACE_DIRECTORY=$PWD "$GPROFHUB/bazel/setup.sh" version "$GPROFHUB"/bazel/{gprof.bazelrc,status.sh,credential_helper.sh} other \
    >/dev/null && cat other/gprof.bazelrc
}

set_up_is_for_the_version() {
  local version
  for version in 7.7.1 8.5.0 8.7.0 9.1.0; do
    options_of "$version" >options.txt
    cat options.txt
    ! grep '^#[0-9]\|toolchain_resolution\|/usr/share\|crosstool_top\|^build.*suffix=-' options.txt || return 1
    grep -qx 'build:gprof --platform_suffix=gprof' options.txt || return 1
    grep -qx 'build:gprof_backend --remote_build_event_upload=all' options.txt || return 1
    case $version in
    8.7.0 | 9.1.0) grep -q '_fallback_for_remote_cache' options.txt || return 1 ;;
    *) ! grep '_fallback_for_remote_cache' options.txt || return 1 ;;
    esac
  done
  options_of 6.5.0 >options.txt
  cat options.txt
  ! grep 'remote_build_event_upload' options.txt && grep 'toolchain_resolution' options.txt
}

prints_no_warning() {
  ! grep -h '^WARNING' gprof*.txt
}

leaves_its_outputs_last() {
  ! profiled gprof //:outputs_test || return 1
  profiled gprof --test_env=GPROFHUB_PROFILES_LAST=1 //:outputs_test && counts gprof outputs_test called lld_test
}

# Of the options' patterns the compiler's own is the only one that a rule could not see.
runtime_is_never_instrumented() {
  make_workspace '' gprofhub.x >WORKSPACE
  sed -i 's|@gprofhub//|@gprofhub.x//|' tools/gprofhub/gprof.bazelrc
  local mode
  for mode in gprof gprof_lines gprof_mcount; do
    bazel_here aquery "--config=$mode" 'mnemonic("CppCompile", deps(//:lld_test))' \
      >actions.txt 2>aquery.txt || { cat aquery.txt; return 1; }
    awk '/^action/ { runtime = 0; pg = 0 }
      / external\/gprofhub.x\// { runtime = 1 }
      / -pg | --gprofhub-count/ { pg = 1 }
      /^$/ { if (runtime) { ++of_runtime; if (pg) ++wrong } else if (pg) ++counted; runtime = pg = 0 }
      END { print of_runtime + 0, wrong + 0, counted + 0; exit !(of_runtime > 20 && !wrong && counted >= 1) }' \
      actions.txt || return 1
  done
  bazel_here test --config=gprof //:lld_test
}

built_runtime_is_not_instrumented() {
  profiled gprof_mcount --copt=-pg //:lld_test && counts gprof_mcount lld_test called
}

# The archive's is not, so it is compiled here.
says_that_the_runtime_is_instrumented() {
  local logs status=0
  mv "$GPROFHUB/runtime/built" "$WORK/built"
  bazel_cached test --config=gprof_mcount --copt=-pg //:lld_test >instrumented.txt 2>&1 || status=$?
  mv "$WORK/built" "$GPROFHUB/runtime/built"
  ((status != 0)) || return 1
  logs=$(bazel_here info --config=gprof_mcount bazel-testlogs 2>/dev/null)
  grep '^gprofhub: the profiling runtime was compiled with -pg, so no program can run' "$logs/lld_test/test.log"
}

own_pg_does_no_harm() {
  profiled gprof --copt=-pg //:lld_test && counts gprof lld_test called
}

# As on a worker elsewhere. Nothing is taken from a cache, so all is in the log.
remote_actions_have_their_inputs() {
  rm -f actions.json
  bazel_here build --noshow_progress --config=gprof --action_env=FRESH=$RANDOM --execution_log_json_file=actions.json \
    //:lto_test //:intel_test >remote.txt 2>&1 || { cat remote.txt; return 1; }
  "$ROOT/tests/adoption/replay.py" actions.json "$(bazel_here info execution_root 2>/dev/null)" _test CppCompile CppLink
}

coverage_names_what_is_missing() {
  sed 's/.*remote_coverage_tools.*//' WORKSPACE >workspace.coverage
  {
    echo 'load("@gprofhub//bazel:debian.bzl", "debian_repositories")'
    echo 'debian_repositories()'
  } >>workspace.coverage
  cp workspace.coverage WORKSPACE
  local logs
  ! bazel_cached coverage //:lld_test >coverage.txt 2>&1 || return 1
  logs=$(bazel_here info bazel-testlogs 2>/dev/null)
  grep -F 'declare remote_coverage_tools in WORKSPACE' "$logs/lld_test/test.log"
}

# The archive's example, whose check is for Bazel 7 and later, as a WORKSPACE of Bazel 4.
example_is_profiled() {
  cp -R "$GPROFHUB/example" ../example
  make_workspace >../example/WORKSPACE
  cp -R own ../example/own
  echo "build --disk_cache=$(cache_folder)/adoption-build" >>../example/.bazelrc
  ../example/check.sh
  (cd ../example && bazel shutdown)
}

unpack_archive
make_repository
check "plain tests run, with the repositories that the workspace has" plain_build_works
check "a plain build needs none of Debian's packages" nothing_is_debians
check "bazel run @gprofhub//bazel:setup writes what is to be imported" set_up_is_all
check "a second run shows what changed" second_set_up_shows_a_difference
check "--config=gprof runs tests that omit frame pointers, have an allocator, use -flto or lld" \
  profiled gprof --build_event_json_file=gprof.json -- //... -//:outputs_test
check "a file with -fomit-frame-pointer is counted" counts gprof frame_pointer_test CountWords
check "lld keeps what is counted" counts gprof lld_test called
check "a file with -flto is counted" counts gprof lto_test CountWords
check "calls are counted in the text" counted_by_the_text lld_test
check "what is not counted is in the test's log" log_names_what_fell_back
check "the build says which test loses its allocator" says_who_loses_an_allocator
check "build events name the mode gprof" events_name_the_mode gprof
check "--config=gprof_allocations runs them, too" profiled gprof_allocations -- //... -//:outputs_test
check "a string that needs memory is an allocation" allocates frame_pointer_test
check "--config=gprof_peak runs them, too" profiled gprof_peak -- //... -//:outputs_test
check "what is in use at the most is known" has_a_peak frame_pointer_test
check "--config=gprof_mcount runs them, too" \
  profiled gprof_mcount --build_event_json_file=gprof_mcount.json -- //... -//:intel_test -//:outputs_test
check "mcount counts" counts gprof_mcount lld_test called
check "build events name the mode gprof_mcount" events_name_the_mode gprof_mcount
check "--config=gprof_lines runs them, too" profiled gprof_lines -- //... -//:outputs_test
check "no mode prints a warning" prints_no_warning
check "each mode has a folder of its own" modes_have_folders_of_their_own
check "a test that counts its outputs passes, with its profiles last" leaves_its_outputs_last
check "a compiler and its assembler are inputs of actions" remote_actions_have_their_inputs
check "an own --copt=-pg does no harm" own_pg_does_no_harm
check "the built runtime is not instrumented" built_runtime_is_not_instrumented
check "an instrumented runtime says so" says_that_the_runtime_is_instrumented
check "a registered gcc counts in the text, or falls back" registered_gcc_counts
check "a registered clang counts in the text, or falls back" registered_clang_counts
check "a registered toolchain has mcount count" registered_toolchain_has_mcount_count
check "a repository of another name has no instrumented runtime" runtime_is_never_instrumented
make_workspace >WORKSPACE
set_up >/dev/null
make_workspace 3.7.2 >WORKSPACE
check "a plain build does not ask for a version of Bazel" plain_build_takes_any_bazel
check "profiling names the versions of Bazel that it supports" \
  refused_with 3.7.2 "gprofhub's --config=gprof needs Bazel 4 or later. This is Bazel 3.7.2."
check "options for another Bazel are refused, with the remedy" refused_with 7.7.1 \
  'are for Bazel 4 to 6, and this is Bazel 7.7.1. Write the file for this version with: bazel run @gprofhub//bazel:setup'
check "the options are for the Bazel that runs" set_up_is_for_the_version
make_workspace >WORKSPACE
check "bazel coverage names what Debian's Bazel lacks" coverage_names_what_is_missing
check "the archive's example is profiled" example_is_profiled
((failures == 0))
