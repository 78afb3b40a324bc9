#!/usr/bin/env bash
# A pull request of the demo's repository that costs what no CPU sample shows: SQLite allocates
# once more for each row that it inserts, and calls fsync once more for each commit. Both are found.
#
#   tests/e2e/costs_e2e.sh [COUNTS_FILE]
#
# The repository is examples/sqlite with a test that writes to a disk.
# Needs the packages of ci/setup. Writes "PASSED FAILED" to COUNTS_FILE. Results stay in
# ~/.cache/gprofhub/e2e-costs, or in GPROFHUB_E2E_DIR.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"

readonly RELEASE=9.0.0 COSTS=$ROOT/tests/e2e/costs
# shellcheck disable=SC2034  # read by checks.sh
COUNTS_FILE=${1:-}
RESULTS=$(realpath -m -- "${GPROFHUB_E2E_DIR:-$(cache_folder)/e2e-costs}")
# shellcheck source=ci/demo_steps.sh
source "$ROOT/ci/demo_steps.sh"
# shellcheck source=tests/e2e/checks.sh
source "$ROOT/tests/e2e/checks.sh"
results_folder "$RESULTS"
steps_begin "$RESULTS/logs"

commit_base() {
  put_release "$RELEASE"
  cp "$COSTS/disk_test.cc" "$WORKSPACE/"
  cat "$COSTS/disk_test.build" >>"$WORKSPACE/BUILD.bazel"
  git_in_example add -A
  git_in_example commit -q -m "SQLite's source, and a test on a disk"
}

commit_costs() {
  local patch
  git_in_example switch -q -c "$PULL_REQUEST_BRANCH"
  for patch in extra_allocation extra_fsync; do
    git_in_example apply --directory=sqlite "$COSTS/$patch.patch"
  done
  git_in_example commit -q -a -m "A cell of its own for each row, and a safer commit"
}

# Both head and base count allocations, calls of library functions, and waiting time.
count_costs() {
  bazel_in_example test -c opt --config=gprof_allocations --test_env=GPROFHUB_LIBRARY_CALLS=1 \
    --test_env=GPROFHUB_WAITING=1 --nocache_test_results --build_event_binary_file="$RESULTS/$1.bep" //...
  upload_run "$1"
}

# A forge would supply a pull request's diff; here git does.
write_reports() {
  local format
  git_in_example diff main >"$RESULTS/change.diff"
  for format in text markdown json; do
    gprofhub_in_example report --format="$format" --patch "$RESULTS/change.diff" >"$RESULTS/report.$format"
  done
}

# line_of PATTERN: its line in the head's source.
line_of() {
  grep -n -m 1 -F -- "$1" "$WORKSPACE/sqlite/sqlite3.c" | cut -d : -f 1
}

# finding EXPRESSION FUNCTION CALLER TARGET: EXPRESSION over `f`, the finding of that arc.
finding() {
  query "[$1 for f in it['findings'] if (f['function'], f['caller'], f['target'], f['metric']) == ('$2', '$3', '$4', 'calls')] == [True]" \
    "$RESULTS/report.json"
}

# Rows that the tests insert: each with one allocation of a page, 4,096 bytes.
allocation_is_found() {
  local target=$1 rows=$2 line
  line=$(line_of 'malloc(p->pBt->pageSize)')
  finding "(f['before'], f['after'], f['unit'], f['site'], f['in_diff']) == (0, $rows, 'calls', {'file': 'sqlite/sqlite3.c', 'line': $line}, True)" \
    malloc sqlite3BtreeInsert "$target"
}
bytes_are_found() {
  local target=$1 rows=$2
  finding "(f['before'], f['after'], f['unit'], f['material'], f['in_diff']) == (0, 4096 * $rows, 'bytes', True, True)" \
    gprofhub_allocated_bytes sqlite3BtreeInsert "$target"
}

# 40 orders and the tables are committed: once each more.
sync_is_found() {
  local line
  line=$(line_of 'fsync(((unixFile*)pPager->fd)->h)')
  finding "(f['before'], f['after'], f['site'], f['material'], f['in_diff']) == (0, 41, {'file': 'sqlite/sqlite3.c', 'line': $line}, True, True)" \
    fsync pager_end_transaction //:disk_test &&
    query "[f['after'] - f['before'] for f in it['findings'] if f['function'] == 'fsync' and not f['caller']] == [41]" "$RESULTS/report.json"
}

nothing_else_is_a_cause() {
  query "{f['caller'] for f in it['findings'] if f['material'] and f['caller']} == {'sqlite3BtreeInsert', 'pager_end_transaction'}" \
    "$RESULTS/report.json"
}

# says FILE PATTERN...: the file, its lines joined, has each.
says() {
  local file=$1 text all
  shift
  all=$(tr -s ' \n' ' ' <"$RESULTS/$file")
  for text in "$@"; do
    grep -q -E -- "$text" <<<"$all" || { echo "no '$text' in:"; cat "$RESULTS/$file"; return 1; }
  done
}

