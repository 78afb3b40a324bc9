#!/bin/bash
# Artifacts without dependencies: the archive for any Linux, and the server's image. Each runs in an
# empty system, as a user without rights: no shell, no library, no file of this machine. The test
# has a network of its own.
#
#   tests/packages/anywhere_test.sh
#
# It takes the packages that Bazel has built (//packaging:all, //cli:two_profiles). It prints PASS or
# FAIL and a name.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
if [[ -z ${GPROFHUB_PRIVATE_NETWORK:-} ]]; then
  exec bwrap --dev-bind / / --unshare-user --unshare-net --die-with-parent \
    --setenv GPROFHUB_PRIVATE_NETWORK 1 "$ROOT/tests/packages/anywhere_test.sh"
fi
MADE=$ROOT/bazel-bin/packaging
VERSION=$(cat "$ROOT/VERSION")
SERVER=127.0.0.1:7070
server=
work=$(mktemp -d)
finish() {
  stop_server
  chmod -R u+rwX "$work"
  rm -rf -- "$work"
}
stop_server() {
  if [[ -n $server ]]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
  fi
}
trap finish EXIT
cd "$work"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

# in_root FOLDER BWRAP-OPTION... -- COMMAND...: where nothing but the folder is.
in_root() {
  local folder=$1
  shift
  bwrap --bind "$folder" / --proc /proc --dev /dev --tmpfs /tmp --bind "$work/shared" /shared \
    --unshare-user --unshare-pid --die-with-parent --uid 10001 --gid 10001 --clearenv "$@"
}

# started LOG: waits until the server prints that it listens, or has ended.
started() {
  until grep -q '^listening on ' "$1"; do
    if ! kill -0 "$server"; then cat "$1"; return 1; fi
    read -r -t 0.1 <> <(:) || true
  done
}

# asks ARGUMENT...: gprofhub as the caller has configured it in `client`.
asks() {
  "${client[@]}" "$@"
}

says_its_version() {
  [[ $(asks --version) == "gprofhub $VERSION" ]]
}

prints_a_profile() {
  asks gprof --brief --graph /shared/before /shared/before.gmon | tee graph.txt
  grep -q read_token graph.txt || return 1
  # A library finds the calls in the code.
  asks gprof -c --brief --graph /shared/before /shared/before.gmon | grep -q read_token
}

is_healthy() {
  [[ $(asks health) == serving ]]
}

# Two commits, of which the second calls a function more often.
takes_profiles() {
  local name=before commit
  for commit in aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb; do
    asks upload --server "$SERVER" --target //parser:test --image "/shared/$name" \
      --commit "$commit" --branch main --wait "/shared/$name.gmon" || return 1
    name=after
  done
}

compares_them() {
  asks diff --server "$SERVER" aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa \
    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb | tee diff.txt
  grep -q 'next' diff.txt
}

mkdir -p shared
cp "$ROOT"/bazel-bin/cli/testdata/{before,before.gmon,after,after.gmon} shared

# The archive, in an empty folder.
mkdir -p any/opt any/shared any/proc any/dev any/tmp
unpack_archive() {
  tar -C any/opt -xf "$MADE/gprofhub-linux-x86_64.tar.gz"
}
check "the archive for any Linux unpacks" unpack_archive
client=(in_root any "/opt/gprofhub-$VERSION-linux-x86_64/bin/gprofhub")
check "it says its version where nothing else is" says_its_version
check "it prints a profile" prints_a_profile
"${client[@]}" serve --data-dir /shared/data --listen "$SERVER" >any.log 2>&1 &
server=$!
check "it serves" started any.log
check "it says that it is well" is_healthy
check "it takes profiles, and its server analyses them" takes_profiles
check "it compares them" compares_them
stop_server
check "it says so when no server answers" test "$(asks health >/dev/null 2>&1; echo $?)" = 4

has_licences() {
  local folder=any/opt/gprofhub-$VERSION-linux-x86_64
  grep -q '^libc6 .*glibc 2' "$folder/share/doc/gprofhub/NOTICE" || return 1
  [[ -s $folder/share/doc/gprofhub/libc6/copyright && -s $folder/share/doc/gprofhub/LICENSE ]]
}
check "it has the licences of what is in it" has_licences

# The image, opened by another program, and started by its configuration.
open_image() {
  mkdir image
  tar -C image -xf "$MADE/gprofhub-server.oci.tar"
  umoci unpack --rootless --image "image:$VERSION" bundle
  mkdir -p bundle/rootfs/{proc,dev,shared} data
}
of_config() {
  python3 -c 'import json, sys; print(*eval(sys.argv[1], {"config": json.load(open("bundle/config.json"))}), sep="\n")' "$1"
}
is_not_root() {
  [[ $(of_config '[config["process"]["user"]["uid"]]') == 10001 ]]
}
check "umoci opens the image" open_image
check "its user is not root" is_not_root
mapfile -t command < <(of_config 'config["process"]["args"]')
container=(in_root bundle/rootfs --bind data /var/lib/gprofhub)
client=("${container[@]}" "${command[0]}")

refuses_everybody() {
  local status=0
  "${container[@]}" "${command[@]}" >refused.log 2>&1 || status=$?
  cat refused.log
  ((status == 1)) && grep -q token refused.log
}
makes_a_token() {
  asks token create --data-dir /var/lib/gprofhub --project default --label ci --scope upload-main,read >token.txt
  cp token.txt shared/token
}
check "it does not serve everybody" refuses_everybody
check "it makes a token" makes_a_token
"${container[@]}" "${command[@]}" >image.log 2>&1 &
server=$!
check "it serves as its configuration says" started image.log
mapfile -t health < <(python3 - <<'END'
import glob, json
for path in glob.glob("image/blobs/sha256/*"):
    try:
        print(*json.load(open(path))["config"]["Healthcheck"]["Test"][1:], sep="\n")
    except (ValueError, KeyError, TypeError):
        pass
END
)
check "it passes the health check of its configuration" "${container[@]}" "${health[@]}"
client=(in_root bundle/rootfs --setenv GPROFHUB_TOKEN "$(cat token.txt)" "${command[0]}")
check "it takes profiles and analyses them" takes_profiles
check "it compares what was uploaded" compares_them
check "its data is in the volume" test -s data/gprofhub.db
stop_server
check "its health check fails when it does not serve" \
  test "$("${container[@]}" "${health[@]}" >/dev/null 2>&1; echo $?)" != 0
((failures == 0))
