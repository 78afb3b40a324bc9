#!/bin/bash
# The first page of an empty server names the commands that upload. They work as they are written, but
# for the build events, which need a Bazel: here they are a single profile. Bazel runs it.
#
#   first_page_test.sh GPROFHUB
set -euo pipefail

GPROFHUB=$(realpath -- "$1")
PAGE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/page/server.sh
source "$PAGE/server.sh"
begin_pages
cd "$WORK"

# The first line of the page that begins with these words, without markup.
line_of_page() {
  sed 's/<[^>]*>/\n/g' "$WORK/page" | grep -m 1 "^$1"
}

# Runs the page's upload command.
upload_as_written() {
  local words
  read -ra words < <(line_of_page "gprofhub upload --bep bep.bin ")
  "$GPROFHUB" "${words[@]:1:1}" --target //a:test --image program --branch main \
    --commit "$(printf 'a%.0s' {1..40})" "${words[@]:4}" gmon.out
}

echo 'int main(void) { return 0; }' >program.c
gcc -pg program.c -o program
./program
mkdir data
start_pages "$GPROFHUB" "$WORK/data"
curl -fsS "$PAGES" >page
line_of_page "bazel test --config=gprof --build_event_binary_file=bep.bin //..." >commands
if grep -q 'U+000A' page; then
  echo "FAIL: the page has an escaped line break"
  exit 1
fi
upload_as_written
curl -fsS "$PAGES" | grep -q 'href="/p/my%2Frepo"'
curl -fsS "${PAGES}p/my%2Frepo/runs" >runs

# With tokens: a visitor who sees no project.
"$GPROFHUB" token create --project other --scope read --data-dir "$WORK/data" >reader
curl -fsS -H "Authorization: Bearer $(cat reader)" "$PAGES" >page
read -ra words < <(line_of_page "gprofhub token create ")
"$GPROFHUB" "${words[@]:1}" --data-dir "$WORK/data" >token
if upload_as_written >refused 2>&1; then
  echo "FAIL: an upload without a token"
  exit 1
fi
GPROFHUB_TOKEN=$(cat token) upload_as_written
