#!/bin/bash
# Compares `gprofhub order --start-up` with LLVM's orders for the start of a program, which are made
# of the same first calls: `llvm-profdata order`, and the balanced partitioning of lld. The programs
# and their workloads are those of run.sh. Measured are the pages touched, by replays, and the page
# faults and the time of a start from disk.
#
#     bazel build -c opt //cli:gprofhub //runtime:gprofhub_runtime
#     benchmarks/ordering/start_up.sh bazel-bin/cli/gprofhub bazel-bin/runtime/libgprofhub_runtime.a \
#         SOURCES WORK [PROGRAM...]
#
# SOURCES and WORK are as for run.sh. Needs lld-22, llvm-22, valgrind, cmake.
set -euo pipefail
gprofhub=$(realpath "$1")
runtime=$(realpath "$2")
sources=$(realpath "$3")
mkdir -p "$4"
work=$(realpath "$4")
here=$(dirname "$(realpath "$0")")
shift 4
cd "$work"
mkdir -p lld22
ln -sf "$(command -v ld.lld-22)" lld22/ld.lld

# shellcheck source=benchmarks/ordering/programs.sh
. "$here/programs.sh"

# Links the program as FOLDER/NAME.app.
link_as() { # PROGRAM FOLDER NAME OPTION...
    local program=$1 output=$2/$3.app
    shift 3
    $(cat "$program/plain/link") -B"$work/lld22" -fuse-ld=lld "$@" -o "$output" 2> /dev/null
}

order_subset() { # PROGRAM SUBSET
    local program=$1 folder=$1/start_up/$2 runs=() run number=0 name
    mkdir -p "$folder"
    for run in "$program"/runs/*; do
        if in_subset $number "$2"; then runs+=("$run"); fi
        number=$((number + 1))
    done
    local order=("$gprofhub" order --image "$program/pg/app" --with-tests)
    "${order[@]}" "${runs[@]}" --format=llvm-traces --output "$folder/traces.proftext"
    llvm-profdata-22 merge "$folder/traces.proftext" -o "$folder/traces.profdata"
    llvm-profdata-22 order "$folder/traces.profdata" | grep -v '^#' > "$folder/profdata"
    "${order[@]}" "${runs[@]}" --start-up --output "$folder/start_up"
    "${order[@]}" "${runs[@]}" --output "$folder/coverage"
    "${order[@]}" "$program/known/held_out" --start-up --output "$folder/known"
    link_as "$program" "$folder" unordered
    link_as "$program" "$folder" partitioning -Wl,--bp-startup-sort=function \
        -Wl,--irpgo-profile="$folder/traces.profdata"
    for name in profdata start_up coverage known; do
        link_as "$program" "$folder" $name -Wl,--symbol-ordering-file="$folder/$name" \
            -Wl,--no-warn-symbol-ordering
    done
    for name in held_out start; do
        "$gprofhub" order --replay "$program/trace.$name" --binary "$program/plain/app" \
            --output "$folder/$name.json" \
            "$folder"/{unordered,profdata,partitioning,coverage,start_up,known}.app
    done
}

for program in "${programs[@]}"; do
    prepare "$program"
    for subset in 0 1 2 3 4 5; do order_subset "$program" $subset; done
done
python3 "$here/start_up.py" "$work" "${programs[@]}"
