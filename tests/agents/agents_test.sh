#!/bin/bash
# An agent asks a server about a real pull request: the official client of the Model Context
# Protocol, with `gprofhub mcp`, and the protocol's official inspector.
#
#   tests/agents/agents_test.sh GPROFHUB DATA
#
# DATA is the data folder of ./ci/demo; a copy of it is served. It prints PASS or FAIL and a name.
# Both come from npm.
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
address=$(sed -n 's/^listening on //p' serve.out)
pages=$(sed -n 's/^pages on //p' serve.out)
failed=
node agent.mjs "$GPROFHUB" "$address" "$pages" || failed=1

# inspect NAME WANTED ARGUMENT...: the inspector's answer contains WANTED.
inspect() {
  local name=$1 wanted=$2
  shift 2
  # It looks for a package.json above the folder that it is started in.
  if (mkdir -p inspector && cd inspector &&
    node ../node_modules/@modelcontextprotocol/inspector-cli/build/cli.js --cli "$@") >said.json 2>said.txt &&
    grep -qF -- "$wanted" said.json; then
    echo "PASS: $name"
  else
    cat said.json said.txt
    echo "FAIL: $name"
    failed=1
  fi
}
cat >servers.json <<END
{"mcpServers": {"gprofhub": {"command": "$GPROFHUB", "args": ["mcp", "--server", "$address", "--project", "demo"]}}}
END
command=(--config ../servers.json --server gprofhub)
http=("${pages}mcp?project=demo" --transport http)
inspect "the inspector lists the tools" '"name": "function_trend"' "${command[@]}" --method tools/list
inspect "the inspector calls a tool" '"verdict": "regressed"' "${command[@]}" --method tools/call --tool-name compare
inspect "the inspector calls a tool over HTTP" '"verdict": "regressed"' "${http[@]}" --method tools/call --tool-name compare
inspect "the inspector reads a resource over HTTP" '"mimeType": "text/markdown"' "${http[@]}" \
  --method resources/read --uri gprofhub://comparison/latest
[[ -z $failed ]]
