# shellcheck shell=bash
# A server with pages, for tests and pictures. Source this file.
#
#   start_pages GPROFHUB DATA [OPTION...]   sets PAGES, the pages' address
#   stop_pages

PAGES=
PAGES_PID=

start_pages() {
  local gprofhub=$1 data=$2 log
  shift 2
  log=$data.log
  : >"$log"
  "$gprofhub" serve --migrate --data-dir "$data" --listen 127.0.0.1:0 --http 127.0.0.1:0 "$@" \
    >>"$log" 2>&1 </dev/null &
  PAGES_PID=$!
  PAGES=
  # It listens or it ends, however long that takes.
  while [[ -z $PAGES ]]; do
    PAGES=$(sed -n 's/^pages on \(http[^ ]*\).*/\1/p' "$log")
    if [[ -z $PAGES ]]; then
      kill -0 "$PAGES_PID" 2>/dev/null || { cat "$log"; return 1; }
      sleep 0.1
    fi
  done
}

stop_pages() {
  [[ -n $PAGES_PID ]] || return 0
  kill "$PAGES_PID" 2>/dev/null || true
  wait "$PAGES_PID" 2>/dev/null || true
  PAGES_PID=
}
