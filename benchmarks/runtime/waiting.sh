#!/bin/bash
# Overhead of GPROFHUB_WAITING=1: programs that compute, start threads and wait, built with -pg,
# with it and without. The minimum of the rounds, which take turns, and the processor time of a
# process whose threads do nothing but wait.
#
#     bazel build //runtime:gprofhub_runtime
#     benchmarks/runtime/waiting.sh bazel-bin/runtime [ROUNDS]
set -euo pipefail
# shellcheck source=benchmarks/runtime/rounds.sh
. "$(dirname -- "$0")/rounds.sh"
begin_rounds "$@"

for program in containers_threads idle_threads; do
  g++ -O2 -pg "$sources/$program.cc" "$libraries/libgprofhub_runtime.a" -pthread -o "$program"
done

for ((round = 0; round < rounds; ++round)); do
  for state in 0 1; do
    export GPROFHUB_WAITING=$state
    for threads in 1 4; do
      measure "work.$threads.$state" ./containers_threads "$threads"
      measure_processor "all.$threads.$state" ./containers_threads "$threads"
    done
    for threads in 1 10 100; do measure_processor "idle.$threads.$state" ./idle_threads "$threads"; done
  done
done

echo "| | without | with | times without |"
echo "|---|---|---|---|"
for threads in 1 4; do
  for what in work all; do
    printf '| %s, %s threads | %s | %s | %s |\n' "$what" "$threads" "${least[$what.$threads.0]}" \
      "${least[$what.$threads.1]}" "$(ratio "$what.$threads.1" "$what.$threads.0")"
  done
done
for threads in 1 10 100; do
  printf '| %s threads that wait for five seconds: processor time, %% of a processor | %s | %s | |\n' "$threads" \
    "$(calculate %.2f "20 * ${least[idle.$threads.0]}")" "$(calculate %.2f "20 * ${least[idle.$threads.1]}")"
done
