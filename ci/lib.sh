# shellcheck shell=bash
# Steps for the scripts of this folder. They print each step and its duration. When a step fails,
# they print which one, why, and the remedy. Source this file.
#
#   steps_begin LOG_DIRECTORY
#   step NAME ADVICE COMMAND [ARGUMENT...]     output goes to a log
#   steps_total                                how long all steps took
#
# A failed step ends the script with status 1. A COMMAND may be a function. It runs in
# a subshell, so variables that it sets are lost.

STEP_NAMES=()
STEP_MILLISECONDS=()
STEP_LOGS=

if [[ -t 1 ]]; then
  STEP_BOLD=$'\e[1m' STEP_DIM=$'\e[2m' STEP_PLAIN=$'\e[0m' STEP_CLEAR=$'\r\e[K'
else
  STEP_BOLD='' STEP_DIM='' STEP_PLAIN='' STEP_CLEAR=''
fi

die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

say() {
  printf '%s\n' "$*"
}

heading() {
  printf '\n%s%s%s\n' "$STEP_BOLD" "$*" "$STEP_PLAIN"
}

milliseconds_now() {
  local now=${EPOCHREALTIME/[.,]/}
  echo $((now / 1000))
}

as_seconds() {
  printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100))
}

steps_begin() {
  STEP_LOGS=$1
  mkdir -p "$STEP_LOGS" || die "cannot create $STEP_LOGS for the logs; set TMPDIR or XDG_CACHE_HOME to a writable folder"
}

# Says that a step is at work: on a terminal every second, elsewhere every minute.
_step_ticker() {
  local name=$1 log=$2 shell=$3 pause=60 seconds=0 last parent
  [[ -t 1 ]] && pause=1
  # A sleep may outlive this function. It must not hold the output open for readers. An interrupt
  # ends the script, but not this background process: it ends when it has another parent. The
  # script's process may still exist, because its own parent waits until this output is closed.
  while sleep "$pause" >/dev/null 2>&1 &&
    read -r _ _ _ parent _ <"/proc/$BASHPID/stat" && ((parent == shell)); do
    seconds=$((seconds + pause))
    last=$(tail -n 1 "$log" 2>/dev/null | tr -d '\r' | cut -c 1-60 2>/dev/null)
    if [[ -t 1 ]]; then
      printf '%s  %s %s%d s  %s%s' "$STEP_CLEAR" "$name" "$STEP_DIM" "$seconds" "$last" "$STEP_PLAIN"
    else
      printf '  ... %s: %d s (%s)\n' "$name" "$seconds" "$last"
    fi
  done
}

_step_failed() {
  local name=$1 advice=$2 log=$3 status=$4
  {
    printf '\n%sThis step failed: %s%s (status %d)\n' "$STEP_BOLD" "$name" "$STEP_PLAIN" "$status"
    echo "The last lines of its log:"
    tail -n 25 "$log" | sed 's/^/    /'
    echo "The whole log: $log"
    echo "What to do: $advice"
  } >&2
  exit 1
}

step() {
  local name=$1 advice=$2
  shift 2
  local slug log started status ticker='' errexit=$- shell=$BASHPID
  slug=$(printf '%s' "$name" | tr -c 'A-Za-z0-9.' '-' | cut -c 1-50)
  log=$(printf '%s/%02d-%s.log' "$STEP_LOGS" $((${#STEP_NAMES[@]} + 1)) "$slug")
  : >"$log"
  started=$(milliseconds_now)
  # The command is not a condition, because that would switch errexit off within it.
  set +e
  _step_ticker "$name" "$log" "$shell" &
  ticker=$!
  # After an interrupt that one of its programs took as its regular end, the next one must not start.
  (set -e; trap 'exit 130' INT; "$@") >"$log" 2>&1
  status=$?
  # Not one that it could handle: just made, it still has the traps of this shell.
  kill -KILL "$ticker" 2>/dev/null
  wait "$ticker" 2>/dev/null
  [[ $errexit == *e* ]] && set -e
  local took=$(($(milliseconds_now) - started))
  STEP_NAMES+=("$name")
  STEP_MILLISECONDS+=("$took")
  if ((status != 0)); then
    printf '%s' "$STEP_CLEAR"
    _step_failed "$name" "$advice" "$log" "$status"
  fi
  printf '%s  %-58s %10s\n' "$STEP_CLEAR" "$name" "$(as_seconds "$took")"
}

steps_total() {
  local took total=0
  for took in "${STEP_MILLISECONDS[@]}"; do total=$((total + took)); done
  printf '  %-58s %10s\n' "all steps" "$(as_seconds "$total")"
}

# Cache of downloads, builds and results of these scripts.
cache_folder() {
  echo "${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/gprofhub"
}