# The disk's test waits by far longest for the customer, 100 ms. It is shown as a time.
waiting_is_listed() {
  gprofhub_in_example listing --target //:disk_test --graph --brief >"$RESULTS/graph.txt"
  gprofhub_in_example listing --target //:disk_test --flat --brief >"$RESULTS/flat.txt"
  local list
  for list in graph flat; do
    grep -F 'The calls of gprofhub_waiting_microseconds are microseconds.' "$RESULTS/$list.txt" &&
      grep -F 'The calls of gprofhub_allocated_bytes are bytes.' "$RESULTS/$list.txt" || return 1
  done
  # Its entry in the call graph: microseconds of all, and its name.
  awk '$NF ~ /^\[/ && $(NF - 1) == "gprofhub_waiting_microseconds" && mine { split($(NF - 2), us, "/"); found = us[1] }
    /^\[/ { mine = index($0, "WaitForTheCustomer()") }
    END { print found " us"; exit found < 50000 }' "$RESULTS/graph.txt"
}
waiting_has_a_trend() {
  local branch
  for branch in main "$PULL_REQUEST_BRANCH"; do
    gprofhub_in_example trend gprofhub_waiting_microseconds --target //:disk_test \
      --branch "$branch" --format=json >"$RESULTS/trend.json" || return 1
    query "it['unit'] == 'microseconds' and [p['calls'] >= 50000 for p in it['points']] == [True]" \
      "$RESULTS/trend.json" || return 1
  done
  gprofhub_in_example trend gprofhub_waiting_microseconds --target //:disk_test --branch main |
    grep -E '^  time '
}
# page QUERY WORDS: the page of the head's call graph has them.
page_says() {
  python3 - "${PAGES%/}$1" "$2" <<'PYTHON'
import html, re, sys, urllib.request
page = urllib.request.urlopen(sys.argv[1]).read().decode()
text = " ".join(html.unescape(re.sub("<[^>]*>", " ", page)).split())
print(text[:3000])
sys.exit(re.search(sys.argv[2], text) is None)
PYTHON
}
waiting_is_on_the_page() {
  page_says "/p/demo/runs/2/graph?target=//:disk_test&function=gprofhub_waiting_microseconds" \
    'WaitForTheCustomer\(\) [0-9.]+ (ms|s) '
}
bytes_are_on_the_page() {
  page_says "/p/demo/runs/2/graph?target=//:disk_test&function=gprofhub_allocated_bytes" \
    'sqlite3BtreeInsert 4,104,192 bytes '
}
waiting_is_not_judged() {
  query "not [f for f in it['findings'] if f['function'].endswith('_microseconds')]" "$RESULTS/report.json"
}

# Of the calls of malloc and its bytes, the calls come first, if they have enough samples in the
# larger test; else the bytes come first, in the test that has most of them.
# shellcheck disable=SC2016  # the comment's backticks
comment_leads_with_both() {
  says report.markdown \
    '[12]. 🔺 `sqlite3BtreeInsert` now (calls `malloc`: 469,180 calls|allocates: 4,104,192 bytes), were none' \
    '(with that it allocates 1,921,761,280 bytes|in 1,002 calls of `malloc`), were none' \
    'about (52|93)% of the bytes that it allocates' \
    "\`sqlite/sqlite3.c:$(line_of 'malloc(p->pBt->pageSize)')\`, in this diff" \
    '[12]. 🔺 `pager_end_transaction` now calls `fsync`: 41 calls, were none' \
    '; by all callers 205, were 164' 'of its calls that wait' \
    "\`sqlite/sqlite3.c:$(line_of 'fsync(((unixFile*)pPager->fd)->h)')\`, in this diff"
}

# In the opposite direction, the same change is an equal improvement.
taking_it_back_saves_it() {
  local base head
  base=$(git_in_example rev-parse main)
  head=$(git_in_example rev-parse "$PULL_REQUEST_BRANCH")
  gprofhub_in_example report "$base" --base "$head" --format=json >"$RESULTS/back.json"
  query "{(f['function'], f['before'], f['after'], f['verdict']) for f in it['findings'] if f['caller'] == 'pager_end_transaction'} == {('fsync', 41, 0, 'improved')}" "$RESULTS/back.json"
}

heading "A pull request that allocates and syncs more"
step "Build gprofhub" "read the log." build_gprofhub
step "Fetch SQLite" "check the network; npm must reach its registry." "$ROOT/ci/fetch_sqlite" "$RELEASE"
step "Make the example's repository" "read the log." make_workspace
start_server 0 || die "cannot continue without the server"
step "Commit SQLite and a test on a disk" "read the log." commit_base
step "Push to main" "read the log." push_main
step "Base: bazel test, allocations and library calls counted" "read the log." count_costs base
step "Head: commit an allocation and an fsync" "read the log." commit_costs
step "Head: bazel test, allocations and library calls counted" "read the log." count_costs head
step "Wait for the analysis" "read $RESULTS/server.log." gprofhub_in_example runs --wait=1800
step "Write the reports" "read $RESULTS/server.log." write_reports

heading "Checks"
check "the allocation is found, in the function that makes it, to the call" allocation_is_found //:disk_test 1002
check "its bytes are found, to the byte" bytes_are_found //:disk_test 1002
check "and in the other test" allocation_is_found //:workload_test 469180
check "its bytes, too" bytes_are_found //:workload_test 469180
check "the fsync is found, on the path that commits, to the call" sync_is_found
check "nothing else is to blame" nothing_else_is_a_cause
check "the terminal leads with both" says report.text \
  'sqlite3BtreeInsert now (calls malloc: 469,180 calls|allocates: 4,104,192 bytes), were none' \
  'pager_end_transaction now calls fsync: 41 calls, were none'
check "the comment leads with both, and says where" comment_leads_with_both
check "the other way round it is saved" taking_it_back_saves_it
check "waiting is listed, in microseconds" waiting_is_listed
check "waiting has a trend" waiting_has_a_trend
check "waiting is on the page, as a time" waiting_is_on_the_page
check "bytes are on the page, as bytes" bytes_are_on_the_page
check "waiting is not judged" waiting_is_not_judged
checks_end "a pull request's costs"
