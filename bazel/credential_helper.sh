#!/bin/sh
# Returns the gprofhub server's token to Bazel 7 and later (docs/bazel/bes.md). Bazel calls a
# credential helper with the argument `get` only, so the settings are variables: GPROFHUB_SERVER, and
# GPROFHUB_TOKEN, GPROFHUB_TOKEN_FILE or those of the CI job.
#
#     build:gprof_common --credential_helper=HOST=/usr/share/gprofhub/bazel/bazel/credential_helper.sh

program=$(command -v gprofhub) || program=$(dirname -- "$0")/../../../../bin/gprofhub
exec "$program" credential-helper "$@"
