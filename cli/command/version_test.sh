#!/bin/bash
# `gprofhub --version` and the newest release of CHANGELOG.md agree with VERSION.
set -eu

fail() {
  echo "FAILED: $*"
  exit 1
}

version=$(cat VERSION)

said=$("$(readlink -f cli/gprofhub)" --version) || fail "--version ends with status $?"
[[ $said == "gprofhub $version" ]] || fail "--version says '$said', VERSION says '$version'"

release=$(sed -n 's/^## \[\([0-9][0-9.]*\)\] - [0-9]\{4\}-[0-9][0-9]-[0-9][0-9]$/\1/p' CHANGELOG.md | head -n 1)
[[ $release == "$version" ]] || fail "CHANGELOG.md's newest release is '$release', VERSION says '$version'"

echo "gprofhub $version"
