#!/bin/bash
# Links a program in gprofhub's order with each linker, and checks in the linked files that every
# function that ran is in its place: clones, functions of one name in two files, constructors,
# start-up and cold code.
set -euo pipefail
gprofhub=$PWD/$1
sources=$PWD/tests/ordering
work=$TEST_TMPDIR/linkers
mkdir -p "$work"
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

compile() { # FOLDER OPTIONS...
    local folder=$1
    shift
    mkdir -p "$folder"
    for name in main shapes; do
        g++ -std=c++17 -O2 -g -ffunction-sections "$@" -c "$sources/$name.cc" -o "$folder/$name.o"
    done
}

compile counted -pg
g++ -pg counted/*.o -o counted/app
for run in one two three; do
    mkdir -p "runs/$run"
    (cd "runs/$run" && if [ $run = two ]; then ../../counted/app more; else ../../counted/app; fi > out)
done
cp counted/app runs/app

compile release
"$gprofhub" order runs --output app.order
"$gprofhub" order runs --format=lld-call-graph --output app.calls
"$gprofhub" order runs --format=text --output app.txt
functions=$(grep -cv '^#' app.order)
[ "$functions" -ge 15 ] || fail "only $functions functions in the order"
grep -q 'Largest<' app.txt || fail "the text has no C++ names"
grep -q '^main _Z10MakeSquarem 300$' app.calls || fail "the calls are not counted: $(cat app.calls)"

# Written for any release binary, and for this one.
g++ release/*.o -o release/unordered
"$gprofhub" order runs --format=gold --output app.gold
"$gprofhub" order runs --format=gnu-ld --output app.ld
"$gprofhub" order runs --format=gold --binary release/unordered --output own.gold
"$gprofhub" order runs --format=gnu-ld --binary release/unordered --output own.ld

if "$gprofhub" order app.order --verify release/unordered > unordered.txt; then
    fail "an unordered program passed: $(cat unordered.txt)"
fi
grep -q 'out of order: ' unordered.txt || fail "nothing is said of what was missed"

check() { # NAME LINK_OPTIONS...
    local name=$1 placed
    shift
    g++ release/*.o "$@" -o "release/$name" 2> "$name.err" || fail "$name: $(cat "$name.err")"
    cmp <("release/$name" more) <(release/unordered more) || fail "$name computes something else"
    "$gprofhub" order app.order --verify "release/$name" > "$name.txt" || fail "$name: $(cat "$name.txt")"
    placed=$(sed -n 's/.*: \([0-9]*\) of \1 functions are in order.*/\1/p' "$name.txt")
    [ "${placed:-0}" -ge 12 ] || fail "$name: too few functions: $(cat "$name.txt")"
    echo "$name: $(cat "$name.txt")"
}
check lld -fuse-ld=lld -Wl,--symbol-ordering-file=app.order -Wl,--no-warn-symbol-ordering
check gold -fuse-ld=gold -Wl,--section-ordering-file=app.gold
check gnu_ld -fuse-ld=bfd -Wl,-T,app.ld
check gold_own -fuse-ld=gold -Wl,--section-ordering-file=own.gold
check gnu_ld_own -fuse-ld=bfd -Wl,-T,own.ld
g++ release/*.o -fuse-ld=lld -Wl,--call-graph-ordering-file=app.calls -o release/sorted 2> calls.err ||
    fail "lld does not take the call graph: $(cat calls.err)"

# The same again is the same text.
"$gprofhub" order runs --output again.order
cmp app.order again.order || fail "the order is not the same the second time"

# A run has the given weight; a pattern leaves functions out.
"$gprofhub" order runs/one runs/two --image counted/app --weight runs/two=5 --exclude 'Shape*' > weighed.order
grep -q '_Z4Rarem' weighed.order || fail "what ran in the second folder is missing"
if grep -q '^_ZN5ShapeC' weighed.order; then fail "an excluded function is in the order"; fi
status=0
"$gprofhub" order runs --weight runs=-1 2> weight.err || status=$?
[ $status = 2 ] || [ $status = 1 ] || fail "a negative weight passed"
grep -q 'must be PATTERN=FACTOR' weight.err || fail "unclear: $(cat weight.err)"

# Into a Bazel workspace.
mkdir -p workspace/app/sub && touch workspace/WORKSPACE
(cd workspace/app/sub && "$gprofhub" order "$work/runs" --write //app:app.order)
cmp app.order workspace/app/app.order || fail "--write wrote something else"
echo PASSED
