#!/bin/bash
# Regenerates the pictures that made_pages_test compares with, tests/page/pictures/*.png. Review
# them before committing.
#
#   tests/page/pictures.sh
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$ROOT"
bazel --host_jvm_args=-Xmx1g test //tests/page:made_pages_test || true
outputs=bazel-testlogs/tests/page/made_pages_test/test.outputs/outputs.zip
unzip -o -q "$outputs" '*.png' -d tests/page/pictures
