#!/bin/sh
# Reports the commit, branch and pull request of a build to gprofhub, for builds that send their
# events to it (docs/bazel/bes.md):
#
#     build:gprof --workspace_status_command=/usr/share/gprofhub/bazel/bazel/status.sh
#
# It reads the variables of GitHub, GitLab, Buildkite, Jenkins and Gerrit, and asks git for the
# rest. --build_metadata=GPROFHUB_...=VALUE takes precedence. It never fails: a build continues
# without it.

say() {  # say NAME VALUE: prints one line, or nothing if VALUE is empty
  [ -n "$2" ] && printf 'GPROFHUB_%s %s\n' "$1" "$(printf '%s' "$2" | tr '\n\r' '  ')"
}

hash_of() { # hash_of NAME: the full hash of a commit
  git rev-parse --verify --quiet --end-of-options "$1^{commit}" 2>/dev/null
}

# The commit of a branch name in this checkout; CI systems fetch the target as a remote branch.
branch_tip() {
  hash_of "refs/remotes/origin/$1" || hash_of "refs/heads/$1"
}

# event_field PATH: a field of GitHub's event, such as .pull_request.head.sha
event_field() {
  if command -v jq >/dev/null 2>&1; then
    jq -r "$1 // empty" "$GITHUB_EVENT_PATH" 2>/dev/null
  elif command -v python3 >/dev/null 2>&1; then
    python3 - "$1" "$GITHUB_EVENT_PATH" 2>/dev/null <<'PYTHON'
import json, sys
with open(sys.argv[2], encoding="utf-8") as file:
    value = json.load(file)
for name in sys.argv[1].strip(".").split("."):
    value = value.get(name) if isinstance(value, dict) else None
print("" if value is None else value)
PYTHON
  fi
}

commit='' branch='' pull='' target='' base='' link='' fork=false

if [ "$GITHUB_ACTIONS" = true ]; then
  commit=$GITHUB_SHA
  case $GITHUB_REF in refs/heads/*) branch=${GITHUB_REF#refs/heads/} ;; esac
  if [ -n "$GITHUB_HEAD_REF" ]; then
    # GITHUB_SHA is a merge commit that GitHub creates; only the event contains the head.
    branch=$GITHUB_HEAD_REF target=$GITHUB_BASE_REF
    pull=$(event_field .pull_request.number)
    head=$(event_field .pull_request.head.sha)
    [ -n "$head" ] && commit=$head
    head_repo=$(event_field .pull_request.head.repo.id)
    base_repo=$(event_field .pull_request.base.repo.id)
    # Counts as a fork unless both ids are known and equal.
    if [ -z "$head_repo" ] || [ "$head_repo" != "$base_repo" ]; then fork=true; fi
    if [ -z "$pull" ]; then
      pull=${GITHUB_REF#refs/pull/}
      pull=${pull%%/*}
    fi
  fi
  link=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID
elif [ "$GITLAB_CI" = true ]; then
  commit=$CI_COMMIT_SHA branch=$CI_COMMIT_BRANCH link=$CI_JOB_URL target=$CI_DEFAULT_BRANCH
  if [ -n "$CI_MERGE_REQUEST_IID" ]; then
    pull=$CI_MERGE_REQUEST_IID branch=$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME
    target=$CI_MERGE_REQUEST_TARGET_BRANCH_NAME base=$CI_MERGE_REQUEST_DIFF_BASE_SHA
    if [ -n "$CI_MERGE_REQUEST_SOURCE_BRANCH_SHA" ]; then
      commit=$CI_MERGE_REQUEST_SOURCE_BRANCH_SHA base=$CI_MERGE_REQUEST_TARGET_BRANCH_SHA
    fi
    if [ "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID" != "$CI_MERGE_REQUEST_PROJECT_ID" ]; then
      fork=true
    fi
  fi
elif [ "$BUILDKITE" = true ]; then
  [ "$BUILDKITE_COMMIT" != HEAD ] && commit=$BUILDKITE_COMMIT
  branch=$BUILDKITE_BRANCH link=$BUILDKITE_BUILD_URL target=$BUILDKITE_PIPELINE_DEFAULT_BRANCH
  if [ -n "$BUILDKITE_PULL_REQUEST" ] && [ "$BUILDKITE_PULL_REQUEST" != false ]; then
    pull=$BUILDKITE_PULL_REQUEST target=$BUILDKITE_PULL_REQUEST_BASE_BRANCH
    # From a fork unless both are URLs of one repository.
    plain() { printf '%s' "$1" | sed -e 's,^[a-z]*://,,' -e 's,^[^@]*@,,' -e 's,:,/,' -e 's,\.git$,,'; }
    if [ "$(plain "$BUILDKITE_PULL_REQUEST_REPO")" != "$(plain "$BUILDKITE_REPO")" ]; then
      fork=true
    fi
  fi
elif [ -n "$GERRIT_CHANGE_NUMBER" ]; then
  commit=$GERRIT_PATCHSET_REVISION branch=$GERRIT_BRANCH target=$GERRIT_BRANCH
  pull=$GERRIT_CHANGE_NUMBER link=$BUILD_URL
elif [ -n "$JENKINS_URL" ]; then
  commit=$GIT_COMMIT link=$BUILD_URL branch=${BRANCH_NAME:-${GIT_BRANCH#origin/}}
  if [ -n "$CHANGE_ID" ]; then
    pull=$CHANGE_ID branch=$CHANGE_BRANCH target=$CHANGE_TARGET
    [ -n "$CHANGE_FORK" ] && fork=true
  fi
fi

[ -n "$commit" ] || commit=$(hash_of HEAD)
[ -n "$branch" ] || branch=$(git symbolic-ref --quiet --short HEAD 2>/dev/null)
if [ -z "$target" ]; then
  target=$(git symbolic-ref --quiet --short refs/remotes/origin/HEAD 2>/dev/null)
  target=${target#origin/}
  for name in main master; do
    [ -n "$target" ] || { branch_tip "$name" >/dev/null && target=$name; }
  done
fi
# If HEAD is a merge of the change into its target, the base is the target's parent.
if [ "$(hash_of HEAD)" != "$commit" ] && [ "$(hash_of 'HEAD^2')" = "$commit" ]; then
  base=$(hash_of 'HEAD^1')
fi
if [ -z "$base" ] && [ -n "$target" ] && { [ -n "$pull" ] || [ "$target" != "$branch" ]; }; then
  tip=$(branch_tip "$target")
  [ -n "$tip" ] && base=$(git merge-base "$commit" "$tip" 2>/dev/null)
  [ "$base" = "$commit" ] && base=''
fi

say COMMIT "$commit"
say BRANCH "$branch"
say BASE_COMMIT "$base"
say PULL_REQUEST "$pull"
say CI_LINK "$link"
say FROM_FORK "$fork"
say ANCESTORS "$(git rev-list --first-parent --max-count=101 "${base:-$commit}" -- 2>/dev/null |
  grep -vx "$commit" | head -n 100)"
say COMMIT_TIME "$(git show --no-patch --format=%ct "$commit" -- 2>/dev/null)"
# The machine kind, as `gprofhub upload` names it.
if [ -r /proc/cpuinfo ]; then
  model=$(sed -n 's/^model name[[:space:]]*:[[:space:]]*//p' /proc/cpuinfo | head -n 1 | cut -c 1-150)
  count=$(grep -c '^processor' /proc/cpuinfo)
  word=processors
  [ "$count" = 1 ] && word=processor
  [ -n "$model" ] && say MACHINE "$model, $count $word"
fi
exit 0
