#!/bin/bash
# Real Bazel sends its build events and the tests' outputs to a real server, which comments on a pull
# request of a forge that is made up.
#
#   tests/bes/bes_test.sh PROGRAMS FAKES BAZEL_ARCHIVE
#
# PROGRAMS is the folder of gprofhub and gprofhub_commands, FAKES that of fake_github and keeping_cache. It
# prints PASS or FAIL and a name.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
# For this checkout alone: another's tests may run at the same time.
WORK=$(cache_folder)/bes/$(printf '%s' "$ROOT" | sha256sum | cut -c 1-12)
rm -rf -- "$WORK"
mkdir -p "$WORK/programs" "$WORK/archive" "$WORK/state"
cp -L -- "${1:?usage: bes_test.sh PROGRAMS FAKE_GITHUB BAZEL_ARCHIVE}"/gprofhub{,_commands} "$WORK/programs"
FAKE_GITHUB=$(realpath -- "$2/fake_github")
KEEPING_CACHE=$(realpath -- "$2/keeping_cache")
tar -C "$WORK/archive" --strip-components=1 -xf "$3"
cd "$WORK"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

export PATH=$WORK/programs:$PATH
# shellcheck source=tests/bes/steps.sh
source "$ROOT/tests/bes/steps.sh"

# ask SQL [SERVER]: queries a server's store, by default the first one's.
ask() {
  python3 - "$WORK/${2:-server}.data/gprofhub.db" "$1" <<'END'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row)
END
}

# make_repository NAME: of two tests. The second one waits for a file before it ends.
make_repository() {
  begin_repository "$1"
  cd "$WORK/$1"
  cat >>.bazelrc <<END
test --test_env=BES_STATE=$WORK/state --sandbox_writable_path=$WORK/state
END
  cat >BUILD <<'END'
cc_library(name = "work", srcs = ["work.cc"])
cc_test(name = "work_test", size = "small", srcs = ["work_test.cc"], deps = [":work"])
cc_test(name = "waiting_test", size = "small", srcs = ["waiting_test.cc"])
END
  # Calls in a test's own code are not reported.
  cat >work.cc <<'END'
volatile int sink;
__attribute__((noinline)) void work() { sink = sink + 1; }
void all_work() {
  for (int i = 0; i < 100000000; ++i) work();
}
END
  cat >work_test.cc <<'END'
void all_work();
int main() { all_work(); }
END
  cat >waiting_test.cc <<'END'
#include <unistd.h>
#include <cstdlib>
#include <string>
volatile int sink;
__attribute__((noinline)) void step() { sink = sink + 1; }
int main() {
  for (int i = 0; i < 1000; ++i) step();
  const std::string hold = std::string(std::getenv("BES_STATE")) + "/hold";
  while (access(hold.c_str(), F_OK) == 0) usleep(10000);
}
END
  git add .
  git commit -q -m first
  cd "$WORK"
}

# The change of the pull request: twice as many calls. They are worth a quarter of a second: a comment is
# due however few samples the machine took.
change_work() {
  (
    cd "$WORK/db"
    git switch -q -c change
    sed -i 's/100000000/200000000/' work.cc
    git commit -q -a -m second
  )
}

# test_with_events REPOSITORY OPTION...: as a user has it in .bazelrc.
test_with_events() {
  local repository=$1
  shift
  cat /proc/sys/kernel/random/uuid >"$WORK/$repository.id"
  bazel_in "$repository" test --invocation_id="$(cat "$WORK/$repository.id")" \
    --config=gprof --config=gprof_backend -c opt \
    --bes_backend="grpc://$server" --remote_cache="grpc://$server" \
    --build_event_binary_file="$WORK/$repository.bep" --nobuild_event_binary_file_path_conversion \
    "$@" //... >"$WORK/$repository.txt" 2>&1 ||
    { cat "$WORK/$repository.txt"; return 1; }
}

# newest REPOSITORY [SERVER]: its newest invocation: state, and how many executions its run has.
newest() {
  ask "SELECT invocation.state, (SELECT count(*) FROM execution JOIN target ON
    target.id = execution.target_id WHERE target.run_id = invocation.run_id)
    FROM invocation WHERE project = '$1' AND invocation_id = '$(cat "$WORK/$1.id")'" "${2:-server}"
}

# newest_is REPOSITORY WORDS [SERVER]
newest_is() {
  newest "$1" "${3:-server}"
  [[ $(newest "$1" "${3:-server}") == "$2" ]]
}

# Bazel's client returns before all events are sent.
all_is_recorded() {
  local name
  for name in "$@"; do until_true newest_is "$name" "ended 2" || return 1; done
}

three_repositories_at_once() {
  local name processes=()
  for name in db one two; do
    test_with_events "$name" &
    processes+=($!)
  done
  for name in "${processes[@]}"; do wait "$name" || return 1; done
  all_is_recorded db one two
}

a_pull_request_gets_a_comment() {
  test_with_events db --build_metadata=GPROFHUB_PULL_REQUEST=17 || return 1
  all_is_recorded db && until_true comment_at "$forge" || return 1
  comment_at "$forge" | tee "$WORK/comment.md"
  grep -q 'work()' "$WORK/comment.md"
}

