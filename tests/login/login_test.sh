#!/bin/bash
# Logs in at a real issuer of OpenID Connect, the certified oidc-provider of npm, on loopback, and
# attacks the log-in with forged, replayed and foreign answers of it.
#
#     bazel build //cli:gprofhub
#     tests/login/login_test.sh bazel-bin/cli/gprofhub
set -eu
gprofhub=$(realpath "$1")
sources=$(dirname "$(realpath "$0")")
# shellcheck source=tests/npm.sh
. "$sources/../npm.sh"
enter_npm_folder "$sources"

cp "$sources"/*.js .
"$gprofhub" token create --data-dir data --project acme > token.txt
node login.js "$gprofhub"
