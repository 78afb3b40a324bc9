#!/bin/bash
# Code that cannot be counted in the text is counted by mcount, file by file, and the program prints
# the files.
set -euo pipefail
as=$(realpath "$1")
scripts=$PWD/$2
runtime=$(realpath "$3")
shift 3
linkopts=("$@")
cd "$TEST_TMPDIR"
# The program is a third-party test.
export TEST_BINARY=some/program GPROFHUB_PROFILE_DIR=$TEST_TMPDIR/profiles GPROFHUB_GMON=program

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# The folder of the toolchain (bazel/toolchain/fast_toolchain.bzl).
folder=$TEST_TMPDIR/folder
mkdir -p "$folder"
cp "$as" "$folder/as"
for file in gcc clang fell_back.h; do cp "$scripts.$file" "$folder/$file"; done

# by COMPILER ARGUMENT...: in the place of gcc or clang.
by() {
    local compiler=$1
    shift
    bash "$folder/$compiler" "$@"
}

# compile COMPILER FILE OPTION...: as --config=gprof does.
compile() { by "$1" -O2 -g -w -DAPART="__attribute__((noinline, noclone))" "${@:3}" -pg -fno-omit-frame-pointer -c "$2" -o "${2%.c}.o"; }

# link COMPILER ARGUMENT...
link() { by "$@" "$runtime" "${linkopts[@]}" -pthread -o program; }

# run FILES: the program prints that these are counted by mcount. Empty: it prints nothing.
run() {
    rm -rf "$GPROFHUB_PROFILE_DIR"
    mkdir "$GPROFHUB_PROFILE_DIR"
    ./program 2>said.txt || fail "the program: $? $(cat said.txt)"
    : >expected.txt
    [[ -z $1 ]] ||
        echo "gprofhub: program: not counted in the text, but by mcount, which costs more: $1" >expected.txt
    diff expected.txt said.txt || fail "what the program says"
}

