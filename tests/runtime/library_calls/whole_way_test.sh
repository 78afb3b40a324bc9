#!/bin/bash
# From a call of fsync to what people read: a program's listing, and the finding that a function
# calls it twice now.
set -eu
gprofhub=$PWD/$1
before=$PWD/$2
after=$PWD/$3
cd "$TEST_TMPDIR"
LD_LIBRARY_PATH=$(dirname "$after")
export LD_LIBRARY_PATH GPROFHUB_LIBRARY_CALLS=1 GPROFHUB_GMON=0 GPROFHUB_SAMPLE_RATE=0

fail() {
    echo "$1"
    echo "$2"
    exit 1
}

# FOLDER PROGRAM
record() {
    mkdir -p "$1"
    cp "$2" "$1/program"
    (cd "$1" && GPROFHUB_PROFILE_DIR=$PWD ./program 20 1 saved > out)
}
record before "$before"
record after "$after"

listing=$("$gprofhub" gprof -b after/program after/program.*.gprofhub)
grep -qE '^ +0\.00 +0\.00 +40/40 +save \[' <<< "$listing" || fail "save should be the caller of 40 fsyncs" "$listing"
grep -qE '^\[[0-9]+\] .* 40 +fsync \[' <<< "$listing" || fail "fsync should be called 40 times" "$listing"
grep -qE '^ +0\.00 .* 40 .* fsync *$' <<< "$listing" || fail "the flat profile should have fsync" "$listing"
# Of two names of one function the usual one.
grep -qE ' longjmp \[' <<< "$listing" || fail "longjmp should have its name" "$listing"

# A sum is for GNU gprof, which has no functions of other objects.
"$gprofhub" gprof -s after/program after/program.*.gprofhub > sum_listing
summed=$("$gprofhub" gprof -b after/program gmon.sum)
if grep -q fsync <<< "$summed"; then fail "a sum has no functions of other objects" "$summed"; fi
grep -qE ' save \[' <<< "$summed" || fail "a sum has the program's own functions" "$summed"

findings=$("$gprofhub" diff --all before after || true)
grep -q 'called 40×, was 20; save calls it 2× per call, was 1' <<< "$findings" ||
    fail "a second fsync should be a finding" "$findings"
