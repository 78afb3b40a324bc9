#!/bin/bash
# A program of 50,000 functions and a profile of 500,000 calls. For these, our gprof uses threads
# and pages of two megabytes; for smaller programs it does not. The outputs of our gprof and the
# installed one are compared byte for byte.
set -eu

ours="$PWD/tests/conformance/gprof"
make_inputs="$PWD/benchmarks/gprof/make_inputs"
cd "$(mktemp -d "${TEST_TMPDIR:-/tmp}/large.XXXXXX")"

"$make_inputs" program 50000 lines > program.s
as -gdwarf-5 program.s -o program.o
ld -Ttext=0x401000 program.o -o program
"$make_inputs" profiles 0x401040 50000 64 500000 3 profile

failed=0
# compare ARGUMENT...
compare() {
  rm -f gmon.sum
  gprof "$@" > want
  [[ ! -f gmon.sum ]] || mv gmon.sum want.sum
  "$ours" "$@" > got
  if ! cmp want got; then
    failed=1
    echo "FAILED: gprof $*"
    diff want got | head -n 10 || true
  fi
  # The header's spare bytes differ: docs/gprof-compatibility.md.
  if [[ -f gmon.sum ]] && ! cmp -i 20 want.sum gmon.sum; then
    failed=1
    echo "FAILED: gprof $*: gmon.sum"
  fi
}

compare -b program profile.0
compare -b -T program profile.0
compare -b -p program profile.0 profile.1 profile.2
compare -b -z -Qmodule1_function1 program profile.0 profile.1
compare -b -p -s program profile.0 profile.1
exit $failed
