#!/bin/bash
# Overhead of counting allocations, and of tracking peak memory: allocation-heavy programs, plain,
# with -pg, and with -pg and either runtime. The minimum processor time of the rounds, which take
# turns.
#
#     bazel build //runtime:gprofhub_runtime //runtime:gprofhub_allocations_runtime //runtime:gprofhub_peak_runtime
#     benchmarks/runtime/allocations.sh bazel-bin/runtime [ROUNDS]
set -euo pipefail
# shellcheck source=benchmarks/runtime/rounds.sh
. "$(dirname -- "$0")/rounds.sh"
begin_rounds "$@"
export GPROFHUB_SAMPLE_RATE=0

programs=(malloc_and_free trees_and_strings)
states=(plain pg allocations peak)
for program in "${programs[@]}"; do
  source=$sources/$program.cc
  g++ -O2 "$source" -o "$program.plain"
  g++ -O2 -pg "$source" "$libraries/libgprofhub_runtime.a" -pthread -o "$program.pg"
  for state in allocations peak; do
    g++ -O2 -pg "$source" -Wl,--undefined=malloc,--undefined=_Znwm "$libraries/libgprofhub_${state}_runtime.a" \
      -pthread -o "$program.$state"
  done
done

for ((round = 0; round < rounds; ++round)); do
  for program in "${programs[@]}"; do
    for state in "${states[@]}"; do measure_processor "$program.$state" "./$program.$state"; done
  done
done

echo "| processor time, times plain | -pg | -pg, allocations counted | -pg, and the peak | seconds, plain |"
echo "|---|---|---|---|---|"
for program in "${programs[@]}"; do
  printf '| %s |' "$program"
  for state in pg allocations peak; do printf ' %s |' "$(ratio "$program.$state" "$program.plain")"; done
  printf ' %s |\n' "${least[$program.plain]}"
done
