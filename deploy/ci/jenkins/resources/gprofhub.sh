#!/bin/bash
# The script of the step gprofhub (vars/gprofhub.groovy); its settings are variables.
set -euo pipefail
prefix=/usr
if [[ -n $ARCHIVE ]]; then
  prefix=$(mktemp -d)
  curl -fsSL --retry 3 -o "$prefix/archive" "$ARCHIVE"
  echo "$SHA256  $prefix/archive" | sha256sum --check --quiet
  tar -xzf "$prefix/archive" -C "$prefix" --strip-components=1
fi
gate=()
if [[ $CHECK == true ]]; then gate=(--upload-option=--check); fi
read -r -a bazel_options <<<"$OPTIONS"
read -r -a bazel_targets <<<"$TARGETS"
rm -f gprofhub.md
"$prefix/share/gprofhub/ci/profiled_tests" --tolerant --budget "$BUDGET" --config "$CONFIG" \
  --summary gprofhub.md --page-url "$PAGE_URL" "${gate[@]}" "${bazel_options[@]}" -- "${bazel_targets[@]}"
