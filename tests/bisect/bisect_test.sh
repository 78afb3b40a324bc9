#!/bin/bash
# `gprofhub bisect`, `git bisect run gprofhub bisect-judge` and `gprofhub verify` in a real
# repository, with a real Bazel: 17 commits, of which one makes a function be called more often, one
# does not build and one fails its test. Then the same with a running server that has runs of some
# of the commits.
#
#   tests/bisect/bisect_test.sh GPROFHUB
#
# It prints PASS or FAIL and a name. Needs Debian's bazel and git.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
GPROFHUB=$(realpath -- "${1:?usage: bisect_test.sh GPROFHUB}")
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
# For this checkout alone: another's tests may run at the same time.
WORK=$(cache_folder)/bisect-test/$(printf '%s' "$ROOT" | sha256sum | cut -c 1-12)
rm -rf -- "$WORK"
mkdir -p "$WORK/repository"
cd "$WORK/repository"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

readonly CULPRIT=11 BROKEN=8 FAILING=7 LAST=16
readonly FOLDER=$WORK/state
# A wrapper, as a user's bazelisk is one. It notes each build.
cat >"$WORK/bazel" <<END_OF_WRAPPER
#!/bin/bash
echo "\$*" >>"$WORK/builds.txt"
options=(--host_jvm_args=-Xmx1g)
if [[ -n \${GPROFHUB_OUTPUT_BASES:-} ]]; then
  options+=("--output_base=\$GPROFHUB_OUTPUT_BASES/bisect-\${PWD##*/}")
fi
exec bazel "\${options[@]}" "\$@"
END_OF_WRAPPER
chmod +x "$WORK/bazel"

git_here() {
  git -c user.name=example -c user.email=example@localhost -c commit.gpgsign=false "$@"
}

# write_program CALLS COMMIT RESULT
write_program() {
  cat >words_test.c <<END_OF_PROGRAM
__attribute__((noinline, noclone)) int next_word(int i) {
  __asm__ volatile("");
  return i + 1;
}
__attribute__((noinline, noclone)) int parse(int words) {
  int sum = 0;
  for (int i = 0; i < words; ++i) sum = next_word(sum);
  return sum;
}
int version = $2;
int main(void) { return parse($1) == $1 ? $3 : 1; }
END_OF_PROGRAM
}

make_repository() {
  cat >WORKSPACE <<END_OF_WORKSPACE
workspace(name = "bisected")
local_repository(name = "gprofhub", path = "$ROOT")
load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")
gprofhub_repositories()
load("@gprofhub//bazel:debian.bzl", "debian_repositories")
debian_repositories()
END_OF_WORKSPACE
  {
    echo "import $ROOT/bazel/gprof.bazelrc"
    echo "build --noshow_progress --disk_cache=$(cache_folder)/bisect-test-build"
  } >.bazelrc
  echo 'cc_test(name = "words_test", size = "small", srcs = ["words_test.c"])' >BUILD
  # Output of these tests, too.
  printf '%s\n' '/bazel-*' /check.log /result.out >.gitignore
  git init -q --initial-branch=main
  local commit calls
  for ((commit = 0; commit <= LAST; ++commit)); do
    calls=$((commit < CULPRIT ? 10 : 80))
    write_program "$calls" "$commit" $((commit == FAILING))
    if ((commit == BROKEN)); then echo 'int broken(' >>words_test.c; fi
    git_here add -A
    git_here commit -q -m "Commit $commit"
    git tag "c$commit"
  done
}

bisect() {
  "$GPROFHUB" bisect --folder "$FOLDER" --bazel "$WORK/bazel" --target //:words_test \
    --function next_word --caller parse "$@"
}

builds() {
  wc -l <"$WORK/builds.txt"
}

stops_after_its_commits() {
  local status=0
  bisect c0..c$LAST --commits 3 >result.out || status=$?
  cat result.out
  ((status == 5)) && [[ $(builds) == 3 ]] && grep 'Not finished' result.out
}

