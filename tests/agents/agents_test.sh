#!/bin/bash
# An agent asks a server about a real pull request: the official client of the Model Context
# Protocol, with `gprofhub mcp`.
#
#   tests/agents/agents_test.sh GPROFHUB DATA
#
# DATA is the data folder of ./ci/demo; a copy of it is served. It prints PASS or FAIL and a name.
# The client comes from npm.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
GPROFHUB=$(realpath -- "${1:?usage: agents_test.sh GPROFHUB DATA}")
DATA=$(realpath -- "${2:?usage: agents_test.sh GPROFHUB DATA}")
# shellcheck source=tests/npm.sh
source "$ROOT/tests/npm.sh"
server=
leave_npm_folder() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
}
enter_npm_folder "$ROOT/tests/agents"

cp -r -- "$DATA" data
cp "$ROOT/tests/agents/agent.mjs" .
"$GPROFHUB" serve --data-dir data --listen 127.0.0.1:0 --http 127.0.0.1:0 >serve.out 2>serve.log &
server=$!
until grep -q '^listening on ' serve.out 2>/dev/null; do
  kill -0 "$server" || { cat serve.log; exit 1; }
  sleep 0.1
done
node agent.mjs "$GPROFHUB" "$(sed -n 's/^listening on //p' serve.out)" \
  "$(sed -n 's/^pages on //p' serve.out)"
