#!/bin/sh
# The peak, and what each function holds then, as valgrind's massif has them of the same program without the runtime.
#     peak_massif_test.sh GPROFHUB PLAIN COUNTED
set -eu
gprofhub=$PWD/$1 plain=$PWD/$2 counted=$PWD/$3
cd "$TEST_TMPDIR"
unset TEST_UNDECLARED_OUTPUTS_DIR
valgrind --tool=massif --peak-inaccuracy=0.0 --threshold=0.0 --massif-out-file=massif.txt "$plain" 1
GPROFHUB_SAMPLE_RATE=0 GPROFHUB_GMON=0 GPROFHUB_PROFILE_DIR=. "$counted" 1
"$gprofhub" gprof -b -q "$counted" ./*.gprofhub >graph.txt

# In the entry of the quantity each caller has a row, "0.00 0.00 BYTES/ALL FUNCTION [n]".
awk '$1 ~ /^\[/ && /gprofhub_peak_bytes/ { mine = 1 } /^---/ { if (mine) exit; rows = "" }
     $3 ~ /\// { rows = rows $0 "\n" } END { printf "%s", rows }' graph.txt >callers.txt
cat callers.txt
all=$(awk '{ split($3, part, "/"); print part[2]; exit }' callers.txt)
peak=$(sed -n 's/^mem_heap_B=//p' massif.txt | sort -n | tail -1)
echo "all $all, massif's $peak"
[ "$all" -eq "$peak" ]
# Of the functions, massif names those whose code contains the call.
built=$(sed -n 's/^ *n[0-9]*: \([0-9]*\) 0x[0-9A-F]*: (anonymous namespace)::Build(int).*/\1/p' massif.txt | sort -n | tail -1)
grep -q " $built/$all *(anonymous namespace)::Build(int)" callers.txt
