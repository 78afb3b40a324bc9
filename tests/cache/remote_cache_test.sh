#!/bin/bash
# Real Bazel hands over the files that its build events name to a real server, with a token
# (--remote_header) and with a client certificate.
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

# tests OPTIONS… TARGETS…: runs the tests and leaves their events in events.json. Bazel writes the
# last events after its client has ended (--bes_upload_mode=fully_async).
tests() {
  local end=$((SECONDS + 60))
  rm -f "$WORK/events.json"
  bazel_here test --noshow_progress --nosandbox_debug --nocache_test_results \
    --build_event_json_file="$WORK/events.json" "$@" >"$WORK/bazel.log" 2>&1 || return
  until grep -qs '"lastMessage":true' "$WORK/events.json"; do
    ((SECONDS < end)) || { echo "events.json has no end"; return 1; }
    sleep 0.1
  done
}

tests_with_token() {
  tests --remote_cache="grpc://$server" --remote_header="authorization=Bearer $token" "$@"
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
  tests_with_token --config=gprof_backend //:small_test || return 1
  no_complaints && has_files 1 test.log && has_files 1 test.outputs__outputs.zip
}

# Also with the default settings.
nothing_else_is_taken() {
  local before after
  tests_with_token --config=gprof_backend //:data_test || return 1
  no_complaints || return 1
  bazel_here clean >/dev/null 2>&1
  before=$(held | wc -l)
  tests_with_token //:data_test || return 1
  no_complaints || return 1
  after=$(held | wc -l)
  held
  # A log and the outputs of this run, and files of the build that events name: the test's script.
  echo "$before blobs before, $after after"
  sha256sum bazel-bin/made.txt
  ! held | grep -qF "$(sha256sum bazel-bin/made.txt | cut -d ' ' -f 1)"
}

a_large_file_ends_nothing() {
  tests_with_token --config=gprof_backend \
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

a_wrong_token_is_refused() {
  local token=gph_wrong
  ! tests_with_token //:small_test || return 1
  grep -q 'UNAUTHENTICATED' "$WORK/bazel.log" || return 1
  tests_with_token --remote_local_fallback //:small_test
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

# start_front CERTIFICATE: sets address to where nginx listens and shows this certificate to
# $tls_server. Debian's Bazel speaks no TLS.
start_front() {
  local name=$1 folder=$WORK/front_of_$1 port
  mkdir -p "$folder"
  port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
  sed -e "s|127\.0\.0\.1:7069|127.0.0.1:$port|" -e "s|gprofhub\.example\.com:7070|$tls_server|" \
    -e 's|grpc_ssl_name .*;|grpc_ssl_name localhost;|' -e "s|ca\.pem|$WORK/ca.pem|" \
    -e "s|client\.pem|$WORK/$name.pem|" -e "s|client\.key|$WORK/$name.key|" \
    "$ROOT/deploy/nginx-bazel.conf" >"$folder/nginx.conf"
  if ((EUID == 0)); then sed -i '1i user root;' "$folder/nginx.conf"; fi
  /usr/sbin/nginx -p "$folder" -e stderr -c "$folder/nginx.conf" -g 'daemon off;' 2>"$folder/log" &
  processes+=($!)
  until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    kill -0 $! 2>/dev/null || die "nginx does not start (ci/setup --tests installs it): $(cat "$folder/log")"
    sleep 0.05
  done
  address=127.0.0.1:$port
}

a_certificate_stands_for_a_token() {
  local end=$((SECONDS + 60))
  tests --remote_cache="grpc://$front_of_client" --bes_backend="grpc://$front_of_client" \
    --config=gprof_backend //:small_test || return 1
  no_complaints && has_files 1 test.log || return 1
  # The same holds for the events that the server gets.
  until [[ $(ask "SELECT project, state FROM invocation") == "db ended" ]]; do
    ((SECONDS < end)) || { ask "SELECT * FROM invocation"; return 1; }
    sleep 0.1
  done
  ! tests --remote_cache="grpc://$front_of_stranger" //:small_test || return 1
  grep -q "UNAUTHENTICATED: the certificate's token is unknown" "$WORK/bazel.log"
}

make_repository
"$GPROFHUB" token create --data-dir "$WORK/data" --project db --scope upload \
  >"$WORK/token" 2>"$WORK/token.log"
start server "$GPROFHUB" serve --data-dir "$WORK/data" --listen 127.0.0.1:0 --max-transfer 1
server=$address
server_process=${processes[-1]}
token=$(cat "$WORK/token")

check "the files that build events name are handed over" files_of_events_are_handed_over
check "no other file is taken" nothing_else_is_taken
check "a file that is too large ends nothing" a_large_file_ends_nothing
check "no upload is left half, and the store is whole" nothing_of_an_upload_is_left_half
check "a wrong token is refused" a_wrong_token_is_refused
check "a server that is away fails no build" a_server_that_is_away_fails_no_build

kill "$server_process"
wait "$server_process"
make_certificates
"$GPROFHUB" token create --data-dir "$WORK/data" --project db --scope upload \
  --certificate "$WORK/client.pem" >"$WORK/token.log" 2>&1
start tls_server "$GPROFHUB" serve --data-dir "$WORK/data" --listen 127.0.0.1:0 \
  --tls-cert "$WORK/server.pem" --tls-key "$WORK/server.key" --tls-client-ca "$WORK/ca.pem"
tls_server=$address
start_front client
front_of_client=$address
start_front stranger
front_of_stranger=$address
check "a certificate stands for a token" a_certificate_stands_for_a_token

[ $failures -eq 0 ]
