#!/bin/bash
# Regenerates the pictures that made_pages_test compares with, tests/page/pictures/*.png. Review
# them before committing.
#
#   tests/page/pictures.sh
#   tests/page/pictures.sh FOLDER    takes every page into FOLDER instead: whole, at 1400 and 390
#                                    pixels, in light and dark
set -euo pipefail

FOLDER=${1:+$(realpath -m -- "$1")}
ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$ROOT"
if [[ -n $FOLDER ]]; then
  # shellcheck source=ci/lib.sh
  source ci/lib.sh
  bazel --host_jvm_args=-Xmx1g build //cli:gprofhub //tests/page:make_store
  GPROFHUB_ALL_PICTURES=$FOLDER tests/page/made_pages_test.sh bazel-bin/cli/gprofhub \
    bazel-bin/tests/page/make_store "$(cache_folder)/web/node_modules"
  exit
fi
bazel --host_jvm_args=-Xmx1g test //tests/page:made_pages_test || true
outputs=bazel-testlogs/tests/page/made_pages_test/test.outputs/outputs.zip
unzip -o -q "$outputs" '*.png' -d tests/page/pictures
