# shellcheck shell=bash
# A server with pages, for tests and pictures. Source this file.
#
#   begin_pages                             makes WORK, an empty folder until the script ends, which
#                                           stops the server
#   start_pages GPROFHUB DATA [OPTION...]   sets PAGES, the pages' address
#   stop_pages                              fails, and prints the server's log, if it died

PAGES=
PAGES_PID=
PAGES_LOG=

begin_pages() {
  WORK=$(mktemp -d)
  trap end_pages EXIT
}

end_pages() {
  local code=$?
  stop_pages || code=1
  rm -rf -- "$WORK"
  exit "$code"
}

start_pages() {
  local gprofhub=$1 data=$2 log
  shift 2
  log=$data.log
  PAGES_LOG=$log
  : >"$log"
  "$gprofhub" serve --data-dir "$data" --listen 127.0.0.1:0 --http 127.0.0.1:0 "$@" \
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
  local pid=$PAGES_PID code=0
  [[ -n $pid ]] || return 0
  PAGES_PID=
  # After the signal it ends with 0. Any other status is a crash.
  kill "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || code=$?
  ((code != 0)) || return 0
  echo "The server with the pages ended with status $code. The end of its log:"
  tail -n 100 "$PAGES_LOG" | sed 's/^/    /'
  return 1
}
