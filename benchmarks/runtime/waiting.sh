#!/bin/bash
# What GPROFHUB_WAITING=1 costs: programs that compute, start threads and wait, built with -pg, with it and without. The
# least of the rounds, which take turns, and the processor time of a process whose threads do nothing but wait.
#
#     bazel build //runtime:gprofhub_runtime
#     benchmarks/runtime/waiting.sh bazel-bin/runtime [ROUNDS]
set -euo pipefail
libraries=$(realpath -- "${1:?see the first lines of this script}")
rounds=${2:-9}
sources=$(dirname -- "$(realpath -- "$0")")
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
export GPROFHUB_GMON=0 GPROFHUB_PROFILE_DIR=$folder

for program in containers_threads idle_threads; do
  g++ -O2 -pg "$sources/$program.cc" "$libraries/libgprofhub_runtime.a" -pthread -o "$program"
done

TIMEFORMAT='%U %S'
declare -A least
note() { # KEY SECONDS
  least[$1]=$(printf '%s\n' "$2" "${least[$1]:-999999}" | sort -g | head -n 1)
}
processor_seconds() { # COMMAND...
  { time "$@" >/dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}
for ((round = 0; round < rounds; ++round)); do
  for state in 0 1; do
    export GPROFHUB_WAITING=$state
    for threads in 1 4; do
      note "work.$threads.$state" "$(./containers_threads "$threads")"
      note "all.$threads.$state" "$(processor_seconds ./containers_threads "$threads")"
    done
    for threads in 1 10 100; do note "idle.$threads.$state" "$(processor_seconds ./idle_threads "$threads")"; done
    rm -f -- ./*.gprofhub
  done
done

echo "| | without | with | times without |"
echo "|---|---|---|---|"
for threads in 1 4; do
  for what in work all; do
    awk -v name="$what, $threads threads" -v off="${least[$what.$threads.0]}" -v on="${least[$what.$threads.1]}" \
      'BEGIN { printf "| %s | %.2f | %.2f | %.3f |\n", name, off, on, on / off }'
  done
done
for threads in 1 10 100; do
  awk -v threads="$threads" -v off="${least[idle.$threads.0]}" -v on="${least[idle.$threads.1]}" \
    'BEGIN { printf "| %d threads that wait for five seconds: processor time, %% of a processor | %.2f | %.2f | |\n", threads, off * 20, on * 20 }'
done
