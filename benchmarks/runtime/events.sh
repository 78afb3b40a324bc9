#!/bin/bash
# Overhead of GPROFHUB_EVENTS, in events that the kernel counts itself: a C++ program built with
# -pg, with them and without. The minimum of the rounds, which take turns.
#
#     bazel build //runtime:gprofhub_runtime
#     benchmarks/runtime/events.sh bazel-bin/runtime [ROUNDS]
set -euo pipefail
# shellcheck source=benchmarks/runtime/rounds.sh
. "$(dirname -- "$0")/rounds.sh"
begin_rounds "$@"

lists=(none page-faults task-clock "page-faults,task-clock,cpu-clock")
g++ -O2 -pg "$sources/containers_threads.cc" "$libraries/libgprofhub_runtime.a" -pthread -o containers_threads

for ((round = 0; round < rounds; ++round)); do
  for list in "${lists[@]}"; do
    if [[ $list == none ]]; then unset GPROFHUB_EVENTS; else export GPROFHUB_EVENTS=$list; fi
    for threads in 1 4; do measure_processor "$list.$threads" ./containers_threads "$threads"; done
  done
done

echo "| GPROFHUB_EVENTS | processor seconds, 1 thread | times without | 4 threads | times without |"
echo "|---|---|---|---|---|"
for list in "${lists[@]}"; do
  printf '| %s | %s | %s | %s | %s |\n' "$list" "${least[$list.1]}" "$(ratio "$list.1" none.1)" \
    "${least[$list.4]}" "$(ratio "$list.4" none.4)"
done
