#!/bin/bash
# The CI templates (deploy/ci): held against the providers' schemas, and run as the providers run them,
# with real Bazel, a real server and the archive for any Linux.
#
#   bazel build //packaging:all
#   tests/ci_templates/templates_test.sh
#
# It prints PASS or FAIL and a name. Validators and the runner of GitLab's jobs come from npm.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
SOURCES=$ROOT/tests/ci_templates
TEMPLATES=$ROOT/deploy/ci
MADE=$ROOT/bazel-bin/packaging
GPROFHUB=$ROOT/bazel-bin/cli/gprofhub
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
# shellcheck source=tests/packages/small_repository.sh
source "$ROOT/tests/packages/small_repository.sh"
# For this checkout alone. Bazel reuses its outputs for a folder of the same name.
WORK=$(cache_folder)/ci_templates/$(printf '%s' "$ROOT" | sha256sum | cut -c 1-12)
rm -rf -- "$WORK"
mkdir -p "$WORK"
cd "$WORK"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

server=
finish() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; fi
  (cd repository 2>/dev/null && bazel --host_jvm_args=-Xmx1g --max_idle_secs=60 shutdown >/dev/null 2>&1) || true
}
trap finish EXIT

# A CI job has neither the options of this machine's user nor variables of another CI system.
mkdir -p home bin
cat >bin/bazel <<END
#!/bin/bash
exec /usr/bin/bazel --output_user_root=$WORK/bazel --host_jvm_args=-Xmx1g --max_idle_secs=60 "\$@"
END
chmod +x bin/bazel
clean() {
  env -i HOME="$WORK/home" PATH="$WORK/bin:/usr/bin:/bin" TMPDIR="${TMPDIR:-/tmp}" "$@"
}

install_validators() {
  cp "$SOURCES/package.json" "$SOURCES/package-lock.json" .
  npm ci --no-audit --no-fund --ignore-scripts
}
check "validators are installed" install_validators
export NODE_PATH=$WORK/node_modules

# Templates in their providers' formats.

githubs_schemas_hold() {
  mkdir -p .github/workflows
  cp "$TEMPLATES/github/example.yml" .github/workflows/profiles.yml
  node node_modules/.bin/action-validator "$TEMPLATES/github/action.yml" &&
    node node_modules/.bin/action-validator .github/workflows/profiles.yml || return 1
  # It finds mistakes.
  sed 's/using: composite/using: nothing/' "$TEMPLATES/github/action.yml" >.github/action.yml
  ! node node_modules/.bin/action-validator .github/action.yml
}

users_files_are_short() {
  local file lines
  for file in github/example.yml gitlab/example.yml buildkite/example.yml jenkins/Jenkinsfile zuul/example.yaml; do
    lines=$(node "$SOURCES/step.js" lines "$TEMPLATES/$file")
    echo "$file: $lines"
    ((lines > 3 && lines <= 15)) || return 1
  done
}

docs_show_these_files() {
  node -e '
    const fs = require("fs");
    const [docs, ...files] = process.argv.slice(1);
    const text = fs.readFileSync(docs, "utf8");
    for (const file of files) {
      if (!text.includes("\n" + fs.readFileSync(file, "utf8") + "```\n")) throw new Error(file);
    }' "$ROOT/docs/ci.md" "$TEMPLATES"/*/example.y*ml "$TEMPLATES/jenkins/Jenkinsfile"
}

