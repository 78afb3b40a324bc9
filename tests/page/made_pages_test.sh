#!/bin/bash
# The pages of runs that are made up, in Debian's Chromium: made.cjs. Bazel runs it.
#
#   made_pages_test.sh GPROFHUB MAKE_STORE NODE_MODULES
#
# Where a picture is not as it was, the new ones are among the test's outputs.
set -euo pipefail

GPROFHUB=$(realpath -- "$1")
MAKE_STORE=$(realpath -- "$2")
MODULES=$(realpath -- "$3")
PAGE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/page/server.sh
source "$PAGE/server.sh"
WORK=$(mktemp -d)
finish() {
  local code=$?
  stop_pages || code=1
  rm -rf -- "$WORK"
  exit "$code"
}
trap finish EXIT

"$MAKE_STORE" "$WORK/data"
start_pages "$GPROFHUB" "$WORK/data" \
  --source-url "acme=https://forge.example/acme/blob/{commit}/{file}#L{line}"
NODE_PATH=$MODULES node "$PAGE/made.cjs" "$PAGES" "$WORK" "${TEST_UNDECLARED_OUTPUTS_DIR:-}"
