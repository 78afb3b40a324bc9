#!/bin/bash
# Runs one test profiled, as `bazel test` runs it, and prints what its time and calls went to.
# `gprof_profile` makes a target of it:
#
#   bazel run //:profile -- [FILTER] [BAZEL-OPTION...]
#
# FILTER chooses test cases, as --test_filter does. What follows goes to `bazel test`.
#
#   print_profile.sh LABEL [BAZEL-OPTION...] -- [FILTER] [BAZEL-OPTION...]
#
# It needs gprofhub and unzip in PATH. BAZEL names a Bazel that is not in PATH. The flame graph is a
# picture if flamegraph.pl is in PATH. The status is that of the test.
set -euo pipefail

readonly FLAT_LINES=30 GRAPH_LINES=45
label=$1
shift
options=()
while [[ $1 != -- ]]; do
  options+=("$1")
  shift
done
shift
if (($# > 0)) && [[ $1 != -* ]]; then
  options+=("--test_filter=$1")
  shift
fi

folder=$(mktemp -d -- "${TMPDIR:-/tmp}/gprofhub-profile.XXXXXX")
cd -- "${BUILD_WORKSPACE_DIRECTORY:?start it with \`bazel run\`}"
status=0
"${BAZEL:-bazel}" test --noshow_progress "${options[@]}" "$@" \
  --build_event_json_file="$folder/events.json" -- "$label" || status=$?
if [[ ! -s $folder/events.json ]]; then exit "$status"; fi

# files_of_events PATTERN: local files that Bazel names, of which the name matches.
files_of_events() {
  { grep -o '"uri":"file://[^"]*"' "$folder/events.json" || true; } |
    sed 's|^"uri":"file://||; s|"$||' | { grep -E -- "$1" || true; } | sort -u
}

number=0
mkdir "$folder/recordings"
while IFS= read -r outputs; do
  unzip -q -o -- "$outputs" '*.gprofhub' -d "$folder/recordings/$((number++))" 2>/dev/null || true
done < <(files_of_events '/test\.outputs/outputs\.zip$')
mapfile -t recordings < <(find "$folder" -name '*.gprofhub' 2>/dev/null | sort)
if ((${#recordings[@]} == 0)); then
  echo "gprofhub: no process of $label left a profile. Is bazel/gprof.bazelrc imported, and zip installed?" >&2
  exit $((status == 0 ? 1 : status))
fi
if ! command -v gprofhub >/dev/null; then
  echo "gprofhub is not in PATH, so nothing can be listed. The recordings are below $folder/recordings." >&2
  exit $((status == 0 ? 1 : status))
fi

# image_of PROGRAM: its file, among what Bazel built of the test and the test's runfiles.
image_of() {
  local executable
  files_of_events "/$1\$" | head -n 1 | grep . && return
  while IFS= read -r executable; do
    find -L "$executable.runfiles" -type f -name "$1" -print 2>/dev/null | head -n 1 | grep . && return
  done < <(files_of_events "/${label##*[:/]}\$")
  return 1
}

# shown FILE LINES: the first of them.
shown() {
  local lines
  head -n "$2" -- "$1"
  lines=$(wc -l <"$1")
  if ((lines > $2)); then echo "… $((lines - $2)) more lines: $1"; fi
}

# A recording is named <program>.<pid>.gprofhub, or <program>.<pid>.<n>.gprofhub.
declare -A programs=()
for recording in "${recordings[@]}"; do
  program=$(basename -- "$recording" | sed -E 's/\.[0-9]+(\.[0-9]+)?\.gprofhub$//')
  programs[$program]+="$recording"$'\n'
done
for program in "${!programs[@]}"; do
  mapfile -t recordings < <(printf '%s' "${programs[$program]}")
  if ! image=$(image_of "$program"); then
    echo "gprofhub: $program is not on this machine. Its recordings: ${recordings[*]}" >&2
    continue
  fi
  made=$folder/$program
  gprofhub gprof -b -p "$image" "${recordings[@]}" >"$made.flat.txt"
  gprofhub gprof -b -q "$image" "${recordings[@]}" >"$made.graph.txt"
  gprofhub gprof --format=folded "$image" "${recordings[@]}" >"$made.folded"
  gprofhub gprof --format=speedscope "$image" "${recordings[@]}" >"$made.speedscope.json"
  echo
  echo "== $program: flat profile, ${#recordings[@]} process(es)"
  shown "$made.flat.txt" "$FLAT_LINES"
  echo
  echo "== $program: call graph"
  shown "$made.graph.txt" "$GRAPH_LINES"
  echo
  echo "== $program: flame graph"
  if command -v flamegraph.pl >/dev/null && flamegraph.pl --title "$label" "$made.folded" >"$made.svg"; then
    echo "$made.svg"
  else
    echo "$made.speedscope.json for www.speedscope.app; $made.folded for flamegraph.pl"
  fi
done
exit "$status"
