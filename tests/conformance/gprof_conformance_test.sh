#!/bin/bash
# Builds small programs with -pg, runs them, and compares what our gprof and
# the installed one print, byte for byte, with their exit codes.
set -u

ours="$PWD/tests/conformance/gprof"
programs="$PWD/tests/conformance/programs"
for tool in gprof gcc g++; do
  if ! command -v "$tool" > /dev/null; then
    echo "$tool is not installed; ./ci/setup installs it" >&2
    exit 1
  fi
done
work="$(mktemp -d "${TEST_TMPDIR:-/tmp}/conformance.XXXXXX")"
cd "$work" || exit 1
compared=0
failed=0

# compare NAME ARGUMENT...: both programs on the same arguments.
compare() {
  local name="$1"
  shift
  gprof "$@" > want.out 2> want.err
  echo "exit code $?" >> want.out
  "$ours" "$@" > got.out 2> got.err
  echo "exit code $?" >> got.out
  compared=$((compared + 1))
  if ! cmp -s want.out got.out; then
    failed=$((failed + 1))
    echo "FAILED: $name: gprof $*"
    diff want.out got.out | head -20
    head -3 got.err
  fi
}

# run PROGRAM FILE: runs it, its profile to FILE.
run() {
  rm -f gmon.out
  "./$1" || { echo "FAILED: $1 does not run"; failed=$((failed + 1)); }
  mv gmon.out "$2"
}

# check NAME COMPILER FLAG... -- SOURCE...
#
# Of static programs only the flat profile is compared. glibc's archive has local
# `.constprop.N` functions. GNU gprof drops one if a name with a '.' follows it in the
# string table. We keep it, and that changes the call graph's index numbers.
check() {
  local name="$1" compiler="$2"
  shift 2
  local flags=() sources=()
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  shift
  for source in "$@"; do sources+=("$programs/$source"); done
  if ! "$compiler" -pg "${flags[@]}" "${sources[@]}" -o "$name"; then
    echo "FAILED: $name does not build"
    failed=$((failed + 1))
    return
  fi
  run "$name" "$name.1"
  run "$name" "$name.2"
  run "$name" "$name.3"
  compare "$name" -p "$name" "$name.1"
  compare "$name" -b -p "$name" "$name.1" "$name.2" "$name.3"
  case " ${flags[*]} " in *" -static"*) return ;; esac
  compare "$name" "$name" "$name.1"
  compare "$name" -b "$name" "$name.1"
  compare "$name" -q "$name" "$name.1"
  compare "$name" -b -p "$name" "$name.1"
  compare "$name" -b -q "$name" "$name.1"
  compare "$name" -bP "$name" "$name.1"
  compare "$name" -bQ "$name" "$name.1"
  compare "$name" -b -z "$name" "$name.1"
  compare "$name" -b --no-demangle "$name" "$name.1"
  compare "$name" -b "$name" "$name.1" "$name.2" "$name.3"
}

check calls gcc -O0 -- calls.c
check calls_no_pie gcc -O0 -no-pie -- calls.c
check calls_static gcc -O0 -static -- calls.c
check main_only gcc -O0 -- main_only.c
check cycles gcc -O0 -- cycles.c
check cycles_o1_no_pie gcc -O1 -no-pie -- cycles.c
check cycles_static gcc -O0 -static -- cycles.c
check statics gcc -O0 -g -- statics_one.c statics_two.c
check statics_static_pie gcc -O0 -static-pie -- statics_one.c statics_two.c
check pointers gcc -O0 -- pointers.c
check objects g++ -O0 -- objects.cc
check objects_o2 g++ -O2 -g -- objects.cc
check objects_no_pie g++ -O0 -no-pie -- objects.cc

# The command line, and malformed files.
cp calls a.out
cp calls.1 gmon.out
compare "default files"
compare "default gmon.out" -b a.out
compare "late option" -b a.out gmon.out -p
compare "long options" --brief --flat-profile a.out
compare "abbreviated option" --bri --no-flat-profile a.out
compare "-p -P" -b -p -P a.out
compare "-P -p" -b -P -p a.out
compare "-q -P" -b -q -P a.out
compare "-p -Q" -b -p -Q a.out
compare "-P -Q" -b -P -Q a.out
compare "-p -q" -b -p -q a.out
compare "missing image" -b no_such_image
compare "missing profile" -b a.out no_such_profile
compare "image that is a folder" -b . gmon.out
compare "image that is no ELF file" -b gmon.out gmon.out
compare "unknown option" --no-such-option
: > empty
compare "empty profile" -b a.out empty
compare "empty image" -b empty gmon.out
head -c 20 gmon.out > header_only
compare "profile without records" -b a.out header_only
compare "no histogram for -p" -b -p a.out header_only
compare "no arcs for -q" -b -q a.out header_only
head -c 100 gmon.out > truncated
compare "truncated profile" -b a.out truncated
strip -o stripped a.out
compare "stripped image" -b stripped gmon.out

# -d prints our own dump, and then the listing that GNU gprof prints without -d.
# dump ARGUMENT...: checks the listing, and leaves the dump in dump.out.
dump() {
  gprof -b a.out gmon.out > want.out
  "$ours" -b "$@" a.out gmon.out > got.out 2> got.err
  compared=$((compared + 1))
  head -c -"$(wc -c < want.out)" got.out > dump.out
  if ! cmp -s want.out <(tail -c "$(wc -c < want.out)" got.out) || [ -s got.err ]; then
    failed=$((failed + 1))
    echo "FAILED: $ours -b $*: the listing differs from that without $*"
  fi
}

# has PATTERN: a line of dump.out.
has() {
  if ! grep -qE "$1" dump.out; then
    failed=$((failed + 1))
    echo "FAILED: the dump has no line $1"
    head -30 dump.out
  fi
}

for every in -d --debug; do
  dump "$every" -e no_such_function
  has '^image a\.out: [a-z0-9_]+, [48]-byte addresses, little-endian, code 0x[0-9a-f]+-0x[0-9a-f]+$'
  has '^  [0-9]+ symbols \([0-9]+ local\) at 0x[0-9a-f]+-0x[0-9a-f]+, names from a\.out$'
  has '^symspec "no_such_function", exclude from call graph: 0 rows$'
  has '^profile gmon\.out: gmon version 1, 1 histogram record, [0-9]+ arc records, 0 basic-block records$'
  has '^  histogram 0x[0-9a-f]+-0x[0-9a-f]+: [0-9]+ bins, [0-9]+ samples?, rate 100, dimension seconds \(s\)$'
  has '^  arc 0x[0-9a-f]+ \(main\) -> 0x[0-9a-f]+ \([a-z_]+\): [0-9]+ calls?$'
done
for none in -d0 -d1 --debug=1034; do
  dump "$none"
  [ ! -s dump.out ] || { failed=$((failed + 1)); echo "FAILED: $none prints a dump"; }
done

echo "$compared comparisons, $failed failed"
[ "$failed" -eq 0 ]
