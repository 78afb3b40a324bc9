#!/bin/bash
# The pages of a server with real runs, in Debian's Chromium: each page without an error or a
# violation of its policy, and the two ways that people go: from a comment's link to a finding and
# on to its line, and from a function to its trend.
#
#   tests/page/page_test.sh GPROFHUB DATA
#
# DATA is the data folder of a server that has SQLite's two releases (./ci/demo or
# tests/e2e/sqlite_e2e.sh make one); a copy of it is served. It prints PASS or FAIL and a name.
# Needs what `ci/setup --tests` installs.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
GPROFHUB=$(realpath -- "${1:?usage: page_test.sh GPROFHUB DATA}")
DATA=$(realpath -- "${2:?usage: page_test.sh GPROFHUB DATA}")
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
WORK=$(mktemp -d)
SERVER=
finish() {
  if [[ -n $SERVER ]]; then
    kill "$SERVER" 2>/dev/null || true
    wait "$SERVER" 2>/dev/null || true
  fi
  rm -rf -- "$WORK"
}
trap finish EXIT

cp -r -- "$DATA" "$WORK/data"
: >"$WORK/server.log"
"$GPROFHUB" serve --migrate --data-dir "$WORK/data" --listen 127.0.0.1:0 --http 127.0.0.1:0 \
  --source-url "default=https://forge.example/sqlite/blob/{commit}/{file}#L{line}" \
  >>"$WORK/server.log" 2>&1 </dev/null &
SERVER=$!
# It listens or it ends, however long that takes.
address=
while [[ -z $address ]]; do
  address=$(sed -n 's/^pages on \(http[^ ]*\).*/\1/p' "$WORK/server.log")
  kill -0 "$SERVER" 2>/dev/null || { cat "$WORK/server.log"; exit 1; }
  sleep 0.1
done

NODE_PATH=$(cache_folder)/web/node_modules node "$ROOT/tests/page/browse.cjs" "$address" "$WORK"
