#!/bin/bash
# What it costs to count allocations: programs that do little else, plain, with -pg, and with -pg and allocations
# counted. The least processor time of the rounds, which take turns.
#
#     bazel build //runtime:gprofhub_runtime //runtime:gprofhub_allocations_runtime
#     benchmarks/runtime/allocations.sh bazel-bin/runtime [ROUNDS]
set -euo pipefail
libraries=$(realpath -- "${1:?see the first lines of this script}")
rounds=${2:-9}
sources=$(dirname -- "$(realpath -- "$0")")
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
export GPROFHUB_GMON=0 GPROFHUB_SAMPLE_RATE=0 GPROFHUB_PROFILE_DIR=$folder

programs=(malloc_and_free trees_and_strings)
for program in "${programs[@]}"; do
  source=$sources/$program.cc
  g++ -O2 "$source" -o "$program.plain"
  g++ -O2 -pg "$source" "$libraries/libgprofhub_runtime.a" -pthread -o "$program.pg"
  g++ -O2 -pg "$source" -Wl,--undefined=malloc,--undefined=_Znwm "$libraries/libgprofhub_allocations_runtime.a" \
    -pthread -o "$program.allocations"
done

declare -A least
TIMEFORMAT='%U %S'
for ((round = 0; round < rounds; ++round)); do
  for program in "${programs[@]}"; do
    for state in plain pg allocations; do
      seconds=$({ time "./$program.$state" >/dev/null; } 2>&1 | awk '{ print $1 + $2 }')
      key=$program.$state
      least[$key]=$(printf '%s\n' "$seconds" "${least[$key]:-999}" | sort -g | head -n 1)
      rm -f -- ./*.gprofhub
    done
  done
done

echo "| processor time, times plain | -pg | -pg, allocations counted | seconds, plain |"
echo "|---|---|---|---|"
for program in "${programs[@]}"; do
  awk -v name="$program" -v plain="${least[$program.plain]}" -v pg="${least[$program.pg]}" \
    -v counted="${least[$program.allocations]}" \
    'BEGIN { printf "| %s | %.2f | %.2f | %.2f |\n", name, pg / plain, counted / plain, plain }'
done
