#!/bin/sh
# The manual's updcrc, built for block counts by each compiler: GNU gprof's tally
# must have its numbers: 2 calls, 26312 iterations, 26311 branches back. With aarch64 as
# the first argument, by the compilers for it; its code has no counters in the text.
set -eu
gcc=gcc clang=clang gprof=gprof emulator=
if [ "$1" = aarch64 ]; then
    shift
    gcc=aarch64-linux-gnu-gcc
    clang="clang --target=aarch64-linux-gnu"
    gprof=aarch64-linux-gnu-gprof
    emulator="qemu-aarch64-static -L /usr/aarch64-linux-gnu"
fi
assembler=
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
for file in "$@"; do
    case $file in
        *libgprofhub_runtime.a) runtime=$(absolute "$file") ;;
        */assembler/as) assembler=$(dirname "$(absolute "$file")") ;;
        *libedge_splitting.a) splitting=$(absolute "$file") ;;
        *.c) source=$(absolute "$file") ;;
    esac
done
cd "$TEST_TMPDIR"
export GMON_OUT_PREFIX="$TEST_TMPDIR/gmon" GPROFHUB_GMON=program GPROFHUB_PROFILE_DIR="$TEST_TMPDIR"

# Lines of the source, by their text.
line() { grep -nF "$1" "$source" | head -1 | cut -d: -f1; }

check() {
    tally=$("$gprof" -b -l -C updcrc gmon.*)
    for expected in "$(line 'ulg updcrc(uch'):2" "$(line 'crc_32_tab[('):26312" "$(line 'while (--n)'):26311"; do
        if ! echo "$tally" | grep -qE "updcrc\.c:${expected%:*}: .* ${expected#*:} executions"; then
            echo "$1: line ${expected%:*} should be tallied ${expected#*:} times:"
            echo "$tally"
            exit 1
        fi
    done
    rm -f gmon.* ./*.gprofhub
}

$gcc -g -pg -fprofile-arcs -fsanitize-coverage=trace-pc -c "$source" -o updcrc.o
$gcc -pg updcrc.o "$runtime" "$splitting" -o updcrc
$emulator ./updcrc
check gcc

$clang -g -pg -fsanitize-coverage=trace-pc,edge,no-prune -c "$source" -o updcrc.o
$clang -pg updcrc.o "$runtime" -o updcrc
$emulator ./updcrc
check clang

[ -n "$assembler" ] || exit 0

# By the assembler's counters, as --config=gprof_lines: no call per block.
gcc -g -dp -fno-ipa-ra "-B$assembler/" -Wa,--gprofhub-count=calls+blocks "$source" \
    "$runtime" -pthread -o updcrc
./updcrc
check "gcc, counted by the assembler"

clang -g -fno-integrated-as "-B$assembler/" -Wa,--gprofhub-count=calls+blocks "$source" \
    "$runtime" -pthread -o updcrc
./updcrc
check "clang, counted by the assembler"
