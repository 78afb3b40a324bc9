#!/bin/bash
# Logs in at a real issuer of OpenID Connect, the certified oidc-provider of npm, on loopback, and
# attacks the log-in with forged, replayed and foreign answers of it.
#
#     bazel build //cli:gprofhub
#     tests/login/login_test.sh bazel-bin/cli/gprofhub
set -eu
gprofhub=$(realpath "$1")
sources=$(dirname "$(realpath "$0")")
for tool in node npm; do
    if ! command -v "$tool" > /dev/null; then
        echo "$tool is not installed; ci/setup --tests installs it" >&2
        exit 1
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder # npm keeps files there

cp "$sources/package.json" "$sources/package-lock.json" "$sources"/*.js .
npm ci --no-audit --no-fund --ignore-scripts > npm.log 2>&1 || { cat npm.log; exit 1; }
"$gprofhub" token create --data-dir data --project acme > token.txt
node login.js "$gprofhub"
