#!/bin/bash
# The pages of a server with the runs of a real program, in Debian's Chromium: each page, and the
# two ways that people go. made_pages_test.sh tests all else, with runs that are made up.
#
#   tests/page/page_test.sh GPROFHUB DATA
#
# DATA is the data folder of ./ci/demo, which has a main line and a pull request; a copy of it is
# served. It prints PASS or FAIL and a name.
# Needs what `ci/setup --tests` installs.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
GPROFHUB=$(realpath -- "${1:?usage: page_test.sh GPROFHUB DATA}")
DATA=$(realpath -- "${2:?usage: page_test.sh GPROFHUB DATA}")
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
# shellcheck source=tests/page/server.sh
source "$ROOT/tests/page/server.sh"
begin_pages

cp -r -- "$DATA" "$WORK/data"
start_pages "$GPROFHUB" "$WORK/data" \
  --source-url "demo=https://forge.example/sqlite/blob/{commit}/{file}#L{line}"
NODE_PATH=$(cache_folder)/web/node_modules node "$ROOT/tests/page/demo.cjs" "$PAGES" "$WORK"
