#!/bin/sh
# The --run_under of the profiling configurations.
#
# A test runs without address space randomisation, where the machine permits that (containers may
# forbid it). Then code that hashes or sorts addresses has the same counts in every run.
#
# --test_env=GPROFHUB_PROFILES_LAST=1: the test sees no file of ours among its outputs. They get there
# when it has ended by itself.
fixed=
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed="setarch $(uname -m) -R"; fi
# shellcheck disable=SC2086 # words of one command
if [ "${GPROFHUB_PROFILES_LAST:-0}" = 0 ] || [ -z "${TEST_UNDECLARED_OUTPUTS_DIR:-}" ]; then
  exec $fixed "$@"
fi
GPROFHUB_PROFILE_DIR=$(mktemp -d "${TEST_TMPDIR:-/tmp}/gprofhub.XXXXXX")
export GPROFHUB_PROFILE_DIR GPROFHUB_SHARED_DIR="$GPROFHUB_PROFILE_DIR"
status=0
# shellcheck disable=SC2086
$fixed "$@" || status=$?
cp -R "$GPROFHUB_PROFILE_DIR/." "$TEST_UNDECLARED_OUTPUTS_DIR/"
rm -rf "$GPROFHUB_PROFILE_DIR"
exit "$status"
