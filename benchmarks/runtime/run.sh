#!/bin/bash
# Compares the runtime with glibc's profiler and an empty stub: in one run, by turns. The ratios
# matter. Absolute figures depend on the machine.
#
#     bazel build //runtime:gprofhub_runtime //runtime:gprofhub_allocations_runtime //runtime:gprofhub_peak_runtime \
#         //runtime/assembler:as
#     benchmarks/runtime/run.sh bazel-bin/runtime/libgprofhub_runtime.a [ROUNDS [sampling|stopped|libraries]]
#
# With "sampling": only the cost of samples, compared with the cost of an empty mcount. With
# "stopped": only the cost of calls while profiling is switched off. With "libraries": only the cost
# of counted calls of library functions.
set -eu
runtime=$(realpath "$1")
assembler=$(dirname "$runtime")/assembler/
rounds=${2:-5}
parts=${3:-all}
sources=$(dirname -- "$(realpath -- "$0")")
# shellcheck source=benchmarks/runtime/rounds.sh
. "$sources/rounds.sh"
root=$(realpath "$sources/../..")
enter_new_folder

# As bazel/toolchain/counting_compiler.bzl has them for --config=gprof_lines.
lines=(-fno-unroll-loops --param=max-completely-peel-times=0 -fno-tree-vectorize -fno-crossjumping
    -fno-tree-tail-merge -fno-if-conversion -fno-if-conversion2 -fno-ssa-phiopt)
counted=("-B$assembler" -dp -fno-ipa-ra)
calls=-Wa,--gprofhub-count=calls
blocks=-Wa,--gprofhub-count=blocks
simple=(-O1 -fno-optimize-sibling-calls -pthread)
gcc "${simple[@]}" "$sources/recursion.c" -o recursion.plain
gcc "${simple[@]}" -DINCREMENTS "$sources/recursion.c" -o recursion.increments
gcc "${simple[@]}" -pg "$sources/recursion.c" -o recursion.glibc
gcc "${simple[@]}" -pg "$sources/recursion.c" "$sources/empty_stub.S" -o recursion.stub
gcc "${simple[@]}" -pg "$sources/recursion.c" "$runtime" -o recursion.ours
gcc "${simple[@]}" -pg -mfentry "$sources/recursion.c" "$sources/empty_stub.S" -o recursion.fentry_stub
gcc "${simple[@]}" -pg -mfentry "$sources/recursion.c" "$runtime" -o recursion.fentry
gcc "${simple[@]}" "${counted[@]}" "$calls" "$sources/recursion.c" "$runtime" -o recursion.fast
gcc -O1 "$sources/many_arcs.c" -o many_arcs.plain
gcc -O1 -pg "$sources/many_arcs.c" "$runtime" -o many_arcs.ours
gcc -O2 -pg -I "$root" "$sources/sampling.c" "$runtime" -o sampling
gcc -O2 -pg -fno-builtin "$sources/library_calls.c" "$runtime" -o library_calls
for level in O2 O0; do
    g++ -std=c++17 -$level "$sources/containers.cc" -o containers.$level.plain
    g++ -std=c++17 -$level -pg "$sources/containers.cc" "$sources/empty_stub.S" -o containers.$level.stub
    g++ -std=c++17 -$level -pg "$sources/containers.cc" -o containers.$level.glibc
    g++ -std=c++17 -$level -pg "$sources/containers.cc" "$runtime" -o containers.$level.ours
    g++ -std=c++17 -$level "${counted[@]}" "$calls" "$sources/containers.cc" "$runtime" -o containers.$level.fast
done
g++ -std=c++17 -O2 "${counted[@]}" "$calls+blocks" "${lines[@]}" "$sources/containers.cc" "$runtime" -o containers.O2.lines
g++ -O2 "$sources/trees_and_strings.cc" -o trees.plain
for mode in allocations peak; do
    g++ -O2 "${counted[@]}" "$calls" "$sources/trees_and_strings.cc" -Wl,--undefined=malloc,--undefined=_Znwm \
        "$(dirname "$runtime")/libgprofhub_${mode}_runtime.a" -pthread -o trees.$mode