# upload OPTION...: uploads the last build to a fresh server.
upload() {
  (cd "$WORK/db" && gprofhub upload --server "$other_server" --project db --bep "$WORK/db.bep" \
    --wait "$@")
}

# without_run_numbers COMMENT: a server counts the runs of all its repositories.
without_run_numbers() {
  sed -E 's/((rerun-list|report|FINDING|[Rr]un) `?|gprofhub-state: [a-z]+ )[0-9]+/\1N/g' "$1"
}

upload_comments_the_same() {
  upload --branch change --pull-request 17 --base-commit "$(commit_of main)" || return 1
  until_true comment_at "$other_forge" || return 1
  comment_at "$other_forge" >"$WORK/other_comment.md"
  diff <(without_run_numbers "$WORK/comment.md") <(without_run_numbers "$WORK/other_comment.md")
}

one_result_is_recorded() {
  [[ $(ask "SELECT count(*) FROM invocation_target JOIN invocation ON invocation.id = invocation
    WHERE invocation_id = '$(cat "$WORK/$1.id")' AND recorded = 1") == 1 ]]
}

# begin_test REPOSITORY: it is in the middle: one of two tests has ended, and is in the run.
begin_test() {
  touch "$WORK/state/hold"
  test_with_events "$1" &
  testing=$!
  until_true one_result_is_recorded "$1"
}

# page_of REPOSITORY: the page behind Bazel's link to its newest invocation; the address is the
# first line.
page_of() {
  local pages
  pages=$(sed -n 's/^pages on //p' "$WORK/server.out")
  curl -sS -L -w '\n%{url_effective}\n' "${pages}invocations/$(cat "$WORK/$1.id")" |
    sed -e '$!{H;d}' -e 'G'
}

page_has() {
  page_of "$1" | grep -q -- "$2"
}

its_page_is_there_while_it_runs() {
  begin_test one || return 1
  until_true page_has one '//:work_test</td>.*passed' || return 1
  page_of one >page.html
  head -n 1 page.html | grep -q "/p/one/invocations/$(cat "$WORK/one.id")\$" || return 1
  grep -q '… running' page.html && grep -q '//:waiting_test</td>.*… not yet' page.html || return 1
  rm "$WORK/state/hold"
  wait "$testing" || return 1
  all_is_recorded one || return 1
  until_true page_has one '^http[^ ]*/p/one/compare/'
}

# In a commit that is removed afterwards.
a_failing_test_says_why() {
  (
    cd "$WORK/one"
    echo 'sh_test(name = "failing_test", size = "small", srcs = ["failing.sh"])' >>BUILD
    printf '#!/bin/sh\necho "expected 3, <b>is 4"\nexit 1\n' >failing.sh
    chmod +x failing.sh
    git add .
    git commit -q -m failing
  )
  ! test_with_events one --build_metadata=GPROFHUB_TEST_LOGS=failed >/dev/null || return 1
  git -C "$WORK/one" reset -q --hard HEAD~1
  until_true page_has one 'expected 3, &lt;b&gt;is 4'
}

# Bazel sends its events to `front`, which has not the files, and the files to `other_server`.
test_beside_other_services() {
  local front
  serve front 127.0.0.1:0 "$forge" \
    --forward-bes "grpc://$server" --read-cache "db=grpc://$other_server/db"
  front=$address
  cat /proc/sys/kernel/random/uuid >"$WORK/db.id"
  bazel_in db test --invocation_id="$(cat "$WORK/db.id")" --config=gprof --config=gprof_events -c opt \
    --bes_backend="grpc://$front" --remote_cache="grpc://$other_server" //... >"$WORK/db.txt" 2>&1 ||
    { cat "$WORK/db.txt"; return 1; }
}

files_of_another_cache_are_read() {
  until_true newest_is db "ended 2" front
}

# It has the events, and not the files: they were not uploaded.
events_are_passed_on() {
  until_true newest_is db "ended 0"
  [[ $(ask "SELECT count(*) FROM invocation_target JOIN invocation ON invocation.id = invocation
    WHERE invocation_id = '$(cat "$WORK/db.id")' AND status = 'PASSED'") == 2 ]]
}

a_dead_service_behind_it_fails_no_build() {
  local nobody=127.0.0.1:1 behind
  serve behind 127.0.0.1:0 "$forge" --forward-bes "grpc://$nobody"
  behind=$address
  cat /proc/sys/kernel/random/uuid >"$WORK/db.id"
  bazel_in db test --invocation_id="$(cat "$WORK/db.id")" --config=gprof --config=gprof_backend -c opt \
    --bes_backend="grpc://$behind" --remote_cache="grpc://$behind" //... >"$WORK/db.txt" 2>&1 ||
    { cat "$WORK/db.txt"; return 1; }
  until_true newest_is db "ended 2" behind
}

# test_out_of_cache OPTION...: with a remote cache of the repository's own.
test_out_of_cache() {
  bazel_in db clean >"$WORK/db.txt" 2>&1 || { cat "$WORK/db.txt"; return 1; }
  bazel_in db test --config=gprof --config=gprof_events -c opt --disk_cache= --cache_test_results=auto \
    --remote_cache="grpc://$cache" "$@" //... >"$WORK/db.txt" 2>&1 || { cat "$WORK/db.txt"; return 1; }
}

# report_of_cached_tests OPTION: a test run of which Bazel fetches little. The run has both results, and the profiles can be
# read.
report_of_cached_tests() {
  cat /proc/sys/kernel/random/uuid >"$WORK/db.id"
  test_out_of_cache "$1" --invocation_id="$(cat "$WORK/db.id")" --bes_backend="grpc://$reader" || return 1
  [[ $(grep -cE '//:[a-z]+_test +\(cached\) PASSED' "$WORK/db.txt") == 2 ]] || { cat "$WORK/db.txt"; return 1; }
  until_true newest_is db "ended 2" reader && until_true listing_has_work "$reader"
}

# not_fetched FILE: where Bazel would have put it.
not_fetched() {
  local output_base found
  output_base=$(bazel_in db info output_base 2>/dev/null)
  found=$(find "$output_base/execroot" -name "$1" -type f)
  [[ -z $found ]] || { echo "was fetched: $found"; return 1; }
}

# The server reads profiles and bundles from the repository's own cache.
no_program_is_needed() {
  start cache "$KEEPING_CACHE"
  cache=$address
  serve reader 127.0.0.1:0 "$forge" --read-cache "db=grpc://$cache/db"
  reader=$address
  test_out_of_cache && report_of_cached_tests --remote_download_toplevel && not_fetched work_test
}

# Bazel 4 names no outputs then. So the server takes the profiles that it has of the same programs.
no_profile_is_needed() {
  report_of_cached_tests --remote_download_minimal && not_fetched work_test && not_fetched outputs.zip
}

# listing_has_work SERVER: names come from a bundle, and counts from a profile.
listing_has_work() {
  gprofhub listing --server "$1" --project db --target //:work_test "$(commit_of HEAD)" >listing.txt 2>&1
  cat listing.txt
  grep -q '200000000 .*work()' listing.txt
}

server_is_restarted_in_the_middle() {
  begin_test one || return 1
  kill -KILL "${process_of[server]}"
  wait "${process_of[server]}" 2>/dev/null || true
  serve server "$server" "$forge"
  rm "$WORK/state/hold"
  wait "$testing" || return 1
  all_is_recorded one
}

# The run keeps the data that arrived. It has no report, and the next build is as always.
client_is_killed_in_the_middle() {
  local pid
  pid=$(bazel_in two info server_pid 2>/dev/null) || return 1
  begin_test two || return 1
  kill -KILL "$pid"
  wait "$testing" && return 1
  rm "$WORK/state/hold"
  newest_is two "running 1" || return 1
  [[ $(ask "SELECT count(*) FROM report_job WHERE run_id =
    (SELECT run_id FROM invocation WHERE invocation_id = '$(cat "$WORK/two.id")')") == 0 ]] || return 1
  test_with_events two && all_is_recorded two
}

a_dead_server_fails_no_build() {
  kill -KILL "${process_of[server]}"
  wait "${process_of[server]}" 2>/dev/null || true
  test_with_events db
}

store_is_whole() {
  gprofhub admin fsck --data-dir "$WORK/server.data"
}

echo personal-token >"$WORK/github_token"
for name in db one two; do make_repository "$name"; done
change_work
start forge "$FAKE_GITHUB" "$(commit_of change)" "$(commit_of main)"
forge=$address
start other_forge "$FAKE_GITHUB" "$(commit_of change)" "$(commit_of main)"
other_forge=$address
serve server 127.0.0.1:0 "$forge" --http 127.0.0.1:0
server=$address
serve other_server 127.0.0.1:0 "$other_forge"
other_server=$address

git -C "$WORK/db" switch -q main
check "three repositories send their events at once" three_repositories_at_once
check "gprofhub upload sends the first build" upload --branch main
git -C "$WORK/db" switch -q change
check "a pull request gets its comment" a_pull_request_gets_a_comment
check "upload of the same builds makes the same comment" upload_comments_the_same
check "Bazel's link shows tests as they end, and then the comparison" its_page_is_there_while_it_runs
check "the page has what a failing test said last" a_failing_test_says_why
check "Bazel tests with other services behind the server" test_beside_other_services
check "files that another cache has are read there" files_of_another_cache_are_read
check "another build event service gets the events" events_are_passed_on
check "a dead one behind the server fails no build" a_dead_service_behind_it_fails_no_build
check "with --remote_download_toplevel the server needs no program" no_program_is_needed
check "with --remote_download_minimal it takes the profiles of an earlier run" no_profile_is_needed
check "a server that is killed and started again in the middle loses nothing" \
  server_is_restarted_in_the_middle
check "a client that is killed in the middle leaves a run without a report" \
  client_is_killed_in_the_middle
check "a dead server fails no build" a_dead_server_fails_no_build
check "the store is whole" store_is_whole
((failures == 0))
