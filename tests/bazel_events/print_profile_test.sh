#!/bin/bash
# print_profile.sh over the events of each version of Bazel. Bazel is a program that writes them, and
# gprofhub one that prints its arguments.
set -euo pipefail

readonly HERE=$PWD/tests/bazel_events PRINT=$PWD/bazel/print_profile.sh
readonly WORK=$TEST_TMPDIR
failures=0

mkdir "$WORK/bin" "$WORK/workspace"
cat >"$WORK/bin/bazel" <<'END'
#!/bin/bash
for word in "$@"; do
  case $word in
    --build_event_json_file=*) file=${word#*=} ;;
    --nobuild_event_json_file_path_conversion) local=1 ;;
  esac
done
[[ -n $local ]] && sed "s|file:///golden|file://$GOLDEN|g" "$EVENTS" >"$file"
END
cat >"$WORK/bin/gprofhub" <<'END'
#!/bin/bash
if [[ $1 == info ]]; then
  printf 'program: /w/%s\n' query_test query_test tool
fi
[[ $2 == -b && $3 == -p ]] || exit 0
echo "image ${4#*/bin/}"
for recording in "${@:5}"; do echo "recording $(cat -- "$recording")"; done
END
chmod +x "$WORK"/bin/*
export BUILD_WORKSPACE_DIRECTORY=$WORK/workspace TMPDIR=$WORK

# make_outputs VERSION FOLDER NAME...: each file's text is its name.
make_outputs() {
  local outputs=$GOLDEN/execroot/bazel-out/k8-opt-gprof/testlogs/$2/test.outputs name
  local version=$1
  shift 2
  mkdir -p "$outputs"
  for name in "$@"; do
    mkdir -p "$outputs/$(dirname "$name")"
    printf '%s' "$name" >"$outputs/$name"
  done
  if [[ $version == 4.2.3 || $version == 7.6 ]]; then
    (cd "$outputs" && zip -q -r outputs.zip . && find . -mindepth 1 ! -name outputs.zip -delete)
  fi
}

# make_version VERSION LIB
make_version() {
  export GOLDEN=$WORK/golden_$1 EVENTS=$HERE/testdata/bazel_$1.json
  rm -rf "$GOLDEN"
  make_outputs "$1" db/query_test/shard_1_of_2 query_test.11.gprofhub
  make_outputs "$1" db/query_test/shard_2_of_2 query_test.12.gprofhub
  make_outputs "$1" db/insert_bench 'a picture.png' gprofhub.cases/BM_Insert%2F8/insert_bench.7.gprofhub \
    'gprofhub.cases/BM_T<int>=/insert_bench.8.gprofhub'
  make_outputs "$1" "external/$2/pkg/lib_test" lib_test.21.gprofhub
}

# print_profile: prints; PATH has bazel and gprofhub.
print_profile() {
  PATH=$WORK/bin:$PATH "$PRINT" //db:query_test -- >"$WORK/printed.txt" 2>&1
}

expect() {
  local name=$1
  shift
  if "$@"; then
    echo "PASS: $name"
  else
    echo "FAIL: $name"
    sed 's/^/    /' "$WORK/printed.txt"
    failures=$((failures + 1))
  fi
}

prints_all() {
  print_profile &&
    diff <(grep -E '^(image|recording|==.*flat)' "$WORK/printed.txt" | sed 's|external/lib[~+]|external/lib|g') - <<'END'
== insert_bench of db/insert_bench: flat profile, 2 recording(s)
image db/insert_bench
recording gprofhub.cases/BM_Insert%2F8/insert_bench.7.gprofhub
recording gprofhub.cases/BM_T<int>=/insert_bench.8.gprofhub
== query_test of db/query_test: flat profile, 2 recording(s)
image db/query_test
recording query_test.11.gprofhub
recording query_test.12.gprofhub
== lib_test of external/lib/pkg/lib_test: flat profile, 1 recording(s)
image external/lib/pkg/lib_test
recording lib_test.21.gprofhub
END
}

# Commands of the system, without unzip.
without_unzip() {
  mkdir "$WORK/programs"
  ln -sf /bin/* /usr/bin/* "$WORK/programs/"
  rm "$WORK/programs/unzip"
  PATH=$WORK/programs "$@"
}

says() {
  local status=0
  print_profile || status=$?
  ((status != 0)) && grep -q -- "$1" "$WORK/printed.txt"
}

needs_unzip_for_archives_only() {
  make_version 8.2 lib+
  prints_all || return 1
  make_version 4.2.3 lib
  says 'install the package unzip'
}

names_what_was_not_downloaded() {
  make_version "$1" "$2"
  rm -r "$GOLDEN/execroot"
  says 'add --remote_download_toplevel'
}

follows_no_link() {
  make_version 8.2 lib+
  local outputs=$GOLDEN/execroot/bazel-out/k8-opt-gprof/testlogs/db/query_test/shard_1_of_2/test.outputs
  echo secret >"$WORK/secret"
  ln -sf "$WORK/secret" "$outputs/query_test.11.gprofhub"
  print_profile && ! grep -q secret "$WORK/printed.txt" && grep -q 'recording query_test.12' "$WORK/printed.txt"
}

for version in '4.2.3 lib' '7.6 lib~' '7.6_folders lib~' '8.2 lib+' '9.1 lib+'; do
  # shellcheck disable=SC2086
  make_version $version
  expect "profiles of Bazel ${version% *} are printed" prints_all
done
expect "files that were not downloaded are named" names_what_was_not_downloaded 8.2 lib+
expect "archives that were not downloaded are named" names_what_was_not_downloaded 7.6 lib~
expect "links among outputs are not followed" follows_no_link
expect "unzip is needed for archives only" without_unzip needs_unzip_for_archives_only
((failures == 0))
