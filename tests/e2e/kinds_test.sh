#!/bin/bash
# Every kind of test that Bazel has, in one repository and one build: sharded, flaky, repeated,
# exclusive, filtered, failing, started by a script; tests that change their directory, fork, die or
# load parts of themselves; benchmarks. The server receives the exact calls of each. The programs
# are gone by then: the build has made their symbol bundles.
#
#   tests/e2e/kinds_test.sh PROGRAMS
#
# PROGRAMS is the folder of gprofhub and gprofhub_commands. It prints PASS or FAIL and a name.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
# For this checkout alone: another's tests may run at the same time.
WORK=$(cache_folder)/kinds/$(printf '%s' "$ROOT" | sha256sum | cut -c 1-12)
rm -rf -- "$WORK"
# As packages install them.
mkdir -p "$WORK"/programs/{bin,libexec/gprofhub} "$WORK/state"
cp -L -- "${1:?usage: kinds_test.sh PROGRAMS}/gprofhub" "$WORK/programs/bin"
cp -L -- "$1/gprofhub_commands" "$WORK/programs/libexec/gprofhub"
cp -r -- "$ROOT/tests/e2e/kinds" "$WORK/repository"
cd "$WORK/repository"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

export PATH=$WORK/programs/bin:$PATH
readonly COMMIT=0123456789012345678901234567890123456789
readonly CHANGE=abcdefabcdefabcdefabcdefabcdefabcdefabcd

# Also the Bazel that `gprof_profile` starts.
export BAZEL=$WORK/bazel
cat >"$BAZEL" <<END
#!/bin/sh
exec bazel ${GPROFHUB_OUTPUT_BASES:+"--output_base=$GPROFHUB_OUTPUT_BASES/kinds"} \\
  --host_jvm_args=-Xmx1g --max_idle_secs=30 "\$@"
END
chmod +x "$BAZEL"

# Of gprofhub it has the released archive.
make_repository() {
  mkdir "$WORK/archive"
  tar -C "$WORK/archive" --strip-components=1 -xf "$ROOT/bazel-bin/packaging/gprofhub-bazel.tar.gz"
  cat >WORKSPACE <<END
workspace(name = "kinds")
local_repository(name = "gprofhub", path = "$WORK/archive")
load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")
gprofhub_repositories()
load("@gprofhub//bazel:debian.bzl", "debian_repositories")
debian_repositories()
END
  {
    echo "import $WORK/archive/bazel/gprof.bazelrc"
    echo "build --noshow_progress --disk_cache=$(cache_folder)/kinds-build"
    echo "test --test_env=KINDS_STATE=$WORK/state --sandbox_writable_path=$WORK/state"
    echo "test --flaky_test_attempts=3 --runs_per_test=//:repeated_test@3"
  } >.bazelrc
}

server=
stop_server() {
  if [[ -z $server ]]; then return; fi
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
}
trap stop_server EXIT

start_server() {
  local log=$WORK/server.log
  gprofhub serve --data-dir "$WORK/data" --listen 127.0.0.1:0 >"$log" 2>&1 </dev/null &
  server=$!
  until GPROFHUB_SERVER=$(sed -n 's/^listening on \([^ ]*\).*/\1/p' "$log") && [[ -n $GPROFHUB_SERVER ]]; do
    kill -0 "$server" || { cat "$log"; return 1; }
    sleep 0.1
  done
  export GPROFHUB_SERVER
}

# Bazel's status is 3 if all was built and some tests failed.
run_tests() {
  local status=0
  rm -f "$WORK/state/attempts"
  "$BAZEL" test --config=gprof -c opt --nocache_test_results \
    --test_filter='*Chosen*' --build_event_binary_file=bep.bin -- //... -//:insert_bench -//:program_bench || status=$?
  [[ $status == "${1:-3}" ]]
}

bin_folder() {
  "$BAZEL" info -c opt --config=gprof bazel-bin 2>/dev/null
}

