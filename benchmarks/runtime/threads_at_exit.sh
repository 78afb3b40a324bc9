#!/bin/bash
# Time of an exit while 100, 1,000 and 10,000 threads are alive: plain, with -pg, and with counters
# in the text. The minimum of the rounds.
#
#     bazel build //runtime:gprofhub_runtime //runtime/assembler:as
#     benchmarks/runtime/threads_at_exit.sh bazel-bin [ROUNDS]
set -euo pipefail
bin=$(realpath "$1")
rounds=${2:-5}
source=$(realpath "$(dirname -- "$0")")/threads_at_exit.c
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
archive=$bin/runtime/libgprofhub_runtime.a
gcc -O1 "$source" -pthread -o plain
gcc -O1 -pg "$source" "$archive" -pthread -o mcount
gcc -O1 -B"$bin/runtime/assembler/" -dp -fno-ipa-ra -Wa,--gprofhub-count=calls "$source" "$archive" \
  -pthread -o counters

echo "| threads | plain | \`mcount\` | counters in the text |"
echo "|---|---|---|---|"
for threads in 100 1000 10000; do
  printf '| %s |' "$threads"
  for way in plain mcount counters; do
    least=
    for ((round = 0; round < rounds; ++round)); do
      began=$("./$way" "$threads")
      took=$((${EPOCHREALTIME/./} - began))
      if [[ -z $least ]] || ((took < least)); then least=$took; fi
      rm -f ./*.gprofhub gmon.out
    done
    printf ' %d.%02d s |' $((least / 1000000)) $((least / 10000 % 100))
  done
  echo
done
