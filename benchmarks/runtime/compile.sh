#!/bin/bash
# Compile-time overhead of counters in the text: processor time, the minimum of all rounds in turns,
# as a multiple of a plain compilation.
#
#     bazel build --nobuild --config=gprof //... (in a repository that uses gprofhub)
#     benchmarks/runtime/compile.sh "$(bazel info output_base)"/external/gprofhub_fast_toolchain/extra_tools/gcc 7 \
#         g++ -O2 -g -c file.cc
set -eu
wrapper=$1
rounds=$2
shift 2
compiler=("$@")
# shellcheck source=benchmarks/runtime/rounds.sh
. "$(dirname -- "$0")/rounds.sh"
output=$(mktemp)
trap 'rm -f "$output"' EXIT

for ((round = 0; round < rounds; ++round)); do
    measure_processor plain "${compiler[@]}" -o "$output"
    measure_processor mcount "${compiler[@]}" -pg -fno-omit-frame-pointer -o "$output"
    measure_processor text "$wrapper" "${compiler[@]:1}" -pg -fno-omit-frame-pointer -o "$output"
done
for form in plain mcount text; do
    printf '%-8s %8s s %6s\n' "$form" "${least[$form]}" "$(ratio "$form" plain)"
done
