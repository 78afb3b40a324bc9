#!/bin/bash
# Holds what chats get against the types that Slack and Matrix publish for it. The packages are
# those of package-lock.json.
#
#     bazel build //tests/forge/messages:print_messages
#     tests/forge/messages/messages_test.sh bazel-bin/tests/forge/messages/print_messages
set -eu
print_messages=$(realpath "$1")
sources=$(dirname "$(realpath "$0")")
# shellcheck source=tests/npm.sh
. "$sources/../../npm.sh"
enter_npm_folder "$sources"

"$print_messages" > messages.json
node "$sources/write_check.js" < messages.json > check.ts
if node_modules/.bin/tsc --noEmit --strict --skipLibCheck --module nodenext \
    --moduleResolution nodenext --target es2022 check.ts > tsc.log; then
    echo "PASS: messages: Slack's and Matrix's types take them, and not what is wrong"
else
    echo "FAIL: messages: Slack's and Matrix's types take them, and not what is wrong"
    cut -c 1-300 tsc.log
    exit 1
fi
