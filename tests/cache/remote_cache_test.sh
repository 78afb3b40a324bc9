#!/bin/bash
# Real Bazel hands over the files that its build events name to a real server, through the proxy and
# with a certificate.
#
#   tests/cache/remote_cache_test.sh GPROFHUB
#
# It prints PASS or FAIL and a name. The build events go to a file: Bazel uploads the files that
# they name all the same.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
GPROFHUB=$(realpath -- "$1")
# shellcheck source=ci/lib.sh
source "$ROOT/ci/lib.sh"
WORK=$(cache_folder)/remote-cache/$(printf '%s' "$ROOT" | sha256sum | cut -c 1-12)
rm -rf -- "$WORK"
mkdir -p "$WORK/repository"
cd "$WORK/repository"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

processes=()
finish() {
  local process
  for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
  wait 2>/dev/null || true
}
trap finish EXIT

bazel_here() {
  local options=()
  if [[ -n ${GPROFHUB_OUTPUT_BASES:-} ]]; then
    options+=("--output_base=$GPROFHUB_OUTPUT_BASES/remote-cache")
  fi
  bazel "${options[@]}" --nohome_rc --host_jvm_args=-Xmx700m --max_idle_secs=30 "$@"
}

make_repository() {
  cp "$ROOT/bazel/debian.bzl" .
  echo "import $ROOT/bazel/gprof.bazelrc" >.bazelrc
  cat >WORKSPACE <<'END'
load("//:debian.bzl", "debian_repositories")
debian_repositories()
END
  cat >BUILD <<'END'
sh_test(name = "small_test", size = "small", srcs = ["small_test.sh"])
sh_test(name = "large_test", size = "small", srcs = ["large_test.sh"])
genrule(name = "made", outs = ["made.txt"], cmd = "echo made by an action of $$RANDOM > $@")
sh_test(name = "data_test", size = "small", srcs = ["small_test.sh"], data = [":made"])
END
  cat >small_test.sh <<'END'
#!/bin/bash
echo "a line of the log"
echo "a profile" >"$TEST_UNDECLARED_OUTPUTS_DIR/profile.txt"
END
  cat >large_test.sh <<'END'
#!/bin/bash
head -c 3000000 /dev/urandom >"$TEST_UNDECLARED_OUTPUTS_DIR/large.bin"
END
  chmod +x ./*_test.sh
}

# start NAME COMMAND…: sets address to where it listens.
start() {
  local name=$1
  shift
  : >"$WORK/$name.out"  # it is read before the command may have begun
  "$@" >"$WORK/$name.out" 2>"$WORK/$name.log" &
  processes+=($!)
  address=$(timeout 60 sed -n '/^listening on /{s///p;q}' <(tail -n +1 -f --pid=$! "$WORK/$name.out"))
  [[ -n $address ]] || die "$name did not start: $(cat "$WORK/$name.log")"
}

# SQL on the server's store.
ask() {
  python3 - "$WORK/data/gprofhub.db" "$1" <<'END'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row)
END
}

# tests OPTIONS… TARGETS…: runs the tests and leaves their events in events.json.
tests() {
  bazel_here test --noshow_progress --nosandbox_debug --nocache_test_results \
    --build_event_json_file="$WORK/events.json" "$@" >"$WORK/bazel.log" 2>&1
}

tests_through_proxy() {
  tests --remote_cache="grpc://$proxy" "$@"
}

no_complaints() {
  ! grep -E 'WARNING|ERROR|rror:' "$WORK/bazel.log"
}

# Names of the events' files that end so, as "sha256 size".
named() {
  python3 - "$WORK/events.json" "$1" <<'END'
import json, re, sys
for line in open(sys.argv[1]):
    for file in json.loads(line).get("testResult", {}).get("testActionOutput", []):
        found = re.match(r"bytestream://.*/blobs/([0-9a-f]{64})/(\d+)$", file.get("uri", ""))
        if file["name"] == sys.argv[2]:
            print(*(found.groups() if found else ["not handed over:", file.get("uri")]))
END
}

held() {
  ask "SELECT name, size FROM transfer_blob WHERE upload = '' AND project = 'db' ORDER BY name"
}

# The server has this number of the events' files of this name.
has_files() {
  local count=$1 name=$2 file
  named "$name" >"$WORK/named.txt"
  cat "$WORK/named.txt"
  [[ $(wc -l <"$WORK/named.txt") == "$count" ]] || return 1
  held >"$WORK/held.txt"
  while read -r file; do grep -qFx "$file" "$WORK/held.txt" || return 1; done <"$WORK/named.txt"
}

files_of_events_are_handed_over() {
  tests_through_proxy --config=gprof_backend //:small_test || return 1
  no_complaints && has_files 1 test.log && has_files 1 test.outputs__outputs.zip
}

# Also with the default settings.
nothing_else_is_taken() {
  local before after
  tests_through_proxy --config=gprof_backend //:data_test || return 1
  no_complaints || return 1
  bazel_here clean >/dev/null 2>&1
  before=$(held | wc -l)
  tests_through_proxy //:data_test || return 1
  no_complaints || return 1
  after=$(held | wc -l)
  held
  # A log and the outputs of this run, and files of the build that events name: the test's script.
  echo "$before blobs before, $after after"
  sha256sum bazel-bin/made.txt
  ! held | grep -qF "$(sha256sum bazel-bin/made.txt | cut -d ' ' -f 1)"
}

