#!/bin/bash
# The pages below a path of another server, in Debian's Chromium: below.cjs. Bazel runs it.
#
#   below_test.sh GPROFHUB MAKE_STORE NODE_MODULES
set -euo pipefail

GPROFHUB=$(realpath -- "$1")
MAKE_STORE=$(realpath -- "$2")
MODULES=$(realpath -- "$3")
PAGE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/page/server.sh
source "$PAGE/server.sh"
begin_pages

"$MAKE_STORE" "$WORK/data"
"$GPROFHUB" token create --project acme --label ann --scope read,acknowledge \
  --data-dir "$WORK/data" >"$WORK/token"
# As long as a key must be.
printf 'a key for pictures, 32 bytes long' >"$WORK/key"
start_pages "$GPROFHUB" "$WORK/data" \
  --http-url http://pages.example/team/gprof.hub/ --picture-key-file "$WORK/key"
NODE_PATH=$MODULES node "$PAGE/below.cjs" "$PAGES" "$WORK" /team/gprof.hub "$WORK/token" "$WORK/key"