done
if [ "$parts" = all ]; then
    threads=(-std=c++17 -O2 -pthread "$sources/containers_threads.cc")
    g++ "${threads[@]}" -o threads.plain
    g++ "${threads[@]}" -fprofile-arcs -fprofile-update=single -o threads.arcs
    g++ "${threads[@]}" -fprofile-arcs -fprofile-update=atomic -o threads.atomic
    g++ "${threads[@]}" "${counted[@]}" "$blocks" "${lines[@]}" "$runtime" -o threads.blocks
    g++ "${threads[@]}" "${counted[@]}" "$calls+blocks" "${lines[@]}" "$runtime" -o threads.lines
fi

# Cost of samples: alone, and in a program with counted calls.
measure_sampling() {
    local rate
    for rate in 250 1000 2000 4000; do
        GPROFHUB_SAMPLE_RATE=$rate measure sampling.$rate ./sampling
    done
    for rate in 1000 2000 4000; do
        GPROFHUB_SAMPLER=perf GPROFHUB_SAMPLE_RATE=$rate measure signals.$rate ./sampling
    done
    for form in plain stub; do measure sampled.$form ./containers.O2.$form; done
    for rate in 0 1000 2000 4000; do
        GPROFHUB_SAMPLE_RATE=$rate measure sampled.$rate ./containers.O2.ours
    done
}

print_sampling() {
    local rate
    for rate in 250 1000 2000 4000; do
        row "sampling at $rate Hz, times without" "${least[sampling.$rate]}"
    done
    for rate in 1000 2000 4000; do
        row "  with a signal for each sample at $rate Hz" "${least[signals.$rate]}"
    done
    row "C++ program -O2, times plain: an empty mcount" "$(ratio sampled.stub sampled.plain)"
    row "  counted by this runtime, not sampled" "$(ratio sampled.0 sampled.plain)"
    for rate in 1000 2000 4000; do
        row "  counted and sampled at $rate Hz" "$(ratio sampled.$rate sampled.plain)"
    done
}

# Cost of calls while profiling is switched off, compared with an mcount that does nothing.
measure_stopped() {
    local form
    for form in plain stub fentry_stub; do measure stopped.$form ./recursion.$form; done
    for form in ours fentry fast; do
        GPROFHUB_SAMPLE_RATE=0 measure counted.$form ./recursion.$form
        GPROFHUB_START=paused measure stopped.$form ./recursion.$form
    done
    for form in plain stub; do measure stopped.program.$form ./containers.O2.$form; done
    for form in ours fast lines; do
        GPROFHUB_SAMPLE_RATE=0 measure counted.program.$form ./containers.O2.$form
        GPROFHUB_START=paused measure stopped.program.$form ./containers.O2.$form
    done
    measure_processor stopped.trees.plain ./trees.plain
    for form in allocations peak; do
        GPROFHUB_SAMPLE_RATE=0 measure_processor counted.trees.$form ./trees.$form
        GPROFHUB_START=paused measure_processor stopped.trees.$form ./trees.$form
    done
}

print_stopped() {
    local form
    row "recursion, ns a call: plain" "${least[stopped.plain]}"
    row "  an empty mcount" "${least[stopped.stub]}"
    row "  this runtime, stopped" "${least[stopped.ours]}"
    row "  this runtime, counting" "${least[counted.ours]}"
    row "  an empty __fentry__" "${least[stopped.fentry_stub]}"
    row "  this runtime, -mfentry, stopped" "${least[stopped.fentry]}"
    row "  this runtime, -mfentry, counting" "${least[counted.fentry]}"
    row "  counters in the text, stopped" "${least[stopped.fast]}"
    row "C++ program -O2, times plain: an empty mcount" "$(ratio stopped.program.stub stopped.program.plain)"
    row "  this runtime, stopped" "$(ratio stopped.program.ours stopped.program.plain)"
    row "  this runtime, counting" "$(ratio counted.program.ours stopped.program.plain)"
    row "  counters in the text, stopped" "$(ratio stopped.program.fast stopped.program.plain)"
    row "  counters in the text, counting" "$(ratio counted.program.fast stopped.program.plain)"
    row "  lines and calls in the text, stopped" "$(ratio stopped.program.lines stopped.program.plain)"
    row "  lines and calls in the text, counting" "$(ratio counted.program.lines stopped.program.plain)"
    for form in allocations peak; do
        row "C++ program that allocates, in the text, $form: stopped" "$(ratio stopped.trees.$form stopped.trees.plain)"
        row "  counting" "$(ratio counted.trees.$form stopped.trees.plain)"
    done
}

