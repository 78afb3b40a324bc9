#!/bin/bash
# Profiles the example with the Bazel in PATH, and counts what its test is known to call. It is the test of
# this module with another version of Bazel.
#
#   check.sh [BAZEL-OPTION...]
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

# profiled CONFIG: its counts, by GNU gprof.
profiled() {
  local config=$1 bin logs folder
  shift
  bazel test "--config=$config" "$@" //:words_test
  # `bazel info` of 8 and 9 does not know the modules that options name.
  bin=$(realpath bazel-bin)
  logs=$(realpath bazel-testlogs)/words_test/test.outputs
  folder=$(mktemp -d)
  if [[ -e $logs/outputs.zip ]]; then unzip -q "$logs/outputs.zip" -d "$folder"; else cp -R "$logs/." "$folder"; fi
  gprof -b -p "$bin/words_test" "$folder"/*.gmon.* | tee "$folder/flat.txt"
  awk '/CountWords/ && $4 == 20 { found = 1 } END { exit !found }' "$folder/flat.txt" ||
    { echo "FAIL: --config=$config does not count 20 calls of CountWords" >&2; exit 1; }
  ! grep -q 'by mcount' "$logs/../test.log" || [[ $config == gprof_mcount ]] ||
    { echo "FAIL: --config=$config falls back to mcount" >&2; exit 1; }
}

bazel test "$@" //...
bazel run "$@" @gprofhub//bazel:setup
for config in gprof gprof_mcount gprof_allocations gprof_lines; do profiled "$config" "$@"; done
bazel run "$@" @gprofhub//bazel:setup | grep 'gprof.bazelrc is up to date'
echo "PASS: $(bazel --version) profiles the example"
