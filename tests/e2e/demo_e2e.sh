#!/usr/bin/env bash
# ci/demo as a person sees it, checked: its result is that of the report, the comparison's page
# answers, and Ctrl-C ends it at any time.
#
#   tests/e2e/demo_e2e.sh [COUNTS_FILE]
#
# Needs the packages of ci/setup. Writes "PASSED FAILED" to COUNTS_FILE. Results stay in
# ~/.cache/gprofhub/e2e-demo, or in GPROFHUB_E2E_DIR.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"

# shellcheck disable=SC2034  # read by checks.sh
COUNTS_FILE=${1:-}
RESULTS=$(realpath -m -- "${GPROFHUB_E2E_DIR:-$(cache_folder)/e2e-demo}")
# shellcheck source=ci/demo_steps.sh
source "$ROOT/ci/demo_steps.sh"
# shellcheck source=tests/e2e/checks.sh
source "$ROOT/tests/e2e/checks.sh"
results_folder "$RESULTS"
export GPROFHUB_DEMO_DIR=$RESULTS/demo

# demo STATUS FILE OPTION...: the demo on a terminal ends with STATUS; its output is in FILE.
demo() {
  local expected=$1 output=$RESULTS/$2 status=0
  python3 "$ROOT/tests/e2e/on_terminal.py" "${@:3}" >"$output" 2>&1 || status=$?
  tail -n 20 "$output"
  ((status == expected))
}

# prints FILE TEXT: the demo's output has TEXT.
prints() {
  tr -d '\r' <"$RESULTS/$1" | grep -F -- "$2" || { tail -n 20 "$RESULTS/$1"; return 1; }
}

# of_report EXPRESSION: prints a Python expression over the report's value `it`, its first finding
# `cause` and the time of the test `total`.
of_report() {
  python3 - "$GPROFHUB_DEMO_DIR/report.json" "$1" <<'PYTHON'
import json, sys
with open(sys.argv[1]) as file:
    it = json.load(file)
cause = it["findings"][0]
total = it["totals"][0]
print(eval(sys.argv[2]))
PYTHON
}

# shellcheck disable=SC2016  # Python's braces
prints_the_time() {
  prints served.txt "$(of_report 'f"({total["before"]:.2f} s → {total["after"]:.2f} s of CPU)" if total["verdict"] == "regressed" else "inconclusive)"')"
}

prints_the_cause() {
  prints served.txt "$(of_report 'f"(exact: {cause["before"]:,.0f} → {cause["after"]:,.0f}), {cause["site"]["file"]}:{cause["site"]["line"]}, in this diff"')" &&
    prints served.txt "jsonConvertTextToBlob() calls jsonTranslateTextToBlob() twice per call, was once"
}

renaming_is_no_cause() {
  [[ $(of_report '[f["function"] for f in it["findings"] if f["verdict"] == "regressed" and "Label" in f["function"]]') == "[]" ]]
}

prints_the_page() {
  prints served.txt "/p/$PROJECT/compare/$(of_report 'it["compared"]["head"]["run_id"]')" &&
    prints served.txt "PAGE 200"
}

# No process of the demo runs, except Bazel's server.
nothing_runs() {
  ! pgrep -f -- "^$GPROFHUB_DEMO_DIR/bin/gprofhub serve"
}

# The step's first program takes an interrupt as its regular end, as a server does.
step_of_two() {
  local first='trap "exit 0" INT; while :; do sleep 0.1; done'
  bash -c "source '$ROOT/ci/lib.sh'; steps_begin '$RESULTS/steps'; trap 'exit 130' INT
    both() { bash -c '$first'; touch '$RESULTS/second-has-run'; }
    step 'a step' 'none' both"
}
export -f step_of_two

first_ends_the_step() {
  ROOT=$ROOT RESULTS=$RESULTS demo 130 step.txt --interrupt-at "a step" bash -c step_of_two &&
    [[ ! -e $RESULTS/second-has-run ]]
}

heading "The demo"
check "an interrupt ends a step whose program ends regularly" first_ends_the_step
check "Ctrl-C ends the demo that serves, with status 0" \
  demo 0 served.txt --interrupt-at "server runs until Ctrl-C" "$ROOT/ci/demo"
check "its server has ended" nothing_runs
check "it prints the test's time as the report has it" prints_the_time
check "it prints the cause as the report has it" prints_the_cause
check "the renamed function is no cause" renaming_is_no_cause
check "the address that it prints answers" prints_the_page
check "Ctrl-C ends the demo in a step" demo 130 interrupted.txt --interrupt-at "upload; 1×" "$ROOT/ci/demo"
check "its server has ended, too" nothing_runs
check "with --stop-after it ends on a terminal" demo 0 stopped.txt "$ROOT/ci/demo" --stop-after
check "and prints how the pages are served again" prints stopped.txt "Serve the pages again: "

checks_end "the demo"
