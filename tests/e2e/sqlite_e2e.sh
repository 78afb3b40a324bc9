#!/usr/bin/env bash
# The whole way on real input, checked: two SQLite releases profiled in
# examples/sqlite, uploaded, analysed, compared, listed, and linked in order.
#
#   tests/e2e/sqlite_e2e.sh [COUNTS_FILE]
#
# Needs the packages of ci/setup. Writes "PASSED FAILED" to COUNTS_FILE. Results stay in
# ~/.cache/gprofhub/e2e, or in GPROFHUB_E2E_DIR.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"

readonly BASE=9.0.0 HEAD=11.3.0
COUNTS_FILE=${1:-}

RESULTS=$(realpath -m -- "${GPROFHUB_E2E_DIR:-$(cache_folder)/e2e}")
# shellcheck source=ci/demo_steps.sh
source "$ROOT/ci/demo_steps.sh"
# shellcheck source=tests/e2e/checks.sh
source "$ROOT/tests/e2e/checks.sh"
results_folder "$RESULTS"
steps_begin "$RESULTS/logs"

runs_json() {
  gprofhub_in_example runs --format=json >"$RESULTS/runs.json"
}

report_json() {
  gprofhub_in_example report --format=json >"$RESULTS/report.json"
}

all_analysed() {
  runs_json
  query 'len(it["runs"]) == 2 and all(r["jobs_done"] >= 1 and r["jobs_pending"] == r["jobs_failed"] == 0 for r in it["runs"])' "$RESULTS/runs.json"
}

runs_know_their_commits() {
  local base head
  base=$(git_in_example rev-parse main)
  head=$(git_in_example rev-parse "$PULL_REQUEST_BRANCH")
  query "{(r['commit'], r['branch']) for r in it['runs']} == {('$base', 'main'), ('$head', '$PULL_REQUEST_BRANCH')}" "$RESULTS/runs.json" &&
    query "[r for r in it['runs'] if r['commit'] == '$head'][0]['base_commit'] == '$base'" "$RESULTS/runs.json"
}

report_compares_with_merge_base() {
  report_json
  query "it['compared']['base']['commit'] == '$(git_in_example rev-parse main)' and it['compared']['baseline_reason'] == 'merge base'" "$RESULTS/report.json"
}

# gprof NAME FLAG: GNU gprof on the profile of keep_profile.
gnu_gprof() {
  gprof -b "$2" "$RESULTS/$1.image" "$RESULTS/$1.gmon"
}

# keep_profile NAME MODE: the profile of the last tests in the mode gprof or gprof_mcount.
keep_profile() {
  local name=$1 mode=$2 bin logs
  bin=$(bazel_in_example info -c opt "--config=$mode" bazel-bin 2>/dev/null)
  logs=$(bazel_in_example info -c opt "--config=$mode" bazel-testlogs 2>/dev/null)
  cp -fL "$bin/workload_test" "$RESULTS/$name.image"
  unzip -p "$logs/workload_test/test.outputs/outputs.zip" processes.gprofhub >"$RESULTS/$name.gprofhub"
  rm -rf "$RESULTS/$name.gmons"
  "$GPROFHUB" gmon "$RESULTS/$name.gprofhub" --output-dir "$RESULTS/$name.gmons"
  cp "$RESULTS/$name".gmons/workload_test.*.gmon.* "$RESULTS/$name.gmon"
}

# calls NAME FUNCTION: as GNU gprof has them.
calls() {
  gnu_gprof "$1" -p | awk -v name="$2" '$NF == name { for (i = 4; i < NF; ++i) if ($i ~ /^[0-9]+$/) { print $i; exit } }'
}

counts_are_exact() {
  local function=$1 before after
  before=$(calls "$BASE" "$function")
  after=$(calls "$HEAD" "$function")
  echo "GNU gprof has $before calls before and $after after"
  [[ -n $before && -n $after && $before != "$after" ]] &&
    query "[(f['before'], f['after'], f['exact'] or f['one_run']) for f in it['findings'] if f['function'] == '$function' and not f.get('caller') and f['metric'] == 'calls'] == [($before, $after, True)]" "$RESULTS/report.json"
}

