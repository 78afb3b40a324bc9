#!/bin/bash
# Compares gprofhub's function orders with lld's own sorts and gprof's. Builds the programs: SQLite,
# Tcl, protoc and Binaryen's wasm-opt. Each is trained on some workloads and measured on another
# one, by a replay of its instruction trace (docs/ordering.md). The orders of the other tools are
# read from the files that they linked.
#
#     bazel build -c opt //cli:gprofhub //runtime:gprofhub_runtime //benchmarks/ordering:compared_order
#     benchmarks/ordering/run.sh bazel-bin/cli/gprofhub bazel-bin/runtime/libgprofhub_runtime.a \
#         bazel-bin/benchmarks/ordering/compared_order SOURCES WORK [PROGRAM...]
#
# SOURCES holds folders sqlite (npm better-sqlite3's deps/sqlite3), tcl (Debian's source of tcl8.6),
# protobuf (of protobuf 3.21) and binaryen (of binaryen 108). Building takes half an hour of
# processor time, half of it for Binaryen. WORK caches the builds. So a second run only orders and
# replays, which takes minutes. Needs lld-14, lld-19, binutils, valgrind, cmake.
set -euo pipefail
gprofhub=$(realpath "$1")
runtime=$(realpath "$2")
compared_order=$(realpath "$3")
sources=$(realpath "$4")
mkdir -p "$5"
work=$(realpath "$5")
here=$(dirname "$(realpath "$0")")
shift 5
cd "$work"
mkdir -p lld19
ln -sf "$(command -v ld.lld-19)" lld19/ld.lld

# shellcheck source=benchmarks/ordering/programs.sh
. "$here/programs.sh"

order_subset() { # PROGRAM SUBSET
    local program=$1 subset=$2 folder=$1/orders/$2 runs="" gmons="" run algorithm number=0
    mkdir -p "$folder"
    for run in "$program"/runs/*; do
        if in_subset $number "$subset"; then
            runs="$runs $run"
            gmons="$gmons $(ls "$program/gmon/$(basename "$run")"/gmon.[0-9]*)"
        fi
        number=$((number + 1))
    done
    for algorithm in cdsort c3; do
        # shellcheck disable=SC2086
        "$compared_order" $algorithm "$program/pg/app" $runs > "$folder/our_$algorithm"
    done
    # shellcheck disable=SC2086
    "$gprofhub" order $runs --image "$program/pg/app" --with-tests --output "$folder/gprofhub"
    # shellcheck disable=SC2086
    "$gprofhub" order $runs --image "$program/pg/app" --format=lld-call-graph --with-tests \
        --output "$folder/calls"
    local link
    link=$(cat "$program/plain/link")
    $link -fuse-ld=lld -Wl,--call-graph-ordering-file="$folder/calls" -o "$folder/hfsort" 2> /dev/null
    $link -B"$work/lld19" -fuse-ld=lld -Wl,--call-graph-ordering-file="$folder/calls" \
        -Wl,--call-graph-profile-sort=cdsort -o "$folder/cdsort" 2> /dev/null
    # shellcheck disable=SC2086
    gprof --function-ordering "$program/pg/app" $gmons 2> /dev/null > "$folder/gprof.txt" || true
    $link -fuse-ld=lld -Wl,--symbol-ordering-file=<(grep -v '^#' "$folder/gprof.txt") \
        -Wl,--no-warn-symbol-ordering -o "$folder/gprof" 2> /dev/null
    nm "$program/plain/app" | awk '$2 ~ /[tTwW]/ { print $3 }' |
        sort -R --random-source=<(yes "$subset") > "$folder/random"
    "$gprofhub" order --replay "$program/trace.held_out" --binary "$program/plain/app" --output "$folder/replay.json" \
        "$folder"/{random,gprof,hfsort,cdsort,our_c3,our_cdsort,gprofhub}
}

for program in "${programs[@]}"; do
    prepare "$program"
    for subset in 0 1 2 3 4 5; do order_subset "$program" $subset; done
done
python3 "$here/table.py" "$work" "${programs[@]}"
