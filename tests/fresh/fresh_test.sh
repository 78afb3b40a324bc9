#!/bin/bash
# From nothing to the first comment: a minimal Debian, the packages, a server, a small repository.
#
#   bazel build //packaging:all
#   tests/fresh/fresh_test.sh [SUITE]
#
# SUITE is bookworm, or another Debian suite known to mmdebstrap; there the archive for any Linux is
# tested in place of the packages. It needs root, mmdebstrap and Debian's mirror; without them it
# prints SKIP and the reason. It prints PASS or FAIL and a name, and the duration of each step.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
suite=${1:-bookworm}
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"
work=$(mktemp -d)
trap 'rm -rf --one-file-system -- "$work"' EXIT
cd "$work"
# shellcheck source=tests/fresh/system.sh
source "$ROOT/tests/fresh/system.sh"

install_packages() {
  cp "$ROOT"/bazel-bin/packaging/*.deb "$SYSTEM/root"
  in_system apt-get update -q || return 1
  in_system apt-get install -q -y --no-install-recommends \
    /root/gprofhub.deb /root/gprofhub-server.deb /root/gprofhub-bazel.deb
}

install_bazel() {
  in_system apt-get install -q -y --no-install-recommends bazel-bootstrap bazel-platforms bazel-rules-java \
    bazel-rules-proto bazel-skylib ca-certificates file g++ git python3 zip
}

first_comment() {
  cp "$ROOT/tests/fresh/first_comment.sh" "$ROOT/tests/packages/small_repository.sh" "$SYSTEM/root"
  in_system bash /root/first_comment.sh
}

unpack_archive() {
  tar -C "$SYSTEM/opt" -xf "$ROOT/bazel-bin/packaging/gprofhub-linux-x86_64.tar.gz"
  cp "$ROOT"/bazel-bin/cli/testdata/{before,before.gmon,after,after.gmon} "$SYSTEM/root"
  cp "$ROOT/tests/fresh/without_bazel.sh" "$SYSTEM/root"
}

why=$(why_no_system)
if [[ -n $why ]]; then echo "SKIP: a minimal Debian: $why"; exit 0; fi
timed "a minimal $suite is made" make_system "$suite"
if [[ $suite == bookworm ]]; then
  timed "the packages are installed" install_packages
  timed "Bazel and a compiler are installed" install_bazel
  timed "a server, two runs of a test, a comment" first_comment
else
  check "the archive for any Linux unpacks" unpack_archive
  timed "it prints a profile, serves, takes profiles and compares" in_system bash /root/without_bazel.sh
fi
((failures == 0))