# Every function's calls, as GNU gprof has them, one a line.
all_calls() {
  gnu_gprof "$1" -p | awk 'NR > 5 {
    for (i = 4; i < NF; ++i) {
      if ($i !~ /^[0-9]+$/) continue
      calls = $i
      while (++i <= NF && $i ~ /^[0-9.]+$/) { }
      name = ""
      for (; i <= NF; ++i) name = name " " $i
      print calls name
    }
  }' | sort
}

run_tests_mcount() {
  bazel_in_example test -c opt --config=gprof_mcount --nocache_test_results \
    --build_event_binary_file="$RESULTS/mcount.bep" //...
}

mcount_counts_the_same() {
  all_calls "$HEAD" >"$RESULTS/calls.text.txt"
  all_calls mcount >"$RESULTS/calls.mcount.txt"
  echo "$(wc -l <"$RESULTS/calls.mcount.txt") functions"
  [[ $(wc -l <"$RESULTS/calls.mcount.txt") -gt 500 ]] &&
    diff "$RESULTS/calls.text.txt" "$RESULTS/calls.mcount.txt"
}

# A mode's runs are a configuration of their own. Here the run has no baseline: main has no other
# run of its mode.
modes_are_kept_apart() {
  upload_run mcount
  gprofhub_in_example runs --wait=1800
  runs_json
  query '[r["configuration"] for r in it["runs"]].count("k8-opt-gprof_mcount") == 1 and {r["configuration"] for r in it["runs"]} == {"k8-opt-gprof", "k8-opt-gprof_mcount"}' "$RESULTS/runs.json" &&
    gprofhub_in_example report --format=text | grep -F 'no run of the main branch in configuration "k8-opt-gprof_mcount"'
}

# SQLite's JSON was rewritten between the two releases. The first line names that in any case.
report_begins_with() {
  gprofhub_in_example report >"$RESULTS/report.txt"
  cat "$RESULTS/report.txt"
  head -n 1 "$RESULTS/report.txt" | grep -F -- "$1"
}

# Of the rows of causes, that of $1 stands before all savings.
row_is_before_savings() {
  awk -v row="? $1: " 'index($0, "  " row) == 1 { found = 1 } /^  - / { if (!found) exit 1 }
    END { exit !found }' "$RESULTS/report.txt"
}

# The part that is visible before anything is unfolded.
comment_fits_a_screen() {
  gprofhub_in_example report --format=markdown >"$RESULTS/comment.md"
  local lines
  lines=$(sed '/^<details>/,$d; /^<!--/d' "$RESULTS/comment.md" | fold -s -w 120 | wc -l)
  echo "$lines lines"
  ((lines <= 25))
}

text_fits_a_screen() {
  local lines
  lines=$(fold -s -w 120 "$RESULTS/report.txt" | wc -l)
  echo "$lines lines"
  ((lines <= 25))
}

# A finding's id leads to the two call paths.
finding_is_explained() {
  local id
  report_json
  id=$(python3 -c 'import json, sys; print(next(it["id"] for it in json.load(sys.stdin)["findings"] if it["caller"]))' <"$RESULTS/report.json")
  gprofhub_in_example explain "$id" >"$RESULTS/explained.txt" && cat "$RESULTS/explained.txt" &&
    grep -F "finding $id" "$RESULTS/explained.txt" && grep '^> ' "$RESULTS/explained.txt"
}

# The server's listing is that of the uploaded recordings, and our gprof is GNU's on the gmon file
# of the same process. (They differ from each other: a recording has the calls of unknown callers,
# such as that of main. And the server lists clones.)
listing_is_gprofs() {
  local kind=$1 flag=$2 image=$RESULTS/$HEAD.image
  gprofhub_in_example listing --brief "--$kind" >"$RESULTS/$kind.txt"
  "$GPROFHUB" gprof -b "$flag" --exact-clones "$image" "$RESULTS/$HEAD.gprofhub" >"$RESULTS/$kind.local.txt"
  diff "$RESULTS/$kind.local.txt" "$RESULTS/$kind.txt" || return 1
  gnu_gprof "$HEAD" "$flag" >"$RESULTS/$kind.gnu.txt"
  "$GPROFHUB" gprof -b "$flag" "$image" "$RESULTS/$HEAD.gmon" >"$RESULTS/$kind.ours.txt"
  diff "$RESULTS/$kind.gnu.txt" "$RESULTS/$kind.ours.txt"
}

