# shellcheck shell=bash
# Sourced by the scripts of this folder: a place to build and run programs in, and the least of the rounds, which take
# turns. The ratios matter. Absolute figures depend on the machine.
sources=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")

# Programs are built, run and recorded there. Relative paths have to be made absolute before.
enter_new_folder() {
  folder=$(mktemp -d)
  trap 'rm -rf -- "$folder"' EXIT
  cd "$folder" || exit
  export GPROFHUB_GMON=0 GMON_OUT_PREFIX=$folder/gmon GPROFHUB_PROFILE_DIR=$folder
}

declare -A least

# note NAME NUMBER: the least is kept; what is no number does not count.
note() {
  least[$1]=$(printf '%s\n' "$2" "${least[$1]:-}" | grep -E '^[0-9.]' | sort -g | head -n 1)
}

# measure NAME COMMAND...: what the program says it took.
measure() {
  local name=$1
  shift
  note "$name" "$("$@" 2>/dev/null)"
  rm -f -- ./*.gprofhub gmon.*
}

# measure_processor NAME COMMAND...: the program's processor seconds.
measure_processor() {
  local name=$1 TIMEFORMAT='%U %S'
  shift
  note "$name" "$({ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }')"
  rm -f -- ./*.gprofhub gmon.*
}

# calculate FORMAT EXPRESSION: of awk's; "nan" where a number is missing.
calculate() { awk "BEGIN { printf \"$1\", $2 }" 2>/dev/null || echo nan; }
ratio() { calculate %.3f "${least[$1]} / ${least[$2]}"; }
difference() { calculate %.2f "${least[$1]} - ${least[$2]}"; }
row() { printf '%-58s %10s\n' "$1" "$2"; }
