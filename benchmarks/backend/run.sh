#!/bin/bash
# Latency of a pull request's comment after the end of Bazel's tests, and overhead of build events
# in `bazel test`. Real Bazel, a real server, and a fake GitHub, all on this machine.
#
#   benchmarks/backend/run.sh PROGRAMS FAKE_GITHUB BAZEL_ARCHIVE [TARGETS [ROUNDS [LENGTH [BAZEL_IS]]]]
#
# PROGRAMS is the folder of gprofhub and gprofhub_commands, built with -c opt. LENGTH is how long
# each test takes before the change, in tenths of a second; after it, where rounds are compared, it
# takes twice as long. BAZEL_IS `new` starts a Bazel for each build, as CI jobs do; `kept` is the
# default, whose Java becomes faster from build to build. In addition to the time of `bazel test`,
# the processor time of Bazel and its tests is printed: other programs on the machine change it
# less. In use the server is on another machine. So here it has the last processor for itself, and
# Bazel has the others, with events and without.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
WORK=$(cache_folder)/backend-benchmark
# More targets than these run one program: linking takes longer than all that is measured.
readonly TARGETS=${4:-100} ROUNDS=${5:-5} LENGTH=${6:-1} MOST_PROGRAMS=200
readonly BAZEL_IS=${7:-kept}
readonly CALLS=$((25000000 * LENGTH)) # a tenth of a second, on the machine of docs/benchmarks.md
rm -rf -- "$WORK"
mkdir -p "$WORK/programs" "$WORK/archive"
cp -L -- "${1:?see the first lines of this script}"/gprofhub{,_commands} "$WORK/programs"
FAKE_GITHUB=$(realpath -- "$2")
tar -C "$WORK/archive" --strip-components=1 -xf "$3"
cd "$WORK"
export PATH=$WORK/programs:$PATH
# shellcheck source=tests/bes/steps.sh
source "$ROOT/tests/bes/steps.sh"

make_repository() {
  begin_repository db
  if ((TARGETS <= MOST_PROGRAMS)); then
    cat >"$WORK/db/BUILD" <<END
cc_library(name = "work", srcs = ["work.cc"])
[cc_test(name = "work%d_test" % i, size = "small", srcs = ["work_test.cc"], deps = [":work"]) for i in range($TARGETS)]
END
  else
    cat >"$WORK/db/BUILD" <<END
cc_library(name = "work", srcs = ["work.cc"])
cc_binary(name = "program", testonly = True, srcs = ["work_test.cc"], deps = [":work"])
[sh_test(name = "work%d_test" % i, size = "small", srcs = ["run.sh"], args = ["\$(rootpath :program)"], data = [":program"]) for i in range($TARGETS)]
END
    # shellcheck disable=SC2016  # the script's own argument
    printf '#!/bin/sh\nexec "$1"\n' >"$WORK/db/run.sh"
    chmod +x "$WORK/db/run.sh"
  fi
  # Calls in a test's own code are not reported.
  cat >"$WORK/db/work.cc" <<END
volatile int sink;
__attribute__((noinline)) void work() { sink = sink + 1; }
void all_work() {
  for (int i = 0; i < $CALLS; ++i) work();
}
END
  cat >"$WORK/db/work_test.cc" <<'END'
void all_work();
int main() { all_work(); }
END
  git -C "$WORK/db" add .
  git -C "$WORK/db" commit -q -m first
}

change_work() {
  git -C "$WORK/db" switch -q -c change
  sed -i "s/$CALLS/$((2 * CALLS))/" "$WORK/db/work.cc"
  git -C "$WORK/db" commit -q -a -m second
}

# start_bazel: assigns its processors.
start_bazel() {
  bazel=$(bazel_in db info server_pid 2>/dev/null)
  give_processors "$bazel" "0-$((last - 1))"
}

# Of Bazel's server and its child processes, in milliseconds.
processor_time() {
  sed 's/.*) //' "/proc/$bazel/stat" | awk -v hertz="$(getconf CLK_TCK)" '{ print int(1000 * ($12 + $13 + $14 + $15) / hertz) }'
}

# tests OPTION...: sets `took` to its milliseconds.
tests() {
  local started
  started=$(milliseconds_now)
  bazel_in db test --config=gprof -c opt "$@" //... >"$WORK/bazel.txt" 2>&1 || die "$(cat "$WORK/bazel.txt")"
  took=$(($(milliseconds_now) - started))
}

tests_with_events() {
  tests --config=gprof_backend --bes_backend="grpc://$server" --remote_cache="grpc://$server" "$@"
}

all_has_ended() {
  python3 - "$WORK/server.data/gprofhub.db" <<'END'
import sqlite3, sys
ask = lambda sql: sqlite3.connect(sys.argv[1]).execute(sql).fetchone()[0]
sys.exit(ask("SELECT count(*) FROM invocation WHERE state = 'running'") +
         ask("SELECT count(*) FROM job WHERE state <> 'done'"))
END
}

# give_processors PROCESS LIST: to all of its threads, and to their child processes.
give_processors() {
  if (($(nproc) > 1)); then taskset -a -p -c "$2" "$1" >/dev/null; fi
}

# measured COMMAND...: runs the command, and sets `worked` to the milliseconds of processor time.
# Bazel's work after the end of its client counts, too.
measured() {
  local before
  if [[ $BAZEL_IS == new ]]; then
    bazel_in db shutdown 2>/dev/null
    start_bazel
  fi
  before=$(processor_time)
  "$@"
  until_true all_has_ended
  worked=$(($(processor_time) - before))
}

median() {
  printf '%s\n' "$@" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

calibrate() {
  local started
  started=$(milliseconds_now)
  head -c 268435456 /dev/zero | sha256sum >/dev/null
  say "calibration: sha256sum of 256 MiB in $(($(milliseconds_now) - started)) ms"
}

echo personal-token >"$WORK/github_token"
make_repository
change_work
start forge "$FAKE_GITHUB" "$(commit_of change)" "$(commit_of main)"
forge=$address
serve server 127.0.0.1:0 "$forge"
server=$address
last=$(($(nproc) - 1))
give_processors "${process_of[server]}" "$last"
git -C "$WORK/db" switch -q main
start_bazel
tests_with_events
until_true all_has_ended
git -C "$WORK/db" switch -q change
if ((ROUNDS > 0)); then tests; fi # all is built
calibrate

tests_with_events --build_metadata=GPROFHUB_PULL_REQUEST=17
started=$(milliseconds_now)
until_true comment_at "$forge"
say "$TARGETS targets: the comment is there $(($(milliseconds_now) - started)) ms after bazel test, which took $took ms"
calibrate

((ROUNDS > 0)) || exit 0
without=() with=() ratios=() worked_without=() worked_with=() worked_ratios=()
for ((round = 0; round < ROUNDS; ++round)); do
  measured tests
  without+=("$took")
  worked_without+=("$worked")
  measured tests_with_events
  with+=("$took")
  worked_with+=("$worked")
  ratios+=("$((1000 * with[round] / without[round]))")
  worked_ratios+=("$((1000 * worked_with[round] / worked_without[round]))")
done
calibrate
say "bazel test without build events: ${without[*]} ms, median $(median "${without[@]}")"
say "with them: ${with[*]} ms, median $(median "${with[@]}")"
say "median of the ratios: $(median "${ratios[@]}") / 1000"
say "processor time without build events: ${worked_without[*]} ms, median $(median "${worked_without[@]}")"
say "with them: ${worked_with[*]} ms, median $(median "${worked_with[@]}")"
say "median of the ratios: $(median "${worked_ratios[@]}") / 1000"