a_large_file_ends_nothing() {
  tests_through_proxy --config=gprof_backend \
    //:large_test //:small_test || return 1
  no_complaints || return 1
  has_files 2 test.log || return 1
  # The large one is named, and is not there.
  named test.outputs__outputs.zip >"$WORK/named.txt"
  cat "$WORK/named.txt"
  held >"$WORK/held.txt"
  [[ $(wc -l <"$WORK/named.txt") == 2 && $(grep -cFxf "$WORK/held.txt" "$WORK/named.txt") == 1 ]]
}

nothing_of_an_upload_is_left_half() {
  [[ $(ask "SELECT count(*) FROM transfer_blob WHERE upload <> ''") == 0 ]] &&
    "$GPROFHUB" admin fsck --data-dir "$WORK/data"
}

a_command_runs_beside_the_proxy() {
  local code=0
  # shellcheck disable=SC2016  # the shell that runs beside expands it
  "$GPROFHUB" proxy --server "$server" --token-file "$WORK/token" --listen 127.0.0.1:0 -- \
    sh -c 'echo "$1" && exit 7' sh 'at {proxy}' >"$WORK/beside.txt" || code=$?
  [[ $code == 7 ]] && grep -E '^at 127\.0\.0\.1:[0-9]+$' "$WORK/beside.txt"
}

# The token's file is reloaded.
a_wrong_token_is_refused_until_it_is_right() {
  cp "$WORK/token" "$WORK/good"
  echo gph_wrong >"$WORK/token"
  ! tests_through_proxy //:small_test || return 1
  grep -q 'UNAUTHENTICATED' "$WORK/bazel.log" || return 1
  tests_through_proxy --remote_local_fallback //:small_test || return 1
  cp "$WORK/good" "$WORK/token"
  tests_through_proxy --config=gprof_backend //:small_test
}

a_server_that_is_away_fails_no_build() {
  tests --remote_cache=grpc://127.0.0.1:9 --remote_local_fallback //:small_test || return 1
  grep -q 'Failed to query remote execution capabilities' "$WORK/bazel.log"
}

make_certificates() {
  (
    cd "$WORK"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority \
      -keyout ca.key -out ca.pem
    local name
    for name in server client stranger; do
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
        -keyout "$name.key" -out "$name.csr"
      openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
        -extfile <(echo 'subjectAltName=IP:127.0.0.1,DNS:localhost') -out "$name.pem"
    done
  ) >"$WORK/openssl.log" 2>&1
}

# Debian's Bazel speaks no TLS, so the proxy shows the certificate.
start_proxy_with_certificate() {
  start "proxy_of_$1" "$GPROFHUB" proxy --server "https://$tls_server" --ca-file "$WORK/ca.pem" \
    --client-cert "$WORK/$1.pem" --client-key "$WORK/$1.key" --listen 127.0.0.1:0
}

a_certificate_stands_for_a_token() {
  tests --remote_cache="grpc://$proxy_of_client" --config=gprof_backend //:small_test || return 1
  no_complaints && has_files 1 test.log || return 1
  ! tests --remote_cache="grpc://$proxy_of_stranger" //:small_test || return 1
  grep -q "UNAUTHENTICATED: the certificate's token is unknown" "$WORK/bazel.log"
}

make_repository
"$GPROFHUB" token create --data-dir "$WORK/data" --project db --scope upload \
  >"$WORK/token" 2>"$WORK/token.log"
start server "$GPROFHUB" serve --data-dir "$WORK/data" --listen 127.0.0.1:0 --max-transfer 1
server=$address
start proxy "$GPROFHUB" proxy --server "$server" --token-file "$WORK/token" --listen 127.0.0.1:0
proxy=$address

check "the files that build events name are handed over" files_of_events_are_handed_over
check "no other file is taken" nothing_else_is_taken
check "a file that is too large ends nothing" a_large_file_ends_nothing
check "no upload is left half, and the store is whole" nothing_of_an_upload_is_left_half
check "a command runs beside the proxy" a_command_runs_beside_the_proxy
check "a token is read anew" a_wrong_token_is_refused_until_it_is_right
check "a server that is away fails no build" a_server_that_is_away_fails_no_build

make_certificates
"$GPROFHUB" token create --data-dir "$WORK/data" --project db --scope upload \
  --certificate "$WORK/client.pem" >"$WORK/token.log" 2>&1
start tls_server "$GPROFHUB" serve --data-dir "$WORK/data" --listen 127.0.0.1:0 \
  --tls-cert "$WORK/server.pem" --tls-key "$WORK/server.key" --tls-client-ca "$WORK/ca.pem"
tls_server=$address
start_proxy_with_certificate client
proxy_of_client=$address
start_proxy_with_certificate stranger
proxy_of_stranger=$address
check "a certificate stands for a token" a_certificate_stands_for_a_token

[ $failures -eq 0 ]
