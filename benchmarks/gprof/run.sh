#!/usr/bin/env bash
# Our gprof and the installed one, on the same files, in turns.
#
#   benchmarks/gprof/run.sh [FOLDER]
#
# Builds gprofhub optimised and makes the inputs in FOLDER (default: a temporary one; 2 GB).
# For every case it prints both programs' wall-clock and processor times, their ratio, and
# the ratio of their peak memories. Ours is the best of three runs. GNU gprof runs once, and
# is stopped after LIMIT seconds (120): then the ratio is at least the one printed.
#
# Needs Debian's time. Without Debian's llvm-14-dev the LLVM case is left out, and without
# SQLITE3_C=path/to/sqlite3.c the sqlite3 case.
#
#   CASES=pattern      runs only the cases whose names match
#   GPROFHUB=FILE      the program, if it need not be built
#   MAKE_INPUTS=FILE   that of //benchmarks/gprof:make_inputs, if it need not be built
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
FOLDER=${1:-$(mktemp -d)}
LIMIT=${LIMIT:-120}
CASES=${CASES:-.}
mkdir -p "$FOLDER"

if [[ -z ${GPROFHUB:-} ]]; then
  (cd "$ROOT" && bazel build --noshow_progress -c opt //cli:gprofhub //benchmarks/gprof:make_inputs)
  bin=$(cd "$ROOT" && bazel info -c opt bazel-bin 2>/dev/null)
  GPROFHUB=$bin/cli/gprofhub
  MAKE_INPUTS=$bin/benchmarks/gprof/make_inputs
fi
: "${MAKE_INPUTS:?name the binary of //benchmarks/gprof:make_inputs, as GPROFHUB is named}"
cd "$FOLDER"
ln -sf "$GPROFHUB" gprof

# program NAME FUNCTIONS lines|no-lines
program() {
  [[ -f $1 ]] && return
  "$MAKE_INPUTS" program "$2" "$3" > program.s
  local options=()
  [[ $3 == lines ]] && options=(-gdwarf-5)
  as "${options[@]}" program.s -o program.o
  ld -Ttext=0x401000 program.o -o "$1"
  rm program.s program.o
}

# measure COMMAND...: "wall cpu memory" into `measured`; its output to out.
measure() {
  local status=0
  /usr/bin/time -o time.txt -f '%e %U %S %M' timeout "$LIMIT" "$@" > out 2> err || status=$?
  read -r wall user system memory < <(tail -n 1 time.txt)
  if ((status == 124)); then
    # On a busy machine the processor time is less than the limit.
    measured=$(awk -v l="$LIMIT" -v u="$user" -v s="$system" 'BEGIN { print l, u + s, 0 }')
  else
    measured=$(awk -v w="$wall" -v u="$user" -v s="$system" -v m="$memory" \
      'BEGIN { print w, u + s, m }')
  fi
}

# compare NAME ARGUMENT...
compare() {
  local name=$1
  shift
  [[ $name =~ $CASES ]] || return 0
  local best='' gnu
  measure gprof "$@"
  gnu=$measured
  mv out out.gnu
  [[ ! -f gmon.sum ]] || mv gmon.sum gmon.sum.gnu # -s; it may have been stopped before
  for _ in 1 2 3; do
    measure ./gprof "$@"
    if [[ -z $best ]] || awk -v a="${measured%% *}" -v b="${best%% *}" 'BEGIN { exit !(a < b) }'; then
      best=$measured
    fi
  done
  local same=differs
  if [[ ${gnu##* } == 0 ]]; then
    same='not compared'
  elif cmp -s out out.gnu && { [[ $* != -s* ]] || cmp -s -i 20 gmon.sum gmon.sum.gnu; }; then
    same=identical
  fi
  awk -v name="$name" -v gnu="$gnu" -v ours="$best" -v same="$same" -v bytes="$(stat -c %s out)" '
    BEGIN {
      split(gnu, g, " "); split(ours, o, " ")
      limit = g[3] == 0 ? ">" : ""
      printf "| %s | %s%.2f s | %.2f s | %s1/%.0f | %s1/%.0f | %s | %.1f MB, %s |\n", name,
        limit, g[1], o[1], limit, g[1] / (o[1] + 1e-9), limit, g[2] / (o[2] + 1e-9),
        g[3] == 0 ? "-" : sprintf("%.0f/%.0f MB = %.2f", o[3] / 1024, g[3] / 1024, o[3] / g[3]),
        bytes / 1e6, same
    }'
}

# Start-up is too short for /usr/bin/time: 200 runs each, in turns.
start_up() {
  [[ start-up =~ $CASES ]] || return 0
  echo 'int main(void) { return 0; }' > small.c
  gcc -pg small.c -o small
  rm -f gmon.out && ./small
  local ours=0 gnu=0 before
  for _ in $(seq 20); do
    before=$(date +%s%N)
    for _ in $(seq 10); do gprof -b -p small gmon.out > out; done
    gnu=$((gnu + $(date +%s%N) - before))
    before=$(date +%s%N)
    for _ in $(seq 10); do ./gprof -b -p small gmon.out > out; done
    ours=$((ours + $(date +%s%N) - before))
  done
  awk -v gnu=$gnu -v ours=$ours 'BEGIN {
    printf "| start-up, 20 KB program | %.2f ms | %.2f ms | %.2f of GNU | | | |\n",
      gnu / 200e6, ours / 200e6, ours / gnu }'
}

low=0x401040
program small_program 10000 no-lines
program small_lines 10000 lines
program middle 50000 no-lines
program middle_lines 50000 lines
program large_lines 200000 lines
"$MAKE_INPUTS" profiles $low 10000 64 100000 1 gmon10
"$MAKE_INPUTS" profiles $low 50000 64 500000 100 gmon50
"$MAKE_INPUTS" profiles $low 200000 64 2000000 1 gmon200

echo "| case | GNU gprof | ours | wall | processor | memory | output |"
echo "|---|---|---|---|---|---|---|"
start_up
compare "10k functions, 100k arcs, -b" -b small_program gmon10.0
compare "10k functions, 100k arcs, DWARF 5, -b" -b small_lines gmon10.0
compare "50k functions, 500k arcs, no debug information, -b" -b middle gmon50.0
compare "50k functions, 500k arcs, DWARF 5, -b" -b middle_lines gmon50.0
compare "200k functions, 2M arcs, DWARF 5, -b" -b large_lines gmon200.0
if [[ growth =~ $CASES ]]; then
  # One run of the small program is too short for /usr/bin/time.
  # seconds RUNS PROGRAM PROFILE: "wall processor" of a run.
  seconds() {
    local TIMEFORMAT='%R %U %S'
    { time for _ in $(seq "$1"); do ./gprof -b "$2" "$3" > out; done; } 2>&1 |
      awk -v runs="$1" '{ print $1 / runs, ($2 + $3) / runs }'
  }
  read -r wall_small processor_small < <(seconds 40 small_lines gmon10.0)
  text_small=$(stat -c %s out)
  read -r wall_large processor_large < <(seconds 5 large_lines gmon200.0)
  awk -v ws="$wall_small" -v wl="$wall_large" -v ps="$processor_small" -v pl="$processor_large" \
    -v ts="$text_small" -v tl="$(stat -c %s out)" 'BEGIN {
      printf "growth from 10k to 200k functions: %.1f times the text, %.1f the time, %.1f the processor time\n",
        tl / ts, wl / ws, pl / ps }'
fi
if [[ "200k" =~ $CASES || $CASES == . ]]; then
  ./gprof -b large_lines gmon200.0 > out
  sync
  for _ in 1 2 3; do
    /usr/bin/time -o time.txt -f %e cp out copy
    cat time.txt
  done | sort -n | head -n 1 | sed 's/^/writing the same bytes to a file: /; s/$/ s/'
fi
compare "100 profiles of 50k functions, 500k arcs, -b -p" -b -p middle_lines gmon50.*
compare "100 profiles of 50k functions, 500k arcs, -s" -s -b -p middle_lines gmon50.*
if compgen -G '/usr/lib/llvm-14/lib/libLLVMX86CodeGen.a' > /dev/null; then
  if [[ ! -f llvm ]]; then
    echo 'int main() { return 0; }' > llvm.cc
    archives=()
    for part in X86 Support Core CodeGen Analysis ScalarOpts TransformUtils ipo InstCombine \
      SelectionDAG MC Passes Object Bit Target Vectorize AsmPrinter GlobalISel AArch64 AMDGPU ARM; do
      archives+=(/usr/lib/llvm-14/lib/libLLVM"$part"*.a)
    done
    mapfile -t archives < <(printf '%s\n' "${archives[@]}" | sort -u)
    g++ -pg llvm.cc -fuse-ld=lld -no-pie -Wl,--unresolved-symbols=ignore-all \
      -Wl,--whole-archive "${archives[@]}" -Wl,--no-whole-archive \
      -lz -lpthread -ltinfo -ldl -o llvm
  fi
  text=0x$(readelf -SW llvm | sed 's/^ *\[ *[0-9]*\] *//' | awk '$1 == ".text" { print $3 }')
  "$MAKE_INPUTS" profiles "$text" 53000 656 530000 1 gmonllvm
  compare "LLVM, 35 MB of code, -b -p" -b -p llvm gmonllvm.0
fi
if [[ -n ${SQLITE3_C:-} ]]; then
  if [[ ! -f sqlite3.gmon ]]; then
    dir=$(dirname "$SQLITE3_C")
    cat > sqlite3_main.c <<'C'
#include "sqlite3.h"
int main(void) {
  sqlite3* db;
  sqlite3_open(":memory:", &db);
  return sqlite3_exec(db,
                      "create table t(a, b); with recursive n(i) as (select 1 union all select i+1 "
                      "from n where i < 300000) insert into t select i, random() from n; create "
                      "index x on t(b); select count(*) from t u join t v on u.a = v.b; select a%7, "
                      "sum(b/1000) from t group by 1;",
                      0, 0, 0);
}
C
    gcc -pg -g -O2 -I"$dir" sqlite3_main.c "$SQLITE3_C" -lm -ldl -lpthread -o sqlite3
    rm -f gmon.out && ./sqlite3 && mv gmon.out sqlite3.gmon
  fi
  compare "sqlite3 with -g, -l -b -p" -l -b -p sqlite3 sqlite3.gmon
  compare "sqlite3 with -g, -b -p" -b -p sqlite3 sqlite3.gmon
fi