goes_on_and_finds_the_commit() {
  bisect c0..c$LAST --format=json >result.out || return 1
  cat result.out
  # Both ends and as many as it takes to halve 16 commits, around the two that cannot be tested.
  ((4 <= $(builds) && $(builds) <= 8)) || return 1
  python3 - "$(git rev-parse c$CULPRIT)" <<'END_OF_PYTHON'
import json, sys
search = json.load(open("result.out"))["searches"][0]
assert search["first"]["commit"] == sys.argv[1], search["first"]
assert search["first"]["subject"] == "Commit 11"
assert (search["before"], search["after"], search["varies"]) == (10, 80, False)
skipped = [t["skipped"] for t in search["tested"] if t["level"] == "skipped"]
assert skipped and skipped[0].startswith("it does not build: "), skipped
END_OF_PYTHON
}

knows_the_answer_afterwards() {
  local before
  before=$(builds)
  bisect c0..c$LAST >result.out && cat result.out && [[ $(builds) == "$before" ]] &&
    grep -A 2 'The first commit with the new count' result.out | grep 'Commit 11'
}

left_the_checkout_alone() {
  git status --porcelain
  [[ -z $(git status --porcelain) ]] && [[ $(git symbolic-ref HEAD) == refs/heads/main ]] &&
    [[ $(git worktree list | wc -l) == 1 ]]
}

refuses_an_end_that_fails() {
  local status=0
  bisect c$FAILING..c$LAST 2>result.out || status=$?
  cat result.out
  ((status == 1)) && grep 'the base, .* cannot be measured: its test fails' result.out
}

refuses_a_range_without_a_change() {
  local status=0
  bisect c0..c1 2>result.out || status=$?
  cat result.out
  ((status == 1)) && grep 'the count is 10 at both ends' result.out
}

judges_for_git() {
  git_here bisect start c$LAST c0
  git_here bisect run "$GPROFHUB" bisect-judge --bazel "$WORK/bazel" --folder "$FOLDER" \
    --target //:words_test --function next_word --before 10 --after 80 >"$WORK/run.out" || return 1
  cat "$WORK/run.out"
  [[ $(git rev-parse refs/bisect/bad) == "$(git rev-parse c$CULPRIT)" ]]
}

ends_git_at_a_mistake() {
  local status=0
  "$GPROFHUB" bisect-judge --no-such-option || status=$?
  ((status == 128))
}

# A server with runs of main at some commits: the count changed somewhere after c2, at the latest
# with c12.
start_server() {
  "$GPROFHUB" serve --data-dir "$WORK/data" --listen 127.0.0.1:0 >"$WORK/serve.out" 2>"$WORK/serve.log" &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT
  local address=
  while [[ -z $address ]] && kill -0 "$server"; do
    address=$(sed -n 's/^listening on //p' "$WORK/serve.out")
    sleep 0.1
  done
  [[ -n $address ]] || { cat "$WORK/serve.log"; return 1; }
  export GPROFHUB_SERVER=$address
}

sends_runs_of_main() {
  unset GITHUB_ACTIONS GITLAB_CI BUILDKITE GERRIT_CHANGE_NUMBER JENKINS_URL TF_BUILD CIRCLECI
  start_server || return 1
  git clone -q . "$WORK/clone" || return 1
  local commit
  for commit in 0 1 2 12 13; do
    (
      cd "$WORK/clone" && git checkout -q "c$commit" &&
        "$WORK/bazel" test --config=gprof --build_event_binary_file="$WORK/events.bep" \
          //:words_test &&
        "$GPROFHUB" upload --bep "$WORK/events.bep" --branch main --wait
    ) || return 1
  done
}

