#!/bin/bash
# Runs tests with profiling, as `bazel test` runs them, and prints where their time and calls went.
# `gprof_profile` and `gprof_test_suite` make targets of it:
#
#   bazel run //:profile -- [FILTER] [BAZEL-OPTION...]
#   bazel run //:profiles -- [//TEST] [FILTER] [BAZEL-OPTION...]
#
# FILTER selects test cases, as --test_filter does; //TEST one test of the suite. Further options go
# to `bazel test`.
#
#   print_profile.sh LABEL... [BAZEL-OPTION...] -- [//TEST] [FILTER] [BAZEL-OPTION...]
#
# It needs gprofhub and unzip in PATH. BAZEL is the path of a Bazel that is not in PATH. The flame
# graph is a picture if flamegraph.pl is in PATH. The exit status is that of the tests.
set -euo pipefail

readonly FLAT_LINES=30 GRAPH_LINES=45
labels=()
options=()
while [[ $1 != -- ]]; do
  if [[ $1 == -* ]] || ((${#options[@]} > 0)); then options+=("$1"); else labels+=("$1"); fi
  shift
done
shift
if (($# > 0)) && [[ $1 == //* || $1 == @* ]]; then
  for label in "${labels[@]}"; do [[ $label == "$1" ]] && break; done
  if [[ $label != "$1" ]]; then
    echo "gprofhub: $1 is not a test of the suite; use one of: ${labels[*]}" >&2
    exit 2
  fi
  labels=("$1")
  shift
fi
if (($# > 0)) && [[ $1 != -* ]]; then
  options+=("--test_filter=$1")
  shift
fi

folder=$(mktemp -d -- "${TMPDIR:-/tmp}/gprofhub-profile.XXXXXX")
cd -- "${BUILD_WORKSPACE_DIRECTORY:?start it with \`bazel run\`}"
status=0
"${BAZEL:-bazel}" test --noshow_progress "${options[@]}" "$@" \
  --build_event_json_file="$folder/events.json" -- "${labels[@]}" || status=$?
if [[ ! -s $folder/events.json ]]; then exit "$status"; fi

# files_of_events PATTERN: local files in Bazel's build events whose name matches.
files_of_events() {
  { grep -o '"uri":"file://[^"]*"' "$folder/events.json" || true; } |
    sed 's|^"uri":"file://||; s|"$||' | { grep -E -- "$1" || true; } | sort -u
}

# test_of OUTPUTS: "db/query_test" of …/testlogs/db/query_test/[shard_1_of_2/]test.outputs/outputs.zip.
test_of() {
  local path=${1##*/testlogs/}
  path=${path%/test.outputs/outputs.zip}
  if [[ ${path##*/} =~ ^(shard|run)_[0-9]+_of_[0-9]+ ]]; then path=${path%/*}; fi
  echo "$path"
}

# image_of TEST PROGRAM: the program's file, in Bazel's outputs for the test or in the test's
# runfiles.
image_of() {
  local executable
  files_of_events "/bin/$1\$" | grep -E "/$2\$" | head -n 1 | grep . && return
  while IFS= read -r executable; do
    find -L "$executable.runfiles" -type f -name "$2" -print 2>/dev/null | head -n 1 | grep . && return
  done < <(files_of_events "/bin/$1\$")
  files_of_events "/$2\$" | head -n 1 | grep .
}

# shown FILE LINES: the first LINES lines.
shown() {
  local lines
  head -n "$2" -- "$1"
  lines=$(wc -l <"$1")
  if ((lines > $2)); then echo "… $((lines - $2)) more lines: $1"; fi
}

# print_program TEST PROGRAM RECORDING...
print_program() {
  local test=$1 program=$2 image made
  shift 2
  if ! image=$(image_of "$test" "$program"); then
    echo "gprofhub: $program is not on this machine; its recordings: $*" >&2
    return
  fi
  made=$folder/$test/$program
  gprofhub gprof -b -p "$image" "$@" >"$made.flat.txt"
  gprofhub gprof -b -q "$image" "$@" >"$made.graph.txt"
  gprofhub gprof --format=folded "$image" "$@" >"$made.folded"
  gprofhub gprof --format=speedscope "$image" "$@" >"$made.speedscope.json"
  echo
  echo "== $program of $test: flat profile, $# process(es)"
  shown "$made.flat.txt" "$FLAT_LINES"
  echo
  echo "== $program of $test: call graph"
  shown "$made.graph.txt" "$GRAPH_LINES"
  echo
  echo "== $program of $test: flame graph"
  if command -v flamegraph.pl >/dev/null && flamegraph.pl --title "$test" "$made.folded" >"$made.svg"; then
    echo "$made.svg"
  else
    echo "$made.speedscope.json for www.speedscope.app; $made.folded for flamegraph.pl"
  fi
}

# print_test TEST: for each program that the test ran. A recording is named
# <program>.<pid>.gprofhub, or <program>.<pid>.<n>.gprofhub.
print_test() {
  local recordings recording program
  local -A programs=()
  mapfile -t recordings < <(find "$folder/$1/recordings" -name '*.gprofhub' | sort)
  for recording in "${recordings[@]}"; do
    program=$(basename -- "$recording" | sed -E 's/\.[0-9]+(\.[0-9]+)?\.gprofhub$//')
    programs[$program]+="$recording"$'\n'
  done
  while IFS= read -r program; do
    mapfile -t recordings < <(printf '%s' "${programs[$program]}")
    print_program "$1" "$program" "${recordings[@]}"
  done < <(printf '%s\n' "${!programs[@]}" | sort)
}

number=0
declare -A tests=()
while IFS= read -r outputs; do
  test=$(test_of "$outputs")
  into=$folder/$test/recordings/$((number++))
  mkdir -p "$into"
  unzip -q -o -- "$outputs" '*.gprofhub' -d "$into" 2>/dev/null || true
  if find "$into" -name '*.gprofhub' | grep -q .; then tests[$test]=1; fi
done < <(files_of_events '/test\.outputs/outputs\.zip$')
if ((${#tests[@]} == 0)); then
  echo "gprofhub: no process of ${labels[*]} wrote a profile; check that bazel/gprof.bazelrc is imported and zip is installed" >&2
  exit $((status == 0 ? 1 : status))
fi
if ! command -v gprofhub >/dev/null; then
  echo "gprofhub not found in PATH, so the profiles cannot be listed; the recordings are in $folder" >&2
  exit $((status == 0 ? 1 : status))
fi
while IFS= read -r test; do print_test "$test"; done < <(printf '%s\n' "${!tests[@]}" | sort)
exit "$status"