order_took_effect() {
  local before after functions=0
  read -r functions before _ < <(placement "$(unordered_binary)" "$RESULTS/ordering.txt")
  read -r functions after _ < <(placement "$(ordered_binary)" "$RESULTS/ordering.txt")
  echo "$after of $functions functions in order, $before without the ordering"
  ((functions > 100 && after == functions && before < functions / 2))
}

ordered_program_works() {
  "$(ordered_binary)"
}

second_upload_is_one_record() {
  local before
  before=$(gprofhub_in_example runs --format=json)
  upload_run "$HEAD"
  [[ $(gprofhub_in_example runs --format=json) == "$before" ]]
}

cached_results_are_marked() {
  run_tests cached --cache_test_results=yes
  upload_run cached
  runs_json
  query 'any(t["cached"] for r in it["runs"] for t in r["targets"])' "$RESULTS/runs.json"
}

# A job that runs again gets everything out of the cache, and must give the same result as before.
cached_results_are_reported_as_before() {
  gprofhub_in_example upload --bep "$RESULTS/cached.bep" --report --format=json >"$RESULTS/cached.json" &&
    query "it['compared']['cached_targets'] and it['compared']['targets'] and not it['compared']['not_compared']" "$RESULTS/cached.json" &&
    query "it['findings'] == json.load(open('$RESULTS/first.json'))['findings']" "$RESULTS/cached.json"
}

profile_release() {
  local release=$1
  step "$release: bazel test --config=gprof //..." "read the log." run_tests "$release"
  step "$release: upload" "read $RESULTS/server.log." upload_run "$release"
  keep_profile "$release" gprof
}

heading "End to end on SQLite"
step "Build gprofhub" "read the log." build_gprofhub
step "Fetch SQLite" "check the network; npm must reach its registry." \
  "$ROOT/ci/fetch_sqlite" "$BASE" "$HEAD"
step "Make the example's repository" "read the log." make_workspace
start_server 0 || die "cannot continue without the server"
step "$BASE: commit" "read the log." commit_release "$BASE"
step "$BASE: push to main" "read the log." push_main
profile_release "$BASE"
git_in_example switch -q -c "$PULL_REQUEST_BRANCH"
step "$HEAD: commit" "read the log." commit_release "$HEAD"
profile_release "$HEAD"
step "Wait for the analysis" "read $RESULTS/server.log." gprofhub_in_example runs --wait=1800
step "Link in the order learnt" "read the log." link_in_order

heading "Checks"
check "both runs are analysed" all_analysed
check "runs carry commit, branch and merge base from git" runs_know_their_commits
check "the report compares with the merge base" report_compares_with_merge_base
for function in sqlite3MemSize sqlite3DbFree; do
  check "the change of $function's calls is GNU gprof's, to the call" counts_are_exact "$function"
done
check "the report begins with the rewrite of SQLite's JSON" report_begins_with 'a rewrite: 17 functions replaced by 23'
check "the rewrite's row stands before all savings" row_is_before_savings sqlite/json.c
check "the comment's first screen has at most 25 lines" comment_fits_a_screen
check "the terminal shows the report in at most 25 lines" text_fits_a_screen
check "a finding is explained" finding_is_explained
check "the flat profile is the local one, and that GNU gprof's, byte for byte" listing_is_gprofs flat -p
check "the call graph is the local one, and that GNU gprof's, byte for byte" listing_is_gprofs graph -q
check "the order took effect" order_took_effect
check "the ordered program works" ordered_program_works
check "the same upload twice is one record" second_upload_is_one_record
cp "$RESULTS/report.json" "$RESULTS/first.json"
check "cached results are marked as cached" cached_results_are_marked
check "cached results are reported as those of the first run" cached_results_are_reported_as_before

step "$HEAD: bazel test --config=gprof_mcount //..." "read the log." run_tests_mcount
keep_profile mcount gprof_mcount
check "--config=gprof_mcount counts every function's calls as --config=gprof" mcount_counts_the_same
check "runs of the two modes are not compared" modes_are_kept_apart

checks_end "end to end"
