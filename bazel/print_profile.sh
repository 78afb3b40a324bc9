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
# It needs gprofhub in PATH, and unzip where Bazel packs outputs (up to version 7). BAZEL is the path
# of a Bazel that is not in PATH. The flame graph is a picture if flamegraph.pl is in PATH. The exit
# status is that of the tests.
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
# Without the conversion events name the files on this machine, also with a remote cache.
"${BAZEL:-bazel}" test --noshow_progress "${options[@]}" "$@" \
  --build_event_json_file="$folder/events.json" --nobuild_event_json_file_path_conversion \
  -- "${labels[@]}" || status=$?
if [[ ! -s $folder/events.json ]]; then exit "$status"; fi

# local_files: the files on this machine that Bazel's build events name. In the JSON text \u003d is a
# "=", in the URI %20 a blank. A path with a newline or a NUL is left out.
local_files() {
  local path
  { grep -o '"uri":"file://[^"]*"' "$folder/events.json" || true; } |
    sed -E 's|^"uri":"file://||; s|"$||; s|\\u00([0-7][0-9a-f])|%\1|g; /%0[0aA]/d' | sort -u |
    while IFS= read -r path; do
      path=${path//\\/\\\\}
      printf '%b\n' "${path//%/\\x}"
    done
}
local_files >"$folder/files.txt"

# files_of_events PATTERN: those whose path matches.
files_of_events() {
  grep -E -- "$1" "$folder/files.txt" || true
}

# literal TEXT: an extended regular expression that matches just this text.
literal() {
  printf '%s' "$1" | sed 's/[][\.*^$+?(){}|]/\\&/g'
}

# test_of OUTPUTS: "db/query_test" of …/testlogs/db/query_test/[shard_1_of_2/]test.outputs.
test_of() {
  local path=${1##*/testlogs/}
  path=${path%/test.outputs}
  if [[ ${path##*/} =~ ^(shard|run)_[0-9]+_of_[0-9]+ ]]; then path=${path%/*}; fi
  echo "$path"
}

# image_of TEST PROGRAM: the program's file, in Bazel's outputs for the test or in the test's
# runfiles.
image_of() {
  local executable test program
  test=/bin/$(literal "$1")\$
  program=/$(literal "$2")\$
  files_of_events "$test" | grep -E -- "$program" | head -n 1 | grep . && return
  while IFS= read -r executable; do
    find -L "$executable.runfiles" -type f -name "$2" -print 2>/dev/null | head -n 1 | grep . && return
  done < <(files_of_events "$test")
  files_of_events "$program" | head -n 1 | grep .
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
  echo "== $program of $test: flat profile, $# recording(s)"
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

# programs_of RECORDING: the programs of its processes. A file of a single process is named
# <program>.<pid>.gprofhub, or <program>.<pid>.<n>.gprofhub.
programs_of() {
  if [[ ${1##*/} == processes.gprofhub ]]; then
    gprofhub info -- "$1" | sed -n 's|^program: .*/||p' | sort -u
  else
    basename -- "$1" | sed -E 's/\.[0-9]+(\.[0-9]+)?\.gprofhub$//'
  fi
}

# print_test TEST: for each program that the test ran.
print_test() {
  local recordings recording program
  local -A programs=()
  mapfile -t recordings < <(find "$folder/$1/recordings" -name '*.gprofhub' | sort)
  for recording in "${recordings[@]}"; do
    while IFS= read -r program; do
      programs[$program]+="$recording"$'\n'
    done < <(programs_of "$recording")
  done
  while IFS= read -r program; do
    mapfile -t recordings < <(printf '%s' "${programs[$program]}")
    print_program "$1" "$program" "${recordings[@]}"
  done < <(printf '%s\n' "${!programs[@]}" | sort)
}

# take_recordings PATH INTO: copies the recordings of a test to the folder INTO. PATH is what Bazel
# names: an archive of all outputs (up to version 7), their folder (version 7 without archives), or
# one recording (version 8 and later).
take_recordings() {
  local file
  if [[ $1 == */test.outputs/outputs.zip ]]; then
    if ! command -v unzip >/dev/null; then
      echo "gprofhub: unzip not found in PATH, so $1 cannot be read; install the package unzip" >&2
      return
    fi
    unzip -q -o -- "$1" '*.gprofhub' -d "$2" 2>/dev/null || true
  elif [[ -d $1 ]]; then
    while IFS= read -r -d '' file; do
      mkdir -p -- "$2/$(dirname -- "${file#"$1"/}")"
      cp -- "$file" "$2/${file#"$1"/}"
    done < <(find -H "$1" -type f -name '*.gprofhub' -print0)
  elif [[ -f $1 && ! -L $1 ]]; then
    file=${1#*/test.outputs/}
    mkdir -p -- "$2/$(dirname -- "$file")"
    cp -- "$1" "$2/$file"
  fi
}

declare -A tests=() into=()
absent=
while IFS= read -r path; do
  # A test's outputs never lead out of its folder.
  if [[ $path == */../* ]]; then continue; fi
  if [[ ! -e $path ]]; then
    absent=$path
    continue
  fi
  outputs=${path%%/test.outputs/*}
  outputs=${outputs%/test.outputs}/test.outputs
  test=$(test_of "$outputs")
  : "${into[$outputs]:=$folder/$test/recordings/${#into[@]}}"
  mkdir -p -- "${into[$outputs]}"
  take_recordings "$path" "${into[$outputs]}"
  if [[ -n $(find "${into[$outputs]}" -name '*.gprofhub' -print -quit) ]]; then tests[$test]=1; fi
done < <(files_of_events '/testlogs/.*/test\.outputs(/outputs\.zip|/.*\.gprofhub)?$')
if [[ -n $absent ]]; then
  echo "gprofhub: Bazel did not download $absent; add --remote_download_toplevel" >&2
fi
if ((${#tests[@]} == 0)); then
  if [[ -z $absent ]]; then
    echo "gprofhub: no process of ${labels[*]} wrote a profile; check that bazel/gprof.bazelrc is imported, and install zip if Bazel packs outputs (up to version 7)" >&2
  fi
  exit $((status == 0 ? 1 : status))
fi
if ! command -v gprofhub >/dev/null; then
  echo "gprofhub not found in PATH, so the profiles cannot be listed; the recordings are in $folder" >&2
  exit $((status == 0 ? 1 : status))
fi
while IFS= read -r test; do print_test "$test"; done < <(printf '%s\n' "${!tests[@]}" | sort)
exit "$status"
