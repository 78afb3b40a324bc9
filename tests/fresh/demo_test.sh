#!/bin/bash
# ./ci/demo in a minimal Debian, from nothing to its end: it installs its dependencies, builds
# gprofhub, and shows it.
#
#   tests/fresh/demo_test.sh [DISK_CACHE]
#
# With a disk cache of Bazel's it compiles nothing that is there. It needs root, mmdebstrap and Debian's mirror. It
# prints PASS or FAIL and a name, and how long each step took. ci/test does not run it: compiling takes too long.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
SHARED=${1:+$(realpath -- "$1")}
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"
work=$(mktemp -d)
trap 'rm -rf --one-file-system -- "$work"' EXIT
cd "$work"
# shellcheck source=tests/fresh/system.sh
source "$ROOT/tests/fresh/system.sh"

# As `git clone` gives it.
copy_tree() {
  mkdir "$SYSTEM/root/gprofhub"
  git -C "$ROOT" archive HEAD | tar -C "$SYSTEM/root/gprofhub" -x
  if [[ -n $SHARED ]]; then echo "build --disk_cache=/shared" >"$SYSTEM/root/.bazelrc"; fi
}

demo() {
  in_system bash -c 'cd /root/gprofhub && ./ci/demo' >demo.txt 2>&1 || { tail -n 40 demo.txt; return 1; }
}

why=$(why_no_system)
if [[ -n $why ]]; then echo "SKIP: the demo from nothing: $why"; exit 0; fi
timed "a minimal bookworm is made" make_system bookworm
check "the tree is copied" copy_tree
timed "the demo runs to its end" demo
cat demo.txt
((failures == 0))
