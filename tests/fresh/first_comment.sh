#!/bin/bash
# Within a fresh system that has the packages, Bazel and a compiler (fresh_test.sh): the steps of
# docs/install.md.
set -euo pipefail
# shellcheck source=tests/packages/small_repository.sh
source /root/small_repository.sh

getent passwd gprofhub
runuser -u gprofhub -- mkdir -p /tmp/data
runuser -u gprofhub -- gprofhub serve --data-dir /tmp/data --listen 127.0.0.1:0 >/root/server.log 2>&1 &
server=$!
until grep -q '^listening on ' /root/server.log; do
  kill -0 "$server" || { cat /root/server.log; exit 1; }
  read -r -t 0.1 <> <(:) || true
done
GPROFHUB_SERVER=$(sed -n 's/^listening on //p' /root/server.log)
export GPROFHUB_SERVER GPROFHUB_PROJECT=small
gprofhub health

make_small_repository /root/small /usr/share/gprofhub/bazel
cd /root/small
/usr/share/gprofhub/ci/profiled_tests -c opt
git switch -q -c change
change_small_repository /root/small
/usr/share/gprofhub/ci/profiled_tests --budget 1000 --summary /root/comment.md -c opt
cat /root/comment.md
grep -q 'CountWords' /root/comment.md
grep -q 'IsBlank' /root/comment.md
