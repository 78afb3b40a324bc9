#!/bin/bash
# Properties of every subcommand: help with examples, exit codes, no colours in a file.
set -u

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

gprofhub=$(readlink -f cli/gprofhub)
unset GPROFHUB_SERVER GPROFHUB_PROJECT GPROFHUB_TOKEN
export HOME=$TEST_TMPDIR GPROFHUB_DATA_DIR=$TEST_TMPDIR/store
nobody=127.0.0.1:1 # no server answers there

# expect CODE WORDS...: the command ends with that code, and the reason for a failure on stderr.
expect() {
  local code=$1
  shift
  "$gprofhub" "$@" >out 2>err
  local ended=$?
  [[ $ended == "$code" ]] || fail "gprofhub $* ends with $ended, not $code: $(cat err)"
  [[ $code == 0 || -s err ]] || fail "gprofhub $* fails without a word"
  ! grep -q $'\x1b' out err || fail "gprofhub $* writes escape sequences to a file"
}

commands=$("$gprofhub" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
for command in upload serve token runs report diff open check ack stats trend changes listing order \
  gprof info gmon help completion; do
  grep -qx "$command" <<<"$commands" || fail "gprofhub --help does not name $command"
done

for command in $commands; do
  expect 0 "$command" --help
  [[ $command == gprof ]] && continue # GNU gprof's own help and exit codes
  grep -q '^Examples:$' out || fail "gprofhub $command --help has no examples"
  grep -q "^  .*gprofhub $command" out || fail "gprofhub $command --help has no example of itself"
  case $command in
  bisect-judge) expect 128 "$command" --no-such-option ;; # git bisect run's exit codes
  *) expect 2 "$command" --no-such-option ;;
  esac
  grep -q "(see gprofhub $command --help)\$" err || fail "$command --no-such-option prints '$(cat err)'"
done
for action in create list revoke; do
  expect 0 token "$action" --help
  grep -q "^  gprofhub token $action" out || fail "token $action --help has no example"
done

expect 0 --version
expect 2
expect 2 no_such_command
expect 2 reprot
grep -q 'did you mean report?' err || fail "reprot has no suggestion: '$(cat err)'"
expect 0 help token create
expect 2 help no_such_command
for shell in bash zsh; do expect 0 completion $shell; done
expect 1 gprof --no-such-option
expect 0 gprof -v
head -n 1 out | grep -q "^gprofhub gprof $(cat VERSION), " || fail "gprof -v says '$(head -n 1 out)'"

# 4: no server answers.
for command in runs report check stats changes listing order open "explain f" "ack --list" "trend f" \
  "diff 1 2" "rerun-list" "health"; do
  # shellcheck disable=SC2086
  expect 4 $command --server $nobody
done

# 3: the requested object does not exist.
expect 3 diff no_such_folder .
expect 3 info no_such_recording
expect 3 gmon no_such_recording --output-dir "$TEST_TMPDIR/gmon"
expect 3 changes no_such_folder
expect 3 token revoke 7

# 2: the command line, or the policy file of check, is wrong.
expect 2 ack f
expect 2 check --policy no_such_policy
expect 2 upload
expect 2 order --format=link
for command in runs report check stats trend changes info token upload; do
  # shellcheck disable=SC2086
  expect 2 $command --format=no_such_format
done

# 2: a setting of the environment or of .gprofhub.json is wrong.
GPROFHUB_SERVER=http://127.0.0.1:8080 expect 2 report
grep -q -- '--listen' err || fail "an address of pages is refused with '$(cat err)'"
mkdir -p below/it
echo '{"servr": "ci:7070"}' >.gprofhub.json
# shellcheck disable=SC2030
(cd below/it && failures=0 && expect 2 report && grep -q 'did you mean "server"' err && [[ $failures == 0 ]]) ||
  fail "a wrong .gprofhub.json is not refused"
echo '{"version": 1, "server": "127.0.0.1:1"}' >.gprofhub.json
# shellcheck disable=SC2030
(cd below/it && failures=0 && expect 4 report && grep -q '127.0.0.1:1: connection refused;' err && [[ $failures == 0 ]]) ||
  fail "the server of .gprofhub.json is not asked: $(cat below/it/err)"
rm .gprofhub.json

# Completion needs no server, and offers no file of an option that it knows.
"$gprofhub" __complete report --form >out
[[ $(cut -f1 out) == --format ]] || fail "report --form is completed by '$(cat out)'"
"$gprofhub" __complete report --format=m >out
[[ $(cut -f1 out) == --format=markdown ]] || fail "report --format=m is completed by '$(cat out)'"
"$gprofhub" __complete token cr >out
[[ $(cut -f1 out) == create ]] || fail "token cr is completed by '$(cat out)'"
"$gprofhub" __complete trend --server $nobody f >out || fail "completion fails without a server"
[[ ! -s out ]] || fail "a function is completed without a server: '$(cat out)'"
(
  # shellcheck source=/dev/null
  source <("$gprofhub" completion bash)
  COMP_LINE="$gprofhub report --format=j" COMP_POINT=$((${#gprofhub} + 18))
  _gprofhub
  [[ ${COMPREPLY[*]} == json ]]
) || fail "bash does not complete --format=j"

# 1: the work failed; stdout that cannot be written is that, too.
expect 0 token create --label ci
grep -q '^gph_' out || fail "token create prints '$(cat out)'"
"$gprofhub" token list >/dev/full 2>err
ended=$?
[[ $ended == 1 ]] || fail "token list to a full disk ends with $ended, not 1"
grep -q 'cannot write to stdout' err || fail "token list to a full disk says '$(cat err)'"

# Lists are JSON, too.
expect 0 token list
grep -q '^ID  PROJECT ' out || fail "token list prints '$(cat out)'"
expect 0 token list --format=json
python3 -c 'import json, sys; tokens = json.load(sys.stdin)["tokens"]; assert tokens[0]["label"] == "ci"' \
  <out || fail "token list --format=json prints '$(cat out)'"

# shellcheck disable=SC2031
[[ $failures == 0 ]]