# Others' code is named by its hash, and nothing runs in the main branch's name for strangers.
is_pinned() {
  grep -h 'uses:\|component:\|\.git#\|@Library' "$TEMPLATES"/*/example.y*ml "$TEMPLATES/jenkins/Jenkinsfile" >uses.txt
  cat uses.txt
  [[ $(wc -l <uses.txt) == 5 ]] && ! grep -vE '[@#][0-9a-f]{40}' uses.txt || return 1
  ! grep -rE 'pull_request_target|workflow_run' "$TEMPLATES"
}

check "GitHub's schemas hold for the action and its user's workflow" githubs_schemas_hold
check "the user's files have 15 lines at most" users_files_are_short
check "docs/ci.md shows these files" docs_show_these_files
check "other people's code is pinned" is_pinned

# The repository, its server, and the archive that jobs fetch.

prepare() {
  mkdir archive
  tar -C archive --strip-components=1 -xf "$MADE/gprofhub-bazel.tar.gz"
  make_small_repository "$WORK/repository" "$WORK/archive"
  git init -q --bare --initial-branch=main origin.git
  git -C repository remote add origin "$WORK/origin.git"
  git -C repository push -q origin main
  git -C repository fetch -q
  "$GPROFHUB" token create --data-dir data --project my/repo --label ci --scope upload-main,read >ci.token
}
check "a repository and a token are made" prepare
"$GPROFHUB" serve --data-dir data --listen 127.0.0.1:0 >server.log 2>&1 &
server=$!
until grep -q '^listening on ' server.log; do
  kill -0 "$server" || { cat server.log; exit 1; }
  read -r -t 0.1 <> <(:) || true
done
SERVER=$(sed -n 's/^listening on //p' server.log)
TOKEN=$(cat ci.token)
SHA256=$(sha256sum "$MADE/gprofhub-linux-x86_64.tar.gz" | cut -d ' ' -f 1)
PAGE='https://gprofhub.example/{project}/{run}'
settings() {
  printf '{"server": "%s", "project": "my/repo", "archive": "file://%s", "sha256": "%s", "page-url": "%s"%s}\n' \
    "$SERVER" "$MADE/gprofhub-linux-x86_64.tar.gz" "$SHA256" "$PAGE" "${1:-}"
}
commit() {
  git -C "$WORK/repository" rev-parse HEAD
}

# has_report FILE: that of the change, with a link to the page.
has_report() {
  cat "$1"
  grep -q 'CountWords' "$1" && grep -q 'IsBlank' "$1" &&
    grep -qE '\(https://gprofhub\.example/my/repo/[0-9]+\)' "$1"
}

# is_run COMMIT BRANCH PULL-REQUEST COUNT: how often the server has such a run.
is_run() {
  GPROFHUB_TOKEN=$TOKEN "$GPROFHUB" runs --server "$SERVER" --project my/repo --format=json >runs.json
  node -e '
    const [commit, branch, pull, count] = process.argv.slice(1);
    const runs = JSON.parse(require("fs").readFileSync("runs.json")).runs;
    console.log(JSON.stringify(runs, null, 1));
    const same = runs.filter((run) => run.commit === commit && run.branch === branch &&
        String(run.pull_request ?? "") === pull);
    process.exit(same.length === Number(count) ? 0 : 1);' "$@"
}

# GitHub: the action's step, with the variables of a runner.

# on_github SETTINGS VARIABLE...: the log is github.log, the job's summary summary.md.
on_github() {
  settings "$1" >inputs.json
  shift
  node "$SOURCES/step.js" github "$TEMPLATES/github/action.yml" inputs.json >step.sh
  rm -f summary.md
  (cd repository && clean CI=true GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$WORK/summary.md" \
    GITHUB_SHA="$(commit)" GITHUB_RUN_ID=1 GITHUB_RUN_ATTEMPT=1 GITHUB_JOB=profiles \
    GITHUB_SERVER_URL=https://github.example GITHUB_REPOSITORY=my/repo "$@" \
    bash --noprofile --norc -eo pipefail "$WORK/step.sh") >github.log 2>&1
}

github_profiles_the_main_branch() {
  on_github ", \"token\": \"$TOKEN\"" GITHUB_REF=refs/heads/main GITHUB_EVENT_NAME=push || { cat github.log; return 1; }
  is_run "$(commit)" main '' 1
}

pull_request_event() {
  printf '{"pull_request": {"number": 7, "head": {"sha": "%s", "repo": {"id": %s}}, "base": {"repo": {"id": 1}}}}\n' \
    "$(commit)" "$1" >event.json
}

# Inconclusive tests of one run are run again, within the budget that the job names.
github_reports_on_a_pull_request() {
  git -C repository switch -q -c change
  change_small_repository repository
  pull_request_event 1
  on_github ", \"token\": \"$TOKEN\", \"budget\": \"1000\"" GITHUB_REF=refs/pull/7/merge GITHUB_HEAD_REF=change \
    GITHUB_BASE_REF=main GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH="$WORK/event.json" || { cat github.log; return 1; }
  has_report summary.md && is_run "$(commit)" change 7 2
}

# GitHub issues no token to a fork's job. The job's status is that of its tests.
github_takes_forks() {
  pull_request_event 2
  on_github '' GITHUB_REF=refs/pull/7/merge GITHUB_HEAD_REF=change GITHUB_BASE_REF=main \
    GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH="$WORK/event.json" || { cat github.log; return 1; }
  cat summary.md
  grep -q 'created no report' summary.md
}

github_refuses_another_archive() {
  local status=0
  SHA256=${SHA256//[0-7]/8} on_github ", \"token\": \"$TOKEN\"" GITHUB_REF=refs/heads/main || status=$?
  cat github.log
  ((status != 0)) && ! grep -q 'bazel' github.log
}

check "GitHub: the main branch is profiled" github_profiles_the_main_branch
check "GitHub: a pull request has its report in the job's summary" github_reports_on_a_pull_request
check "GitHub: a fork's job has no token, and does not fail for it" github_takes_forks
check "GitHub: an archive with another hash is not used" github_refuses_another_archive

# GitLab: a runner of its jobs, which holds pipelines against GitLab's schema.

gitlab_reports_on_a_merge_request() {
  mkdir -p repository/templates
  cp "$TEMPLATES/gitlab/templates/profiles.yml" repository/templates
  {
    echo 'include:'
    echo '  - local: templates/profiles.yml'
    echo '    inputs:'
    settings >inputs.json
    # shellcheck disable=SC2016  # the dollars are JavaScript's
    node -e 'const all = JSON.parse(require("fs").readFileSync("inputs.json"));
      for (const [name, value] of Object.entries(all)) console.log(`      ${name}: ${JSON.stringify(value)}`);'
  } >repository/.gitlab-ci.yml
  git -C repository switch -q -c merge
  commit_small_repository repository "A pipeline"
  git -C repository remote set-url origin git@gitlab.example:my/repo.git
  (cd repository && clean node "$WORK/node_modules/.bin/gitlab-ci-local" --cwd . --no-shell-isolation \
    --variable GITLAB_CI=true --variable CI_PIPELINE_SOURCE=merge_request_event \
    --variable CI_COMMIT_SHA="$(cd "$WORK" && commit)" --variable CI_MERGE_REQUEST_IID=8 \
    --variable CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=merge --variable CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main \
    --variable CI_MERGE_REQUEST_SOURCE_PROJECT_ID=1 --variable CI_MERGE_REQUEST_PROJECT_ID=1 \
    --variable GPROFHUB_TOKEN="$TOKEN" gprofhub) >gitlab.log 2>&1 || { cat gitlab.log; return 1; }
  cat gitlab.log
  grep -q 'json schema validated' gitlab.log && has_report repository/gprofhub.md || return 1
  rm repository/gprofhub.md
  is_run "$(commit)" merge 8 1
}
check "GitLab: the schema holds, and a merge request has its report" gitlab_reports_on_a_merge_request

# Buildkite: the plugin's hook, with the variables of an agent, which records its calls.

cat >bin/buildkite-agent <<END
#!/bin/bash
case \$1 in
  oidc) cat "$WORK/oidc" ;;
  annotate) cat >"$WORK/annotation.md" ;;
esac
END
chmod +x bin/buildkite-agent
on_buildkite() {
  settings >inputs.json
  rm -f annotation.md
  {
    node "$SOURCES/step.js" buildkite "$TEMPLATES/buildkite/plugin.yml" inputs.json
    echo "exec '$TEMPLATES/buildkite/hooks/command'"
  } >step.sh
  (cd repository && clean BUILDKITE=true BUILDKITE_COMMIT="$(cd "$WORK" && commit)" BUILDKITE_BRANCH=merge \
    BUILDKITE_BUILD_URL=https://buildkite.example/1 BUILDKITE_PIPELINE_DEFAULT_BRANCH=main \
    BUILDKITE_PULL_REQUEST=9 BUILDKITE_PULL_REQUEST_BASE_BRANCH=main BUILDKITE_JOB_ID=1 \
    BUILDKITE_REPO=git@github.example:my/repo.git "$@" bash "$WORK/step.sh") >buildkite.log 2>&1
}

# The agent's token is the server's here: what an ID token is worth is tested elsewhere.
buildkite_annotates_the_build() {
  cp ci.token oidc
  on_buildkite BUILDKITE_PULL_REQUEST_REPO=git@github.example:my/repo.git || { cat buildkite.log; return 1; }
  cat buildkite.log
  has_report annotation.md && is_run "$(commit)" merge 9 1
}
buildkite_gives_forks_no_token() {
  on_buildkite BUILDKITE_PULL_REQUEST_REPO=git@github.example:stranger/repo.git || { cat buildkite.log; return 1; }
  cat annotation.md
  grep -q 'created no report' annotation.md
}
check "Buildkite: the report is on the build's page" buildkite_annotates_the_build
check "Buildkite: a fork's build gets no token" buildkite_gives_forks_no_token

# Jenkins: the script of the step, with the variables that it sets.

jenkins_keeps_the_report() {
  # The step sets every variable that its script reads.
  diff <(grep -oE '"[A-Z_0-9]+=[$]' "$TEMPLATES/jenkins/vars/gprofhub.groovy" | tr -d '"=$' | grep -v GPROFHUB | sort) \
    <(grep -oE '[$][A-Z_0-9]+' "$TEMPLATES/jenkins/resources/gprofhub.sh" | tr -d '$' | sort -u) || return 1
  (cd repository && clean JENKINS_URL=https://jenkins.example GIT_COMMIT="$(cd "$WORK" && commit)" CHANGE_ID=10 \
    CHANGE_BRANCH=merge CHANGE_TARGET=main BUILD_TAG=jenkins-1 GPROFHUB_SERVER="$SERVER" \
    GPROFHUB_PROJECT=my/repo GPROFHUB_TOKEN="$TOKEN" ARCHIVE="file://$MADE/gprofhub-linux-x86_64.tar.gz" \
    SHA256="$SHA256" TARGETS=//... OPTIONS='-c opt' CONFIG=gprof BUDGET=5 CHECK=false PAGE_URL="$PAGE" \
    bash "$TEMPLATES/jenkins/resources/gprofhub.sh") >jenkins.log 2>&1 || { cat jenkins.log; return 1; }
  cat jenkins.log
  has_report repository/gprofhub.md || return 1
  rm repository/gprofhub.md
  is_run "$(commit)" merge 10 1
}
check "Jenkins: the report is kept with the build" jenkins_keeps_the_report

# Zuul: the playbook's task, with the variables of a change of Gerrit's.

zuul_keeps_the_report() {
  cat >values.json <<END
{"gprofhub_server": "$SERVER", "gprofhub_project": "my/repo", "gprofhub_token.token | default('')": "$TOKEN",
 "gprofhub_archive": "file://$MADE/gprofhub-linux-x86_64.tar.gz", "gprofhub_sha256": "$SHA256",
 "gprofhub_targets": "//...", "gprofhub_options": "-c opt", "gprofhub_config": "gprof", "gprofhub_budget": 5,
 "gprofhub_page_url": "$PAGE", "zuul.commit_id | default(zuul.newrev, true)": "$(commit)",
 "zuul.branch": "main", "zuul.change | default('')": 11}
END
  node "$SOURCES/step.js" zuul "$TEMPLATES/zuul/playbooks/run.yaml" values.json >step.sh
  (cd repository && clean bash "$WORK/step.sh") >zuul.log 2>&1 || { cat zuul.log; return 1; }
  cat zuul.log
  has_report repository/gprofhub.md && is_run "$(commit)" main 11 1
}
check "Zuul: a change of Gerrit's has its report" zuul_keeps_the_report
((failures == 0))
