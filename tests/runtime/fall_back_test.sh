#!/bin/bash
# What cannot be counted is built as it is, and a line says so.
set -euo pipefail
as=$(realpath "$1")
program=$(realpath "$2")
cd "$TEST_TMPDIR"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

cat > intel.c <<'END'
int called(int);
int main(void) { return called(1); }
END
compile() { gcc -B"$(dirname "$as")/" -dp -Wa,--gprofhub-count=calls -c intel.c -o intel.o "$@"; }
compile
nm intel.o | grep -q gprofhub_begin || fail "calls are not counted"
compile -masm=intel 2> said.txt || fail "a file in Intel syntax is not assembled: $(cat said.txt)"
grep -q '"intel.c": nothing is counted in this file: it is in Intel syntax' said.txt || fail "$(cat said.txt)"
if nm intel.o | grep gprofhub; then fail "something is counted in Intel syntax"; fi

# All of it was compiled with an option that needs -flto.
if nm "$program" | grep gprofhub_begin; then fail "something is counted"; fi
"$program" 1 1 exit
echo PASSED
