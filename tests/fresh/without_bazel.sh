#!/bin/bash
# Within another system that has only the archive for any Linux of gprofhub (fresh_test.sh).
set -euo pipefail
cd /root
ldd --version | head -n 1
PATH=$(echo /opt/gprofhub-*/bin):$PATH
gprofhub --version
gprofhub gprof --brief --graph before before.gmon | grep read_token
gprofhub gprof -c --brief --graph before before.gmon | grep read_token
gprofhub serve --data-dir data --listen 127.0.0.1:0 >server.log 2>&1 &
server=$!
until grep -q '^listening on ' server.log; do
  kill -0 "$server" || { cat server.log; exit 1; }
  read -r -t 0.1 <> <(:) || true
done
GPROFHUB_SERVER=$(sed -n 's/^listening on //p' server.log)
export GPROFHUB_SERVER
gprofhub health
BEFORE=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
AFTER=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
gprofhub upload --target //parser:test --image before --commit "$BEFORE" --branch main --wait before.gmon
gprofhub upload --target //parser:test --image after --commit "$AFTER" --branch main --wait after.gmon
gprofhub diff "$BEFORE" "$AFTER" | grep next
