#!/bin/bash
# Type-checks the scripts of the pages with tsconfig.json. Run by Bazel.
#
#   types_test.sh NODE_MODULES
set -euo pipefail

MODULES=$(realpath -- "$1")
HERE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
WORK=$(mktemp -d)
trap 'rm -rf -- "$WORK"' EXIT

# The compiler searches packages in parent directories of the sources.
cp -rL -- "$HERE/src" "$HERE/tsconfig.json" "$WORK"
ln -s "$MODULES" "$WORK/node_modules"
node "$MODULES/typescript/bin/tsc" --project "$WORK"
# It does detect errors.
echo 'export const wrong: number = "text";' >"$WORK/src/wrong.ts"
if node "$MODULES/typescript/bin/tsc" --project "$WORK" >"$WORK/errors"; then
  echo "an error of type was not found"
  exit 1
fi
grep -q 'src/wrong.ts(1,14): error TS2322' "$WORK/errors"