# The same program twice, with the variable and without: malloc, memcpy and free only, and a C++ program.
measure_libraries() {
    local on
    for on in 0 1; do
        export GPROFHUB_LIBRARY_CALLS=$on
        GPROFHUB_SAMPLE_RATE=0 measure libraries.$on ./library_calls
        GPROFHUB_SAMPLE_RATE=0 measure libraries.program.$on ./containers.O2.ours
    done
    unset GPROFHUB_LIBRARY_CALLS
}

print_libraries() {
    row "malloc, memcpy and free, ns a round" "${least[libraries.0]}"
    row "  added ns a round by three counted library calls" "$(difference libraries.1 libraries.0)"
    row "  times without" "$(ratio libraries.1 libraries.0)"
    row "C++ program -O2: library calls counted, times without" "$(ratio libraries.program.1 libraries.program.0)"
}

if [ "$parts" = libraries ]; then
    for ((round = 0; round < rounds; ++round)); do measure_libraries; done
    print_libraries
    exit
fi

if [ "$parts" = stopped ]; then
    for ((round = 0; round < rounds; ++round)); do measure_stopped; done
    print_stopped
    exit
fi

if [ "$parts" = sampling ]; then
    for ((round = 0; round < rounds; ++round)); do measure_sampling; done
    print_sampling
    exit
fi

for ((round = 0; round < rounds; ++round)); do
    export GPROFHUB_SAMPLE_RATE=0
    for form in plain stub glibc ours fentry_stub fentry increments fast; do
        measure recursion.$form ./recursion.$form
    done
    measure recursion4.ours ./recursion.ours 4
    measure recursion4.glibc ./recursion.glibc 4
    measure recursion4.fast ./recursion.fast 4
    for form in plain ours; do measure arcs.$form ./many_arcs.$form 100000; done
    for level in O2 O0; do
        for form in plain stub glibc ours fast; do
            GPROFHUB_SAMPLE_RATE=250 measure containers.$level.$form ./containers.$level.$form
        done
    done
    for form in plain arcs atomic blocks lines; do
        measure threads.$form ./threads.$form 1
        measure threads4.$form ./threads.$form 4
    done
    measure_sampling
    measure_stopped
    measure_libraries
done

row "recursion, plain, ns a call" "${least[recursion.plain]}"
row "  added by an empty mcount" "$(difference recursion.stub recursion.plain)"
row "  added by glibc" "$(difference recursion.glibc recursion.plain)"
row "  added by this runtime" "$(difference recursion.ours recursion.plain)"
row "  added by an empty __fentry__" "$(difference recursion.fentry_stub recursion.plain)"
row "  added by this runtime, -mfentry" "$(difference recursion.fentry recursion.plain)"
row "  added by two increments of memory" "$(difference recursion.increments recursion.plain)"
row "  added by counters in the text" "$(difference recursion.fast recursion.plain)"
row "CPU a call, 4 threads over 1: glibc" "$(ratio recursion4.glibc recursion.glibc)"
row "CPU a call, 4 threads over 1: this runtime" "$(ratio recursion4.ours recursion.ours)"
row "CPU a call, 4 threads over 1: counters in the text" "$(ratio recursion4.fast recursion.fast)"
row "100,000 live arcs, added ns a call (glibc: aborts)" "$(difference arcs.ours arcs.plain)"
for level in O2 O0; do
    row "C++ program -$level, times plain: an empty mcount" "$(ratio containers.$level.stub containers.$level.plain)"
    row "C++ program -$level, times plain: glibc" "$(ratio containers.$level.glibc containers.$level.plain)"
    row "C++ program -$level, times plain: this runtime at 250 Hz" "$(ratio containers.$level.ours containers.$level.plain)"
    row "C++ program -$level, times plain: counters in the text at 250 Hz" "$(ratio containers.$level.fast containers.$level.plain)"
done
for form in arcs atomic blocks lines; do
    row "blocks at -O2, times plain, 1 thread: $form" "$(ratio threads.$form threads.plain)"
    row "blocks at -O2, times plain, 4 threads: $form" "$(ratio threads4.$form threads4.plain)"
done
print_sampling
print_stopped
print_libraries