# As on a machine that only uploads.
remove_programs() {
  local bin
  bin=$(bin_folder)
  [[ -e $bin/sharded_test && -e $bin/tool && -e $bin/plugin.so ]] || return 1
  # shellcheck disable=SC2016
  find -L "$bin" -maxdepth 1 -type f -exec sh -c '[ "$(head -c 4 "$1" | tail -c 3)" = ELF ]' sh {} \; \
    -print -delete
  [[ ! -e $bin/sharded_test && ! -e $bin/tool && ! -e $bin/plugin.so ]] && ls "$bin"/*.gprofhub-symbols
}

upload() {
  gprofhub upload --bep bep.bin --commit "$COMMIT" --branch main --wait >upload.txt 2>&1 || { cat upload.txt; return 1; }
  cat upload.txt
}

# calls LABEL FUNCTION NUMBER: as the server has them.
calls() {
  gprofhub listing --target "$1" --flat --brief | tee listing.txt |
    awk -v name="$2()" -v number="$3" '$NF == name { found = $4 } END { print found; exit found != number }'
}

# benchmark NAME BAZEL-OPTION... -- UPLOAD-OPTION...: runs and sends the benchmark.
benchmark() {
  local name=$1 options=()
  shift
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  "$BAZEL" test --config=gprof -c opt --build_event_binary_file="$name.bin" "${options[@]}" \
    //:insert_bench //:program_bench >"$name.txt" 2>&1 || { cat "$name.txt"; return 1; }
  gprofhub upload --bep "$name.bin" --wait "$@" >"$name.txt" 2>&1 || { cat "$name.txt"; return 1; }
  cat "$name.txt"
}

benchmark_is_measured_case_by_case() {
  benchmark base -- --commit "$COMMIT" --branch main && executions_are <<'END'
//:insert_bench#BM_Insert/1024 1 1
//:insert_bench#BM_Insert/8 1 1
//:insert_bench#BM_Rounds/iterations:500 1 1
//:insert_bench#BM_Threads/threads:4 1 1
//:insert_bench#BM_Timed 1 1
//:insert_bench#BM_Typed<std::vector<int>> 1 1
//:program_bench#BM_Insert/1024 1 1
//:program_bench#BM_Insert/8 1 1
//:program_bench#BM_Rounds/iterations:500 1 1
//:program_bench#BM_Threads/threads:4 1 1
//:program_bench#BM_Typed<std::vector<int>> 1 1
END
}

timed_case_is_left_out() {
  local log
  log=$("$BAZEL" info -c opt --config=gprof bazel-testlogs 2>/dev/null)/program_bench
  grep 'BM_Timed/min_time:0.010 is skipped: it runs for a fixed time' "$log/test.log"
}

# The change doubles the work of BM_Insert. It is found in its two cases, and nowhere else.
change_is_seen_in_its_cases() {
  benchmark head --per_file_copt=insert_bench.cc@-DFACTOR=2 \
    -- --commit "$CHANGE" --branch change --base-commit "$COMMIT" --pull-request 7 || return 1
  gprofhub report "$CHANGE" --format=json >report.json
  python3 - report.json <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
seen = {(f["target"], f["before"], f["after"]) for f in report["findings"]
        if f["metric"] == "calls" and f["function"].startswith("_Z4work") and not f["caller"]}
print(seen)
sys.exit(seen != {("//:insert_bench#BM_Insert/8", 8e3, 16e3),
                  ("//:insert_bench#BM_Insert/1024", 1024e3, 2048e3),
                  ("//:program_bench#BM_Insert/8", 8.0, 16.0),
                  ("//:program_bench#BM_Insert/1024", 1024.0, 2048.0)})
END
}

profile_is_printed() {
  local name=$1 calls=$2
  shift 2
  TMPDIR=$WORK/state "$BAZEL" run "//:$name" -- "$@" >profile.txt 2>&1 || { cat profile.txt; return 1; }
  cat profile.txt
  awk -v calls="$calls" '$NF == "work()" && $4 == calls { found = 1 } END { exit !found }' profile.txt &&
    grep -q '== .*: call graph' profile.txt &&
    python3 - "$(sed -n 's|^\(.*speedscope.json\) for .*|\1|p' profile.txt)" <<'END'
import json, sys
assert "profiles" in json.load(open(sys.argv[1]))
END
}

suite_prints_each_test() {
  TMPDIR=$WORK/state "$BAZEL" run //:profiles >profile.txt 2>&1 || { cat profile.txt; return 1; }
  cat profile.txt
  [[ $(grep '^== .*: call graph$' profile.txt) == "== directory_test of directory_test: call graph
== filtered_test of filtered_test: call graph" ]] || return 1
  TMPDIR=$WORK/state "$BAZEL" run //:profiles -- //:filtered_test 'Chosen*' >profile.txt 2>&1 ||
    { cat profile.txt; return 1; }
  [[ $(grep -c '^== .*: call graph$' profile.txt) == 1 ]] &&
    awk '$NF == "work()" && $4 == 13 { found = 1 } END { exit !found }' profile.txt
}

# Everything out of a remote cache, and only what tests leave is fetched.
needs_no_programs_of_a_remote_cache() {
  local cache port turn bin
  exec {cache}> >(python3 "$ROOT/tests/e2e/remote_cache.py" >port.txt)
  until port=$(cat port.txt 2>/dev/null) && [[ -n $port ]]; do sleep 0.1; done
  for turn in first second; do
    "$BAZEL" clean
    "$BAZEL" test --config=gprof -c opt --disk_cache= "--remote_cache=http://127.0.0.1:$port" \
      --remote_download_toplevel --build_event_binary_file=remote.bin \
      //:sharded_test //:plugin_test >remote.txt 2>&1 || { cat remote.txt; return 1; }
    echo "$turn done"
  done
  exec {cache}>&-
  grep -E '//:plugin_test +\(cached\) PASSED' remote.txt || { cat remote.txt; return 1; }
  bin=$(bin_folder)
  [[ ! -e $bin/plugin_test && ! -e $bin/plugin.so ]] || return 1
  gprofhub upload --bep remote.bin --dry-run --commit "$COMMIT" --branch main >remote.txt 2>&1 ||
    { cat remote.txt; return 1; }
  cat remote.txt
  grep -q "Would upload 4 executions (4 from Bazel's cache).*: 4 profiles, 3 images," remote.txt
}

# Of each target: its executions and the processes that left profiles.
executions_are() {
  gprofhub runs --format=json | python3 -c '
import json, sys
for target in json.load(sys.stdin)["runs"][0]["targets"]:
    print(target["label"], target["executions"], target["profiles"])' >executions.txt
  diff - executions.txt
}

every_execution_is_one() {
  executions_are <<'END'
//:death_test 1 3
//:directory_test 1 1
//:exclusive_test 1 1
//:failing_test 3 3
//:filtered_test 1 1
//:flaky_test 3 3
//:fork_server_test 1 10
//:plugin_test 1 2
//:repeated_test 3 3
//:script_test 1 3
//:sharded_test 3 3
END
}

# Two programs and their plugin, each once for all tests that run them.
bundles_are_made_once() {
  find -L "$(bin_folder)/" -name '*.gprofhub-symbols' -size +0 -printf '%P\n' | sort >bundles.txt
  cat bundles.txt
  [[ $(wc -l <bundles.txt) == 14 ]] && grep -x plugin.so.gprofhub-symbols bundles.txt
}

# Bazel made the programs again, with the same bytes. So their bundles are still good.
bundles_are_cached() {
  "$BAZEL" build --config=gprof -c opt --execution_log_json_file=executed.json //... >build.txt 2>&1 || { cat build.txt; return 1; }
  python3 - executed.json <<'END'
import json, sys
text = open(sys.argv[1]).read()
actions, at, decoder = [], 0, json.JSONDecoder()
while at < len(text):
    action, at = decoder.raw_decode(text, at)
    actions.append((action["mnemonic"], action["remoteCacheHit"]))
    at += len(text[at:]) - len(text[at:].lstrip())
print(actions)
links = [hit for mnemonic, hit in actions if mnemonic == "CppLink"]
sys.exit(not links or ("GprofhubSymbols", False) in actions)
END
}

# gprofhub out of an archive with a hash, wherever Bazel runs it.
works_with_a_downloaded_gprofhub() {
  local folder=$WORK/download hash
  mkdir "$folder"
  cp -r "$WORK/programs" "$folder/gprofhub-1"
  tar -C "$folder" -czf "$folder/gprofhub.tar.gz" gprofhub-1
  hash=$(sha256sum "$folder/gprofhub.tar.gz" | cut -d ' ' -f 1)
  cp WORKSPACE WORKSPACE.installed
  sed -i '/^load("@gprofhub\/\/bazel:repositories.bzl"/,$d' WORKSPACE
  {
    echo 'load("@gprofhub//bazel:client.bzl", "gprofhub_client")'
    echo 'gprofhub_client(name = "gprofhub_client", strip_prefix = "gprofhub-1",'
    echo "    sha256 = '$hash', url = 'file://$folder/gprofhub.tar.gz')"
    sed -n '/^load("@gprofhub\/\/bazel:repositories.bzl"/,$p' WORKSPACE.installed
  } >>WORKSPACE
  PATH=$(printf '%s' "$PATH" | sed "s|$WORK/programs/bin:||") "$BAZEL" build --config=gprof \
    --output_groups=gprofhub_symbols //:repeated_test >downloaded.txt 2>&1 || { cat downloaded.txt; return 1; }
  cat downloaded.txt
  ! grep DEBUG downloaded.txt && cmp "$(readlink -f bazel-bin)/repeated_test.gprofhub-symbols" \
    <(gprofhub symbols bazel-bin/repeated_test --output /dev/stdout)
}

# An installed gprofhub without support for bundles: everything works as without them.
works_with_an_older_gprofhub() {
  mv WORKSPACE.installed WORKSPACE
  mkdir -p old
  printf '#!/bin/sh\nexit 2\n' >old/gprofhub
  chmod +x old/gprofhub
  PATH=$PWD/old:$PATH "$BAZEL" test --config=gprof --build_event_json_file=old.json \
    //:repeated_test >old.txt 2>&1 || { cat old.txt; return 1; }
  grep 'old/gprofhub is older than these rules.*; symbol bundles are not built' old.txt &&
    ! grep targetCompleted old.json | grep gprofhub_symbols
}

make_repository
check "tests of every kind run profiled" run_tests
check "programs are not needed any more" remove_programs
check "the server starts" start_server
check "all profiles arrive" upload
check "a sharded test has the calls of all shards" calls //:sharded_test work 60
check "a flaky test has the calls of its last attempt" calls //:flaky_test work 5
check "a repeated test has the calls of all its runs" calls //:repeated_test work 12
check "an exclusive test has its calls" calls //:exclusive_test work 11
check "a failing test has its calls" calls //:failing_test work 9
check "a filtered test has the calls of what was chosen" calls //:filtered_test work 13
check "a test that changes its directory has its calls" calls //:directory_test work 14
check "a fork server has the calls of all processes" calls //:fork_server_test work 29
check "a death test has the calls of the dead" calls //:death_test work 21
check "a test with a plugin has its own calls" calls //:plugin_test work 3
check "a test with a plugin has the plugin's calls" calls //:plugin_test plugin_work 21
check "a script has the calls of its programs" calls //:script_test work 24
check "the server has every shard, run, attempt and process" every_execution_is_one
check "a benchmark is measured case by case" benchmark_is_measured_case_by_case
check "a case has the calls of all rounds" calls "//:insert_bench#BM_Insert/1024" work 1024000
check "a case of a template has its calls" calls "//:insert_bench#BM_Typed<std::vector<int>>" work 3000
check "a case has the calls of the rounds that it asks for" \
  calls "//:insert_bench#BM_Rounds/iterations:500" work 500
check "a case of four threads has the calls of all" calls "//:insert_bench#BM_Threads/threads:4" work 4000
check "a case that runs for a time has as many rounds as the others" \
  calls "//:insert_bench#BM_Timed" work 1000
check "a case of a program that is there anyway has the calls of one round" \
  calls "//:program_bench#BM_Insert/1024" work 1024
check "a program's case that runs for a time is left out, and the log says so" timed_case_is_left_out
check "a change is seen in the cases that it changes" change_is_seen_in_its_cases
check "a run target prints the profile of a filtered test" profile_is_printed profile 13 'Chosen*'
check "a run target prints the profiles of a script's programs" profile_is_printed profile_of_script 24
check "a suite prints the profile of each test, or of one" suite_prints_each_test
check "a program's bundle is made once for all its tests" bundles_are_made_once
check "bundles come out of Bazel's cache" bundles_are_cached
check "what a remote cache has is uploaded without the programs" needs_no_programs_of_a_remote_cache
check "a gprofhub out of an archive makes the same bundles" works_with_a_downloaded_gprofhub
check "profiling works with a gprofhub that makes no bundles, and says so" works_with_an_older_gprofhub
((failures == 0))
