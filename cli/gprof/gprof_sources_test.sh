#!/bin/bash
# gprof -A of a program whose sources are not at the paths in its debug information, as after a
# build with Bazel.
set -eu

gprofhub="$(readlink -f cli/gprofhub)"
cd "$(mktemp -d "${TEST_TMPDIR:-/tmp}/gprof_sources.XXXXXX")"
unset BUILD_WORKSPACE_DIRECTORY GPROF_PATH

fail() {
  echo "FAILED: $1"
  shift
  head -30 "$@"
  exit 1
}

# As Bazel compiles: below the execution root, under a symbolic name of that directory.
mkdir -p workspace/lib elsewhere base/execroot/repo/bazel-out/bin
cat > workspace/lib/app.c << 'END'
void once(void) {}
int main(void) {
  once();
  return 0;
}
END
gcc -pg -g -O0 -fdebug-prefix-map="$PWD/workspace=/proc/self/cwd" \
  "$PWD/workspace/lib/app.c" -o base/execroot/repo/bazel-out/bin/app
(cd workspace && ../base/execroot/repo/bazel-out/bin/app)
cp base/execroot/repo/bazel-out/bin/app app
cp workspace/gmon.out gmon.out
found='^ *1 -> void once'

annotate() {
  local folder=$1
  shift
  (cd "$folder" && "$gprofhub" gprof -l -A "$@") > out 2> errors
}

annotate workspace ../app ../gmon.out
grep -q "$found" out || fail "in the workspace" out errors

annotate elsewhere ../app ../gmon.out
grep -q "$found" out && fail "a source from nowhere" out
grep -q "could not locate .*app.c'" errors || fail "what is missing is not said" errors

annotate elsewhere "--path-map=/proc/self/cwd=$PWD/workspace" ../app ../gmon.out
grep -q "$found" out || fail "--path-map" out errors

BUILD_WORKSPACE_DIRECTORY=$PWD/workspace annotate elsewhere ../app ../gmon.out
grep -q "$found" out || fail "under bazel run" out errors

ln -s "$PWD/workspace/lib" base/execroot/repo/lib
ln -s "$PWD/base/execroot/repo/bazel-out/bin" bazel-bin
annotate elsewhere ../bazel-bin/app ../gmon.out
grep -q "$found" out || fail "beside the execution root" out errors

annotate elsewhere --path-map=nothing ../app ../gmon.out && fail "a mapping without =" out
grep -q 'gprof: --path-map=nothing: not of the form OLD=NEW' errors || fail "its message" errors
# A line table alone has no names of inlined functions.
objcopy --remove-section=.debug_info --remove-section=.debug_abbrev app table_only
"$gprofhub" gprof -b -p -l table_only gmon.out > out 2> errors
grep -q 'once (app.c:1 @' out || fail "lines without .debug_info" out errors
grep -q 'table_only: has line numbers but no .debug_info: ' errors || fail "what is missing" errors
"$gprofhub" gprof -b -p -l app gmon.out > out 2> errors
test -s errors && fail "a warning without a reason" errors
echo "all as it should be"
