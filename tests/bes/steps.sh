# Shared code of scripts about Bazel's build events. Source this file in the folder WORK:
# repositories are folders in it, and the one of the pull request is WORK/db.
# shellcheck shell=bash

# The CI system's variables are about its own job, not about these repositories.
unset GITHUB_ACTIONS GITLAB_CI BUILDKITE GERRIT_CHANGE_NUMBER JENKINS_URL TF_BUILD CIRCLECI
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=author GIT_AUTHOR_EMAIL=author@example.com
export GIT_COMMITTER_NAME=author GIT_COMMITTER_EMAIL=author@example.com

declare -A process_of  # by name
finish() {
  local name
  for name in "$WORK"/*/.bazelrc; do
    bazel_in "$(basename -- "$(dirname -- "$name")")" shutdown >/dev/null 2>&1 || true
  done
  kill "${process_of[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
}
trap finish EXIT

# bazel_in REPOSITORY COMMAND...
bazel_in() {
  local repository=$1 options=()
  shift
  if [[ -n ${GPROFHUB_OUTPUT_BASES:-} ]]; then
    options+=("--output_base=$GPROFHUB_OUTPUT_BASES/bes-$repository")
  fi
  (cd "$WORK/$repository" &&
    bazel "${options[@]}" --nohome_rc --host_jvm_args=-Xmx500m --max_idle_secs=60 "$@") </dev/null
}

# start NAME COMMAND...: sets address to where it listens.
start() {
  local name=$1
  shift
  : >"$WORK/$name.out" # it is read before the command may have begun
  "$@" >"$WORK/$name.out" 2>>"$WORK/$name.log" </dev/null &
  process_of[$name]=$!
  address=$(timeout 60 sed -n '/^listening on /{s///p;q}' <(tail -n +1 -f --pid=$! "$WORK/$name.out"))
  [[ -n $address ]] || die "$name did not start: $(cat "$WORK/$name.log")"
}

# serve NAME ADDRESS FORGE OPTION...: a server with a store of its own.
serve() {
  start "$1" gprofhub serve --data-dir "$WORK/$1.data" --listen "$2" \
    --forge "db=github:acme/db" --github-url "$3" --github-token-file "$WORK/github_token" "${@:4}"
}

# until_true COMMAND...: it only ends what hangs.
until_true() {
  local end=$((SECONDS + 300))
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || { "$@"; return 1; }
    sleep 0.1
  done
}

# comment_at FORGE: the only comment of the pull request.
comment_at() {
  curl -sS -H "Authorization: Bearer $(cat "$WORK/github_token")" \
    "$1/repos/acme/db/issues/17/comments" | python3 -c '
import json, sys
comments = json.load(sys.stdin)
assert len(comments) == 1, comments
print(comments[0]["body"])'
}

commit_of() {
  git -C "$WORK/db" rev-parse "$1"
}

# begin_repository NAME: a user's, with nothing in it but what Bazel and gprofhub need.
begin_repository() {
  local name=$1
  mkdir "$WORK/$name"
  cat >"$WORK/$name/WORKSPACE" <<END
workspace(name = "$name")
local_repository(name = "gprofhub", path = "$WORK/archive")
load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")
gprofhub_repositories()
load("@gprofhub//bazel:debian.bzl", "debian_repositories")
debian_repositories()
END
  cat >"$WORK/$name/.bazelrc" <<END
import $WORK/archive/bazel/gprof.bazelrc
build --noshow_progress --disk_cache=$(cache_folder)/bes-build
build --project_id=$name --remote_instance_name=$name
build --workspace_status_command=$WORK/archive/bazel/status.sh
test --nocache_test_results
END
  git init -q -b main "$WORK/$name"
}
