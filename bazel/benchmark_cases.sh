#!/bin/bash
# Runs each case of a Google Benchmark program in a separate process, so that each case has separate
# profiles. The number of iterations is fixed, so that counts repeat.
#
#   benchmark_cases.sh ITERATIONS PROGRAM [ARGUMENT...]
#
# ITERATIONS is the number that the program was built with (benchmark_iterations.cc), or 0. It is
# not part of a case's name. With 0, a case runs its loop once, or as often as it requests
# (->Iterations(n)). A case that requests a time (->MinTime(t)) has different counts in each run, so
# it is skipped with a log message. --test_filter=REGEX selects cases. Shards divide them.
set -euo pipefail

iterations=$1
program=$2
shift 2
outputs=${TEST_UNDECLARED_OUTPUTS_DIR:-}
scratch=$(mktemp -d -- "${TEST_TMPDIR:-${TMPDIR:-/tmp}}/cases.XXXXXX")
trap 'rm -rf -- "$scratch"' EXIT
if [[ -n ${TEST_SHARD_STATUS_FILE:-} ]]; then touch "$TEST_SHARD_STATUS_FILE"; fi

# The counts of listing the cases are discarded.
list=(--benchmark_list_tests=true)
if [[ -n ${TESTBRIDGE_TEST_ONLY:-} ]]; then list+=("--benchmark_filter=$TESTBRIDGE_TEST_ONLY"); fi
GPROFHUB_PROFILE_DIR=$scratch "$program" "$@" "${list[@]}" >"$scratch/cases"

# folder_of CASE: a file name for the case. Very long names are shortened.
folder_of() {
  local name=${1//%/%25}
  name=${name//\//%2F}
  if ((${#name} > 200)); then name=${name:0:180}~$(printf '%s' "$1" | sha256sum | cut -c 1-12); fi
  printf '%s' "$name"
}

# Escapes the special characters of regular expressions.
pattern_of() {
  printf '^%s$' "$(printf '%s' "$1" | sed 's/[][\.*^$+?(){}|]/\\&/g')"
}

status=0
number=0
while IFS= read -r name; do
  if ((number++ % ${TEST_TOTAL_SHARDS:-1} != ${TEST_SHARD_INDEX:-0})); then continue; fi
  if [[ $name == */min_time:* || $name == */min_warmup_time:* ]]; then
    echo "gprofhub: $name is skipped: it runs for a fixed time (MinTime), so its counts differ from run to run; use ->Iterations(n) instead" >&2
    continue
  fi
  case_name=${name/"/iterations:$iterations"/}
  folder=${outputs:-$scratch}/gprofhub.cases/$(folder_of "$case_name")
  mkdir -p -- "$folder"
  # The recording goes into the test's shared file, and gmon files into the folder.
  if ! GPROFHUB_CASE=$(folder_of "$case_name") GPROFHUB_PROFILE_DIR=$folder "$program" "$@" --benchmark_min_time=0 \
    "--benchmark_filter=$(pattern_of "$name")" </dev/null; then
    echo "gprofhub: $name failed" >&2
    status=1
  fi
  # Empty without a profiling build.
  rmdir --ignore-fail-on-non-empty -- "$folder"
done <"$scratch/cases"
if ((number == 0)); then
  echo "gprofhub: $program has no benchmark case${TESTBRIDGE_TEST_ONLY:+ that matches $TESTBRIDGE_TEST_ONLY}" >&2
fi
exit "$status"
