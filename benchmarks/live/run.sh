#!/bin/bash
# Overhead of profiling a running server: Debian's redis, built from its source package, under the
# load of its own redis-benchmark.
#
#     apt-get source redis                      # with deb-src lines in apt's sources
#     bazel build -c opt //runtime:gprofhub_runtime //runtime/assembler:as //cli:gprofhub
#     benchmarks/live/run.sh redis-7.0.15 bazel-bin [ROUNDS [REQUESTS]]
#
# The programs: with its default options (-O2), with -pg, and with counters in the text (as
# --config=gprof). Each round starts each server anew, in turns, and loads it in every state:
# counting, with a window each second, stopped. Clients send 16 requests at once, so that the server
# is what limits the load. Printed are requests a second, medians, and the server's processor time a
# request: the median of its ratios to the plain server of the same round. With `gprofhub live …
# dump` at the end: a profile of the last load.
set -euo pipefail

SOURCE=$(realpath -- "${1:?see the first lines of this script}")
BIN=$(realpath -- "${2:?see the first lines of this script}")
readonly SOURCE BIN ROUNDS=${3:-5} REQUESTS=${4:-3000000}
ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
WORK=$(cache_folder)/live-benchmark
mkdir -p "$WORK"
cd "$WORK"
gprofhub=$BIN/cli/gprofhub
server=
finish() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; fi
}
trap finish EXIT

# build NAME FLAGS LIBRARIES: makes $WORK/NAME/src/redis-server, unless it is there.
build() {
  if [[ -x $1/src/redis-server ]]; then return; fi
  rm -rf -- "$1"
  cp -r -- "$SOURCE" "$1"
  say "building redis: $1"
  make -C "$1/src" -j"$(nproc)" MALLOC=libc USE_SYSTEMD=no BUILD_TLS=no OPTIMIZATION=-O2 \
    REDIS_CFLAGS="-g $2" REDIS_LDFLAGS="$3" redis-server redis-benchmark redis-cli >"$1.log" 2>&1 ||
    die "redis could not be built: $(tail -n 5 "$1.log")"
}

build plain "" ""
build pg "-pg -fno-omit-frame-pointer" "-pg -Wl,--whole-archive $BIN/runtime/libgprofhub_runtime.a -Wl,--no-whole-archive"
build fast "-B$BIN/runtime/assembler/ -dp -fno-ipa-ra -Wa,--gprofhub-count=calls" \
  "-Wl,--whole-archive $BIN/runtime/libgprofhub_runtime.a -Wl,--no-whole-archive"

# start NAME: a server of that program on a socket; sets server.
start() {
  rm -f redis.socket ./*.gprofhub
  GPROFHUB_GMON=0 GPROFHUB_PROFILE_DIR=$WORK "$1/src/redis-server" --port 0 --unixsocket "$WORK/redis.socket" \
    --save '' --appendonly no >server.log 2>&1 &
  server=$!
  until plain/src/redis-cli -s redis.socket ping >/dev/null 2>&1; do sleep 0.05; done
}

stop() {
  kill "$server"
  wait "$server" || true
  server=
}

# The processor time of the server, in ticks.
ticks() {
  awk '{ print $14 + $15 }' "/proc/$server/stat"
}

# ask TEST: requests a second, and the server's ticks in a million requests.
ask() {
  local before rate
  before=$(ticks)
  rate=$(plain/src/redis-benchmark -s redis.socket -t "$1" -n "$REQUESTS" -c 50 -P 16 --csv |
    awk -F'"' 'NR == 2 { print int($4) }')
  echo "$rate:$((($(ticks) - before) * 1000000 / REQUESTS))"
}

readonly TESTS=(set get lpush)
declare -A seen  # "STATE TEST": a number a round

# measure STATE: of the server that runs.
measure() {
  local test
  for test in "${TESTS[@]}"; do seen["$1 $test"]+="$(ask "$test") "; done
}

for ((round = 0; round < ROUNDS; ++round)); do
  start plain
  measure plain
  stop
  for program in pg fast; do
    start "$program"
    measure "$program, counting"
    "$gprofhub" live "$server" windows --every 1s --output-dir windows >windows.log 2>&1 &
    windows=$!
    measure "$program, a window each second"
    kill "$windows"
    wait "$windows" || true
    rm -rf windows
    "$gprofhub" live "$server" stop >/dev/null
    measure "$program, stopped"
    "$gprofhub" live "$server" start >/dev/null
    "$gprofhub" live "$server" reset >/dev/null
    ask lpush >/dev/null
    "$gprofhub" live "$server" dump --output "$program.gprofhub-dump" >/dev/null
    stop
  done
  say "round $((round + 1)) of $ROUNDS"
done

python3 - "${TESTS[*]}" <<END
import statistics, sys
tests = sys.argv[1].split()
rows = {}
for line in """$(for key in "${!seen[@]}"; do echo "$key|${seen[$key]}"; done)""".splitlines():
    key, numbers = line.split("|")
    state, test = key.rsplit(" ", 1)
    rows.setdefault(state, {})[test] = [tuple(map(int, pair.split(":"))) for pair in numbers.split()]
print("| redis-server | " + " | ".join(f"{test}, a second | time of plain" for test in tests) + " |")
print("|---|" + "---|---|" * len(tests))
for state in sorted(rows, key=lambda state: (state != "plain", state)):
    cells = []
    for test in tests:
        ratios = [one[1] / plain[1] for one, plain in zip(rows[state][test], rows["plain"][test])]
        rate = statistics.median(rate for rate, _ in rows[state][test])
        cells.append(f"{rate:,.0f} | {statistics.median(ratios):.3f}")
    print(f"| {state} | " + " | ".join(cells) + " |")
END
for program in pg fast; do
  echo
  echo "$program: what LPUSH calls most"
  "$gprofhub" gprof -b -p --exact-clones "$program/src/redis-server" "$program.gprofhub-dump" | head -n 12
done
