#!/bin/sh
# Reports the commit, branch and pull request of a build to gprofhub, for builds that send their
# events to it (docs/bazel/bes.md):
#
#     build:gprof_common --workspace_status_command=/usr/share/gprofhub/bazel/bazel/status.sh
#
# `gprofhub bazel-status` reads the variables of the CI system, and asks git for the rest.
# --build_metadata=GPROFHUB_...=VALUE takes precedence. It never fails: a build continues without
# it, and the server reads the CI system's variables that Bazel sends.

program=$(command -v gprofhub) || program=$(dirname -- "$0")/../../../../bin/gprofhub
[ -x "$program" ] && "$program" bazel-status
exit 0
