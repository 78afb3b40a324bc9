# shellcheck shell=bash
# Sourced by the scripts of this folder: a folder to build and run programs in, and the minimum of
# the rounds, which take turns. The ratios matter. Absolute figures depend on the machine.

# Programs are built, run and recorded there. Relative paths have to be made absolute before.
enter_new_folder() {
  folder=$(mktemp -d)
  trap 'rm -rf -- "$folder"' EXIT
  cd "$folder" || exit
  export GPROFHUB_GMON=0 GMON_OUT_PREFIX=$folder/gmon GPROFHUB_PROFILE_DIR=$folder
}

# begin_rounds LIBRARIES [ROUNDS]: sets the script's `libraries`, `rounds` and `sources`, and enters a new folder.
# shellcheck disable=SC2034  # read by the scripts
begin_rounds() {
  libraries=$(realpath -- "${1:?see the first lines of this script}")
  rounds=${2:-9}
  sources=$(dirname -- "$(realpath -- "$0")")
  enter_new_folder
}

forget_profiles() { [ -z "${folder:-}" ] || rm -f -- "$folder"/*.gprofhub "$folder"/gmon.*; }

declare -A least

# note NAME NUMBER: keeps the minimum. A failed measurement has no number, and does not count.
note() {
  least[$1]=$(awk -v new="$2" -v old="${least[$1]:-nan}" 'BEGIN {
    if (new !~ /^[0-9.]+$/) new = old
    print (old != "nan" && old + 0 < new + 0) ? old : new
  }')
}

# measure NAME COMMAND...: notes the duration that the program prints.
measure() {
  local name=$1
  shift
  note "$name" "$("$@" 2>/dev/null)"
  forget_profiles
}

# measure_processor NAME COMMAND...: the program's processor seconds.
measure_processor() {
  local name=$1 TIMEFORMAT='%U %S'
  shift
  note "$name" "$({ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }')"
  forget_profiles
}

# calculate FORMAT EXPRESSION: of awk's; "nan" if a number is missing.
calculate() {
  case $2 in
  *nan*) echo nan ;;
  *) awk "BEGIN { printf \"$1\\n\", $2 }" ;;
  esac
}
ratio() { calculate %.3f "${least[$1]} / ${least[$2]}"; }
difference() { calculate %.2f "${least[$1]} - ${least[$2]}"; }
row() { printf '%-58s %10s\n' "$1" "$2"; }
