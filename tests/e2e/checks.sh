# shellcheck shell=bash
# Checks of an end-to-end run, counted. Source this file after ci/lib.sh and ci/demo_steps.sh, with
# COUNTS_FILE set to where "PASSED FAILED" is written at the end, or to nothing.

passed=0
failed=0
finish() {
  local status=$?
  stop_server
  # A step that ended the script is a failure that no check has counted.
  if ((status != 0 && failed == 0)); then failed=1; fi
  if [[ -n $COUNTS_FILE ]]; then echo "$passed $failed" >"$COUNTS_FILE"; fi
}
trap finish EXIT
trap 'exit 130' INT TERM

# results_folder FOLDER: empties it, if an end-to-end run made it.
results_folder() {
  if [[ -e $1 && ! -f $1/.gprofhub-e2e ]]; then
    die "$1 contains other files; set GPROFHUB_E2E_DIR to a new folder"
  fi
  rm -rf -- "$1"
  mkdir -p "$1"
  touch "$1/.gprofhub-e2e"
}

# check NAME COMMAND...: the status of COMMAND decides; its output explains a failure.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    passed=$((passed + 1))
    say "  ok      $name"
  else
    failed=$((failed + 1))
    say "  FAILED  $name"
    printf '%s\n' "$output" | tail -n 20 | sed 's/^/            /'
  fi
}

# query EXPRESSION FILE: a Python expression over a JSON file's value `it`. Prints
# the value, and succeeds when it is true.
query() {
  python3 - "$@" <<'PYTHON'
import json, sys
with open(sys.argv[2]) as file:
    it = json.load(file)
value = eval(sys.argv[1])
print(value)
sys.exit(0 if value else 1)
PYTHON
}

checks_end() {
  say ""
  say "$1: $passed passed, $failed failed"
  ((failed == 0))
}
