#!/bin/bash
# Checks the reporter's requests to GitHub against GitHub's own description of its API: prism is a
# proxy before a fake GitHub and reports requests that deviate from the description. Also checks the
# server's reading of webhooks against GitHub's examples and schemas of them. The packages are those
# of package-lock.json.
#
#     bazel build //tests/forge:github_steps //tests/forge:read_hooks
#     tests/forge/openapi_test.sh bazel-bin/tests/forge/github_steps bazel-bin/tests/forge/read_hooks
set -eu
steps=$(realpath "$1")
read_hooks=$(realpath "$2")
sources=$(dirname "$(realpath "$0")")
# shellcheck source=tests/npm.sh
. "$sources/../npm.sh"
prism=
leave_npm_folder() {
    [ -z "$prism" ] || kill "$prism" 2> /dev/null || true
}
enter_npm_folder "$sources"
node "$sources/slice_description.js" \
    node_modules/@octokit/openapi/generated/api.github.com.deref.json > slice.json

# steps MODE: the steps with prism between. Their own PASS and FAIL lines go to stdout.
steps_through_prism() {
    mkfifo "to.$1" "from.$1"
    "$steps" "$1" < "to.$1" > "from.$1" &
    local worker=$! fake address='' status=0
    exec 3> "to.$1" 4< "from.$1"
    read -r fake <&4
    # Prism takes a free port and prints it. It listens or it ends.
    node_modules/.bin/prism proxy slice.json "$fake" --port 0 > prism.log 2>&1 &
    prism=$!
    while [ -z "$address" ] && kill -0 "$prism" 2> /dev/null; do
        sleep 0.1
        address=$(sed -n 's/.*Prism is listening on \(http:[^ ]*\).*/\1/p' prism.log)
    done
    if [ -z "$address" ]; then
        echo "FAIL: $1: prism does not start"
        cat prism.log
        kill "$worker" "$prism" 2> /dev/null || true
        return 1
    fi
    echo "$address" >&3
    exec 3>&-
    cat <&4
    exec 4<&-
    wait "$worker" || status=$?
    kill "$prism"
    wait "$prism" 2> /dev/null || true
    prism=
    return $status
}

failures=0
steps_through_prism app || failures=1
steps_through_prism token || failures=1
node "$sources/check_hooks.js" "$read_hooks" || failures=1
[ $failures -eq 0 ]
