#!/bin/bash
# clang's -flto inlines functions together with their calls of mcount: the counts are too high. They
# are named, and nothing is compared or recorded with them. With -mfentry they are exact.
#     inlined_mcount_test.sh GPROFHUB RUNTIME LINKOPT...
set -euo pipefail
gprofhub=$PWD/$1
runtime=$(realpath "$2")
shift 2
linkopts=("$@")
cd "$TEST_TMPDIR"
unset TEST_UNDECLARED_OUTPUTS_DIR
export GPROFHUB_GMON=program GPROFHUB_PROFILE_DIR=.

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

cat >inlined.c <<'END'
int inlined(int i) { return i + 1; }
END
cat >caller.c <<'END'
int inlined(int);
__attribute__((noinline)) int caller(int i) {
    __asm__ volatile("" : "+r"(i));
    return inlined(i) + 1;
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 60; ++i) sum += caller(i);
    return sum != 60 * 59 / 2 + 2 * 60;
}
END

# build FOLDER OPTION...: a program in FOLDER that ran.
build() {
    local folder=$1
    shift
    mkdir "$folder"
    clang -O2 -g -pg "$@" -c inlined.c -o inlined.o
    clang -O2 -g -pg "$@" -c caller.c -o caller.o
    clang -O2 -g -pg "$@" -fuse-ld=lld caller.o inlined.o "$runtime" "${linkopts[@]}" -pthread -o "$folder/program"
    (cd "$folder" && ./program)
}

for lto in full thin; do
    build "$lto" -flto=$lto
    build "$lto.fentry" -flto=$lto -mfentry
    "$gprofhub" gprof -b -q "$lto/program" "$lto"/*.gmon.* >listing.txt 2>said.txt
    grep -q 'calls are counted at several places in caller' said.txt ||
        fail "-flto=$lto: gprof says nothing: $(cat said.txt listing.txt)"
    for sides in "$lto $lto.fentry" "$lto.fentry $lto"; do
        # shellcheck disable=SC2086  # two words
        if "$gprofhub" diff $sides >said.txt 2>&1; then fail "-flto=$lto: diff $sides: $(cat said.txt)"; fi
        grep -q 'calls are counted at several places in caller' said.txt || fail "diff $sides: $(cat said.txt)"
    done
    "$gprofhub" gprof -b -p "$lto.fentry/program" "$lto.fentry"/*.gmon.* >listing.txt 2>said.txt
    [ ! -s said.txt ] || fail "-mfentry -flto=$lto: $(cat said.txt)"
    grep -Eq ' 60 .* caller$' listing.txt || fail "-mfentry -flto=$lto: $(cat listing.txt)"
    if grep -q ' inlined$' listing.txt; then fail "an inlined function is called: $(cat listing.txt)"; fi
done
echo PASSED
