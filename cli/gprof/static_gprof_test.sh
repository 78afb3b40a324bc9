#!/bin/bash
# gprof -c in the static program, which has no instruction decoder and replaces itself by
# gprofhub_commands, which has one. Messages must keep the name by which the program was started.
set -eu

gprofhub="$(readlink -f cli/gprofhub)"
cd "$(mktemp -d "${TEST_TMPDIR:-/tmp}/static_gprof.XXXXXX")"

cat > program.c << 'END'
void never(void) {}
void once(int times) {
  if (times > 1) never();
}
int main(int argc, char** argv) {
  (void)argv;
  once(argc);
  return 0;
}
END
gcc -pg -O0 program.c -o program
./program

fail() {
  echo "FAILED: $1"
  shift
  head -30 "$@"
  exit 1
}

ln -s "$gprofhub" gprof
./gprof -b -q program > without
./gprof -b -q -c program > through_link 2> errors || fail "a link named gprof" errors
"$gprofhub" gprof -b -q -c program > as_command 2> errors || fail "gprofhub gprof" errors
"$gprofhub" gprof --static-call-graph -b -q program > long_option
grep -q 'never' without && fail "a call that was not made, without -c" without
grep -qE '^ +0\.00 +0\.00 +0/0 +never \[' through_link || fail "the call is missing" through_link
cmp through_link as_command || fail "the names differ" through_link as_command
cmp through_link long_option || fail "the options differ" through_link long_option

# Messages begin with the name that the program was started by.
./gprof -c no_such_program 2> errors && fail "a missing program" errors
grep -q '^no_such_program: No such file or directory$' errors || fail "its message" errors
./gprof -c -O prof program 2> errors && fail "an unknown format" errors
grep -q '^\./gprof: sorry' errors || fail "its message" errors

# Without gprofhub_commands it reports the missing program.
mkdir alone
cp "$gprofhub" alone/gprofhub
alone/gprofhub gprof -b -q program > alone/out || fail "gprof alone" alone/out
cmp without alone/out
if alone/gprofhub gprof -b -q -c program > alone/out 2> errors; then
  fail "-c without the other program" alone/out
fi
grep -q 'install it in the directory of gprofhub' errors || fail "what is missing is not said" errors
echo "all as it should be"
