#!/bin/bash
# A repository whose tests are built for aarch64 by a cross toolchain, and executed by qemu: bazel
# test --config=gprof --config=gprof_aarch64, and the listing of its profiles.
#
#   bazel build //cli:gprofhub
#   tests/cross/cross_test.sh bazel-bin/cli/gprofhub
#
# It prints PASS or FAIL and a name. The repository stays in ~/.cache/gprofhub/cross, so a second
# run finds what Bazel has built.
set -euo pipefail

gprofhub=$(realpath "$1")
ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
# For this checkout alone: another's tests may run at the same time.
WORK=$(cache_folder)/cross/$(printf '%s' "$ROOT" | sha256sum | cut -c 1-12)
rm -rf -- "$WORK"
mkdir -p "$WORK"
cd "$WORK"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

make_repository() {
  cat >WORKSPACE <<END
workspace(name = "crossing")
local_repository(name = "gprofhub", path = "$ROOT")
load("@gprofhub//bazel:debian.bzl", "debian_repositories")
debian_repositories()
load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")
gprofhub_repositories()
END
  echo "import $ROOT/bazel/gprof.bazelrc" >.bazelrc
  cat >BUILD <<'END'
cc_library(name = "work", srcs = ["work.cc"], hdrs = ["work.h"])
cc_test(name = "work_test", srcs = ["work_test.cc"], deps = [":work"], linkopts = ["-pthread"])
END
  echo 'long Work(long n);' >work.h
  cat >work.cc <<'END'
#include "work.h"
static __attribute__((noinline)) long Step(long n) { return n * 7 % 13; }
long Work(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += Step(i);
  return sum;
}
END
  cat >work_test.cc <<'END'
#include <thread>
#include "work.h"
#ifndef __aarch64__
#error "not for aarch64"
#endif
int main() {
  long first = 0, second = 0;
  std::thread one([&] { for (int i = 0; i < 30; ++i) first += Work(100); });
  std::thread two([&] { for (int i = 0; i < 12; ++i) second += Work(100); });
  one.join();
  two.join();
  return first * 12 == second * 30 ? 0 : 1;
}
END
}

bazel_here() {
  local command=$1 options=()
  shift
  if [[ -n ${GPROFHUB_OUTPUT_BASES:-} ]]; then
    options+=("--output_base=$GPROFHUB_OUTPUT_BASES/cross")
  fi
  bazel "${options[@]}" --host_jvm_args=-Xmx1g --max_idle_secs=30 "$command" "$@" </dev/null
}

a_test_of_another_processor_runs() {
  bazel_here test --noshow_progress --config=gprof --config=gprof_aarch64 --test_env=GPROFHUB_GMON=program -c opt //...
}

its_configuration_has_a_name_of_its_own() {
  [[ $(readlink bazel-bin) == */aarch64-opt-gprof/bin ]]
}

unpack_recording() {
  mkdir outputs
  unzip -q -d outputs bazel-testlogs/work_test/test.outputs/outputs.zip
  recording=outputs/processes.gprofhub
  program=$(realpath bazel-bin/work_test)
  [[ -f $recording ]]
}

# 42 calls of Work, 4,200 of Step, from both threads.
its_calls_are_listed_exactly() {
  "$gprofhub" gprof -b "$program" "$recording" >listing
  grep -E ' 4200/4200 +Work' listing
  grep -E ' 42 +Work' listing
}

its_gmon_file_says_the_same() {
  aarch64-linux-gnu-gprof -b -q "$program" outputs/work_test.*.gmon.* >gnu
  grep -E ' 4200/4200 +Work' gnu
}

make_repository
check "a test for aarch64 runs with --config=gprof" a_test_of_another_processor_runs
check "its configuration is not that of the host" its_configuration_has_a_name_of_its_own
check "it leaves a recording" unpack_recording
recording=outputs/processes.gprofhub
program=$(realpath bazel-bin/work_test)
check "its calls are counted exactly" its_calls_are_listed_exactly
check "GNU gprof reads its gmon file" its_gmon_file_says_the_same
bazel_here shutdown || true

[ "$failures" -eq 0 ]