finds_the_servers_finding() {
  local id
  "$GPROFHUB" report "$(git rev-parse c12)" --base "$(git rev-parse c2)" --format=json \
    >"$WORK/report.json" || return 1
  id=$(python3 -c 'import json, sys
print(next(f["id"] for f in json.load(sys.stdin)["findings"]
           if f["metric"] == "calls" and f["function"] == "next_word" and f["caller"] == "parse"))' \
    <"$WORK/report.json") || return 1
  "$GPROFHUB" bisect --folder "$FOLDER" --bazel "$WORK/bazel" c2..c12 --finding "$id" \
    >result.out || return 1
  cat result.out
  grep -A 2 'The first commit with the new count' result.out | grep 'Commit 11'
}

# changes_say WHAT: of the event of next_word's calls.
changes_say() {
  "$GPROFHUB" changes --format=json >"$WORK/changes.json" || return 1
  cat "$WORK/changes.json"
  python3 - "$WORK/changes.json" "$(git rev-parse c$CULPRIT)" "$1" <<'END_OF_PYTHON'
import json, sys
changes, culprit, what = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
event, = [e for e in changes["events"] if e["cause"]["function"] == "next_word"]
assert event["commits"] == 10, event["commits"]
found = event["culprit"]
if what == "nothing":
    assert found is None, found
else:
    assert found["commit"] == culprit and found["subject"] == "Commit 11", found
END_OF_PYTHON
}

tells_the_server() {
  changes_say nothing || return 1
  local before
  before=$(builds)
  # A fresh folder: the other one has the answer cached.
  "$GPROFHUB" bisect --folder "$WORK/night" --bazel "$WORK/bazel" --events --commits 1 --upload
  changes_say nothing || return 1 # it was not finished
  "$GPROFHUB" bisect --folder "$WORK/night" --bazel "$WORK/bazel" --events --upload || return 1
  (($(builds) > before)) && changes_say culprit && "$GPROFHUB" changes | grep -i 'introduced in .*Commit 11'
}

# verify CODE [OPTION...]: of the finding in a file, without a server. The work tree is in $PWD.
verify() {
  local expected=$1 status=0
  shift
  env -u GPROFHUB_SERVER "$GPROFHUB" verify "$WORK/finding.json" --folder "$FOLDER" \
    --bazel "$WORK/bazel" "$@" >result.out || status=$?
  cat result.out
  ((status == expected))
}

verifies_repairs() {
  local id
  id=$(python3 -c 'import json, sys
print(next(f["id"] for f in json.load(sys.stdin)["findings"]
           if f["metric"] == "calls" and f["function"] == "next_word" and f["caller"] == "parse"))' \
    <"$WORK/report.json") || return 1
  "$GPROFHUB" get "$id" "$(git rev-parse c12)" --base "$(git rev-parse c2)" \
    >"$WORK/finding.json" || return 1
  git checkout -q main || return 1
  verify 8 || return 1
  write_program 45 0 0 && verify 5 --format=json || return 1
  write_program 10 0 0 && verify 0 || return 1
  write_program 80 0 1 && verify 9 && grep 'its test fails' result.out || return 1
  write_program_renamed && verify 9 || return 1
  git checkout -q words_test.c
}

# The regression under another name of the function.
write_program_renamed() {
  write_program 80 0 0 && sed -i 's/next_word/next_token/' words_test.c
}

watches_until_repaired() {
  local status=0
  verify 0 --watch &
  local watch=$!
  until grep -q 'not fixed' result.out 2>/dev/null; do
    kill -0 "$watch" || return 1
    sleep 0.1
  done
  write_program 10 0 0
  wait "$watch" || status=$?
  cat result.out
  git checkout -q words_test.c
  ((status == 0)) && grep '^fixed' result.out
}

make_repository
cd "$WORK/repository"
check "bisect stops after as many commits as it may build" stops_after_its_commits
check "the same command goes on and finds the commit" goes_on_and_finds_the_commit
check "once it is found nothing is built again" knows_the_answer_afterwards
check "the user's checkout is as it was" left_the_checkout_alone
check "an end whose test fails is refused" refuses_an_end_that_fails
check "a range in which nothing changed is refused" refuses_a_range_without_a_change
check "git bisect run comes to the same commit" judges_for_git
check "a mistake on the command line ends git bisect run" ends_git_at_a_mistake
check "runs of some commits are sent to a server" sends_runs_of_main
check "a finding of the server's is searched" finds_the_servers_finding
check "a repair is told from none, half of one, and a new name" verifies_repairs
check "verify --watch ends with the repair" watches_until_repaired
check "the night's search tells the server, and its changes name the commit" tells_the_server
((failures == 0))
