#!/bin/bash
# Measures what counters in the text cost when a file is compiled: processor time, the least of all
# rounds in turns, times plain.
#
#     bazel build --nobuild --config=gprof //... (in a repository that uses gprofhub)
#     benchmarks/runtime/compile.sh "$(bazel info output_base)"/external/gprofhub_fast_toolchain/*/gcc 7 \
#         g++ -O2 -g -c file.cc
set -eu
wrapper=$1
rounds=$2
shift 2
compiler=("$@")
TIMEFORMAT='%U %S'
output=$(mktemp)
trap 'rm -f "$output"' EXIT

declare -A least
measure() {
    local form=$1 seconds
    shift
    seconds=$({ time "$@" -o "$output"; } 2>&1 | tail -1 | awk '{ print $1 + $2 }')
    if [ -z "${least[$form]:-}" ] || [ "$(echo "$seconds < ${least[$form]}" | bc)" = 1 ]; then
        least[$form]=$seconds
    fi
}

for ((round = 0; round < rounds; ++round)); do
    measure plain "${compiler[@]}"
    measure mcount "${compiler[@]}" -pg -fno-omit-frame-pointer
    measure text "$wrapper" "${compiler[@]:1}" -pg -fno-omit-frame-pointer
done
for form in plain mcount text; do
    printf '%-8s %8s s %6s\n' "$form" "${least[$form]}" "$(echo "scale=3; ${least[$form]} / ${least[plain]}" | bc)"
done
