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
# shellcheck source=tests/page/checkout.sh
source "$PAGE/checkout.sh"
begin_pages

commits=$(make_checkout "$WORK/checkout")
"$MAKE_STORE" "$WORK/data" "${commits%%$'\n'*}" "${commits##*$'\n'}"
# As long as a key must be, and the same each time.
printf 'a key for pictures, 32 bytes long' >"$WORK/key"
start_pages "$GPROFHUB" "$WORK/data" \
  --http-url http://pages.example --picture-key-file "$WORK/key" \
  --source-checkout "sourced=$WORK/checkout" \
  --source-url "acme=https://forge.example/acme/blob/{commit}/{file}#L{line}" \
  --source-url "sourced=https://forge.example/sourced/blob/{commit}/{file}#L{line}"
NODE_PATH=$MODULES node "$PAGE/made.cjs" "$PAGES" "$WORK" "$WORK/key" \
  "${TEST_UNDECLARED_OUTPUTS_DIR:-}"
