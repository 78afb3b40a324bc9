#!/bin/bash
# ci/profiled_tests with a Bazel and a gprofhub that only note how they were called.
#
#   tests/rerun/profiled_tests_test.sh
#
# It prints PASS or FAIL and a name.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf -- "$WORK"' EXIT
cd "$WORK"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

cat >fake_bazel <<'END_OF_BAZEL'
#!/bin/bash
echo "bazel $*" >>calls.txt
for word; do
  case $word in --build_event_binary_file=*) echo events >"${word#*=}" ;; esac
done
exit "$(cat bazel_status)"
END_OF_BAZEL
cat >fake_gprofhub <<'END_OF_GPROFHUB'
#!/bin/bash
echo "gprofhub $*" >>calls.txt
case "$*" in
  *--expect-rerun*--format=json) printf '{\n  "schema": 1,\n  "run_ids": [\n    "12"\n  ]\n}\n' ;;
  *--report*) echo "**report**" ;;
  "rerun-list --asked"*) cat asked ;;
  rerun-list*) cat list ;;
esac
exit "$(cat gprofhub_status)"
END_OF_GPROFHUB
chmod +x fake_bazel fake_gprofhub

# run_with LIST BAZEL-STATUS GPROFHUB-STATUS ARGUMENT...: the calls are in calls.txt, without the
# names of temporary files.
run_with() {
  printf '%b' "$1" >list
  echo "$2" >bazel_status
  echo "$3" >gprofhub_status
  shift 3
  : >calls.txt
  if [[ ! -f asked ]]; then : >asked; fi
  status=0
  BAZEL=./fake_bazel GPROFHUB=./fake_gprofhub "$ROOT/ci/profiled_tests" "$@" || status=$?
  sed -i -E 's|/[^ ]*/(first\|again)\.bep|\1.bep|' calls.txt
  cat calls.txt
}

called() {
  diff <(printf '%s\n' "$@") calls.txt
}

runs_the_list_again() {
  run_with '--runs_per_test=^//b:test$@3\n--\n//a:test\n//b:test\n' 0 0 --budget 7 -c opt -- //a/... //b/...
  ((status == 0)) && called \
    'gprofhub rerun-list --asked --format=bazel' \
    'bazel test --config=gprof -c opt --build_event_binary_file=first.bep -- //a/... //b/...' \
    'gprofhub upload --bep first.bep --expect-rerun --wait --format=json' \
    'gprofhub rerun-list 12 --budget-percent 7 --format=bazel' \
    'bazel test --config=gprof -c opt --build_event_binary_file=again.bep --nocache_test_results --runs_per_test=^//b:test$@3 -- //a:test //b:test' \
    'gprofhub upload --bep again.bep --rerun'
}

runs_nothing_again_where_nothing_is_in_doubt() {
  run_with '' 0 0 --config gprof_lines --upload-option --check
  ((status == 0)) && called \
    'gprofhub rerun-list --asked --format=bazel' \
    'bazel test --config=gprof_lines --build_event_binary_file=first.bep -- //...' \
    'gprofhub upload --bep first.bep --expect-rerun --wait --format=json' \
    'gprofhub rerun-list 12 --budget-percent 5 --format=bazel' \
    'gprofhub upload --bep first.bep --expect-rerun --check'
}

runs_only_again_what_somebody_asked_for() {
  printf '%b' '--\n//a:test\n' >asked
  run_with '' 0 0 --upload-option --check -- //a/... //b/...
  rm asked
  ((status == 0)) && called \
    'gprofhub rerun-list --asked --format=bazel' \
    'bazel test --config=gprof --build_event_binary_file=first.bep -- //a/... //b/...' \
    'bazel test --config=gprof --build_event_binary_file=again.bep --nocache_test_results -- //a:test' \
    'gprofhub upload --bep again.bep --rerun --check'
}

runs_nothing_else_where_only_that_is_wanted() {
  printf '%b' '--\n//a:test\n' >asked
  run_with '' 3 0 --only-asked -- //a/... //b/...
  rm asked
  ((status == 3)) && called \
    'gprofhub rerun-list --asked --format=bazel' \
    'bazel test --config=gprof --build_event_binary_file=again.bep --nocache_test_results -- //a:test' \
    'gprofhub upload --bep again.bep --rerun' || return 1
  run_with '' 0 0 --only-asked
  ((status == 0)) && called 'gprofhub rerun-list --asked --format=bazel'
}

fails_as_the_tests_do() {
  run_with '--\n//a:test\n' 3 0
  ((status == 3)) && grep -q 'upload --bep again.bep --rerun' calls.txt
}

fails_as_the_upload_does() {
  run_with '' 0 4
  ((status == 4))
}

puts_the_report_into_the_summary() {
  echo "before" >summary.md
  run_with '--\n//a:test\n' 0 0 --summary summary.md --run-option --commit=3fa41c2 \
    --page-url 'https://gprofhub.example/{project}/{run}' --upload-option --check
  ((status == 0)) && grep -qx \
    'gprofhub upload --bep again.bep --commit=3fa41c2 --rerun --report --format=markdown --check' calls.txt &&
    diff <(printf '%s\n' before '**report**' '' \
      '[The whole report](https://gprofhub.example/default/12)') summary.md
}

tolerates_a_server_that_refuses() {
  rm -f summary.md
  run_with '' 0 4 --tolerant --summary summary.md
  ((status == 0)) && grep -q 'created no report' summary.md || return 1
  run_with '' 3 4 --tolerant
  ((status == 3)) || return 1
  # All other outcomes of an upload are reported.
  run_with '' 0 5 --tolerant
  ((status == 5))
}

check "the tests on the list run again, as often as it says" runs_the_list_again
check "nothing runs again where nothing is in doubt" runs_nothing_again_where_nothing_is_in_doubt
check "what somebody asked for is run again, and no more is sent" runs_only_again_what_somebody_asked_for
check "--only-asked runs nothing else" runs_nothing_else_where_only_that_is_wanted
check "failed tests are sent, run again, and fail the job" fails_as_the_tests_do
check "an upload that fails fails the job" fails_as_the_upload_does
check "the report goes to the job's summary, with a link" puts_the_report_into_the_summary
check "a server that refuses fails no job that tolerates it" tolerates_a_server_that_refuses
((failures == 0))