# counts FUNCTION...: each is called 100 times.
counts() {
    gprof -b -p program "$GPROFHUB_PROFILE_DIR"/*.gmon.* >listing.txt
    local function
    for function in "$@"; do
        grep -Eq " 100 .* $function\$" listing.txt || fail "$function in $(cat listing.txt)"
    done
}

# calls CALLER CALLEE: 100 times, and no other caller.
calls() {
    gprof -b -q program "$GPROFHUB_PROFILE_DIR"/*.gmon.* >listing.txt
    # The callers are the lines above the callee's own.
    awk -v callee="$2" '/^---/ { callers = ""; next } /^\[/ && $(NF - 1) == callee { print callers; exit }
        { callers = callers "\n" $0 }' listing.txt | grep -Eq " 100/100 +$1 " ||
        fail "$1 calls $2 in $(cat listing.txt)"
}

all_counts() {
    counts first_calls second_calls first_is_called second
    calls main first_calls
    calls first_calls second_calls
    calls second_calls first_is_called
    calls second_calls second
}

counted_in_text() { nm "$1" | grep gprofhub_begin >/dev/null; }
calls_mcount() { objdump -dr "$1" | grep mcount >/dev/null; }

# The two files call each other.
cat >first.c <<'END'
int second_calls(int);
APART int first_is_called(int i) { __asm__ volatile(""); return i + 1; }
APART int first_calls(int i) { return second_calls(i) + 1; }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += first_calls(i);
    return sum != 100 * 99 / 2 + 3 * 100;
}
END
cat >second.c <<'END'
int first_is_called(int);
APART static int second(int i) { __asm__ volatile(""); return i; }
APART int second_calls(int i) { return first_is_called(second(i)) + 1; }
END

for compiler in gcc clang; do
    compile $compiler first.c
    compile $compiler second.c
    counted_in_text first.o || fail "$compiler: nothing is counted in the text"
    if calls_mcount first.o; then fail "$compiler: it is counted by mcount, too"; fi
    link $compiler first.o second.o
    run ''
    all_counts
done

# A file in Intel syntax next to one with counters. The callers in it are unknown, and GNU gprof
# leaves such calls out.
compile clang first.c
compile clang second.c -masm=intel
if counted_in_text second.o; then fail "Intel syntax is counted in the text"; fi
calls_mcount second.o || fail "Intel syntax is not counted by mcount"
link clang first.o second.o
run 'second.c (-masm=intel)'
counts first_calls second_calls second
calls first_calls second_calls
calls second_calls second
# One of many programs in a test, which may check its output.
TEST_BINARY=other_test run ''
# Not under Bazel.
(unset TEST_BINARY && run 'second.c (-masm=intel)')

# gcc cannot have mcount called in Intel syntax: nothing is counted there.
compile gcc first.c
compile gcc second.c -masm=intel
link gcc first.o second.o
run 'second.c (not counted: -masm=intel)'
counts first_calls

# Syntax that only clang's own assembler accepts.
cp second.c own_assembler.c
echo '__asm__(".addrsig");' >>own_assembler.c
compile clang first.c
compile clang own_assembler.c
link clang first.o own_assembler.o
run 'own_assembler.c (not compiled with counters)'
counts first_calls second_calls second

# gcc's link-time optimisation is counted in the text, when the program is linked.
compile gcc first.c -flto
compile gcc second.c -flto
link gcc -O2 -flto=auto first.o second.o
counted_in_text program || fail "-flto is not counted in the text"
run ''
all_counts

# clang's is not. Functions that are inlined in the linker are not called.
cat >inlined.c <<'END'
int not_called(int i) { return i + 1; }
END
cat >inlines.c <<'END'
int not_called(int);
APART int inlines(int i) { return not_called(i) + 1; }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += inlines(i);
    return sum != 100 * 99 / 2 + 2 * 100;
}
END
for lto in -flto -flto=thin; do
    compile clang first.c $lto
    compile clang second.c $lto
    link clang $lto -fuse-ld=lld first.o second.o
    if counted_in_text program; then fail "clang's $lto is counted in the text"; fi
    run "first.c ($lto), second.c ($lto)"
    all_counts
    compile clang inlines.c $lto
    compile clang inlined.c $lto
    link clang -O2 $lto -fuse-ld=lld inlines.o inlined.o
    run "inlines.c ($lto), inlined.c ($lto)"
    calls main inlines
    gprof -b -p program "$GPROFHUB_PROFILE_DIR"/*.gmon.* >listing.txt
    if grep -q " not_called$" listing.txt; then fail "an inlined function is called: $(cat listing.txt)"; fi
done

# Threads have counters of their own, although a sanitizer defines pthread_create.
cat >threads.c <<'END'
#include <pthread.h>
APART int serve(int i) { __asm__ volatile(""); return i; }
static void* run(void* argument) {
    for (int i = 0; i < 100000; ++i) serve(i);
    return argument;
}
int main(void) {
    pthread_t threads[8];
    for (int i = 0; i < 8; ++i) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 8; ++i) pthread_join(threads[i], 0);
    return 0;
}
END
for compiler in gcc clang; do
    compile $compiler threads.c -fsanitize=address,undefined
    counted_in_text threads.o || fail "$compiler: nothing is counted in the text with -fsanitize"
    echo -fsanitize=address,undefined >options.params
    link $compiler @options.params threads.o
    ASAN_OPTIONS=detect_leaks=0 run ''
    gprof -b -p program "$GPROFHUB_PROFILE_DIR"/*.gmon.* >listing.txt
    grep -Eq " 800000 .* serve\$" listing.txt || fail "serve in $(cat listing.txt)"
done

# A toolchain of one's own.
gcc -O2 -g -DAPART="__attribute__((noinline, noclone))" -pg first.c second.c "$runtime" "${linkopts[@]}" -o program
run ''
all_counts

# Errors are the compiler's own, once. Warnings stay.
echo 'int main(void) { return none; }' >wrong.c
if compile gcc wrong.c 2>said.txt; then fail "it compiles"; fi
[[ $(grep -c 'error: .none. undeclared' said.txt) == 1 ]] || fail "$(cat said.txt)"
echo 'int main(void) { int unused; return 0; }' >warned.c
by gcc -pg -Wall -c warned.c -o warned.o 2>said.txt
grep -q unused said.txt || fail "no warning"

# Other code is not counted. Languages other than C are compiled as they are.
by gcc -DAPART= -c first.c -o plain.o
if counted_in_text plain.o; then fail "counted without -pg"; fi
echo '.globl f; f: jmp *%rax' >hand.S
by gcc -pg -c hand.S -o hand.o
by gcc -pg -mcmodel=medium -DAPART= -MD -MF read.d -c first.c -o marked.o
grep -q "$folder/fell_back.h" read.d || fail "the file of an object's mark is not named: $(cat read.d)"
if grep -q /dev read.d; then fail "a mark comes from a file that is no input: $(cat read.d)"; fi
echo PASSED
