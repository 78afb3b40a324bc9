#!/bin/bash
# The checked-in ordering is that of each program that Bazel linked with it,
# whichever the linker.
set -euo pipefail
gprofhub=$1
ordering=$2
shift 2
for program in "$@"; do
    "$gprofhub" order "$ordering" --verify "$program" | tee verified.txt
    grep -q ': \([0-9]*\) of \1 functions are in order' verified.txt
    placed=$(sed 's/.*: \([0-9]*\) of .*/\1/' verified.txt)
    # Not much is inlined in one compilation mode and not in another.
    [ "$placed" -ge 8 ] || { echo "FAILED: only $placed functions of $program are ordered" >&2; exit 1; }
    "$program" more > /dev/null
done
echo PASSED
