# shellcheck shell=bash
# The main job of gprofhub on examples/sqlite, piece by piece. ci/demo shows it, and the end-to-end
# tests check it. Source this file after ci/lib.sh, with these set:
#   ROOT     this repository
#   RESULTS  an empty folder for results, the server's data and the working copy

readonly PROJECT=demo PULL_REQUEST_BRANCH=json-buffer
GPROFHUB=$RESULTS/bin/gprofhub
WORKSPACE=$RESULTS/workspace
SERVER_PID=
PAGES=

# Runs Bazel with a modest server that does not stay for hours.
# GPROFHUB_OUTPUT_BASES keeps Bazel's output below a folder of your choice.
bazel_in() {
  local name=$1 command=$2 options=()
  shift 2
  if [[ -n ${GPROFHUB_OUTPUT_BASES:-} ]]; then
    options+=("--output_base=$GPROFHUB_OUTPUT_BASES/$name")
  fi
  bazel "${options[@]}" --host_jvm_args=-Xmx1g --max_idle_secs=300 "$command" "$@"
}

build_gprofhub() {
  cd "$ROOT" || return
  # Without optimisation it takes half as long to build. ci/test needs this build, too.
  bazel_in gprofhub build --noshow_progress //cli:gprofhub
  local bin
  bin=$(bazel_in gprofhub info bazel-bin 2>/dev/null)
  mkdir -p "$(dirname -- "$GPROFHUB")"
  # This copies the programs, because the next build in another mode turns Bazel's link
  # elsewhere.
  cp -f "$bin/cli/gprofhub" "$bin/cli/gprofhub_commands" "$(dirname -- "$GPROFHUB")"
}

# Runs Bazel in the working copy. The cache lets two releases alternate without another
# compilation.
bazel_in_example() {
  local command=$1
  shift
  (cd "$WORKSPACE" && bazel_in example "$command" --noshow_progress \
    --disk_cache="$(cache_folder)/example-build" "$@")
}

git_in_example() {
  git -C "$WORKSPACE" -c user.name=example -c user.email=example@localhost \
    -c commit.gpgsign=false -c advice.detachedHead=false "$@"
}

# Makes a user's repository: a clone of an origin. The origin's branch main has the
# example as it is here. It loads gprofhub from this repository.
make_workspace() {
  git init -q --bare --initial-branch=main "$RESULTS/origin.git"
  git clone -q "$RESULTS/origin.git" "$WORKSPACE" 2>&1
  git_in_example symbolic-ref HEAD refs/heads/main
  (cd "$ROOT/examples/sqlite" && tar -c --exclude='./bazel-*' .) | tar -x -C "$WORKSPACE"
  sed -i "s|path = \"../..\"|path = \"$ROOT\"|" "$WORKSPACE/WORKSPACE"
  sed -i "s|^import %workspace%/../..|import $ROOT|" "$WORKSPACE/.bazelrc"
}

# put_release RELEASE: SQLite's source in the working copy. It has json.c as a file of its own, as
# SQLite's own repository does: people review such files, and the whole has 9 MB.
put_release() {
  local folder
  folder=$("$ROOT/ci/fetch_sqlite" "$1" | cut -d ' ' -f 3)
  cp "$folder/sqlite3.h" "$WORKSPACE/sqlite/"
  awk -v whole="$WORKSPACE/sqlite/sqlite3.c" -v part="$WORKSPACE/sqlite/json.c" '
    /^\/\*+ Begin file json\.c \*/ { print "#include \"json.c\"" >whole; inside = 1 }
    { print >(inside ? part : whole) }
    /^\/\*+ End of json\.c \*/ { inside = 0 }' "$folder/sqlite3.c"
}

# commit_release RELEASE: the working copy uses that release from this commit on.
commit_release() {
  local version
  version=$("$ROOT/ci/fetch_sqlite" "$1" | cut -d ' ' -f 2)
  put_release "$1"
  git_in_example add -A
  git_in_example commit -q -m "Use SQLite $version"
}

push_main() {
  git_in_example push -q origin main
  git_in_example remote set-head origin main
}

push_release() {
  commit_release "$1"
  push_main
}

# The pull request's commits, with their titles and author, on a branch of their own.
commit_pull_request() {
  git_in_example switch -q -c "$PULL_REQUEST_BRANCH"
  git_in_example am -q "$ROOT/examples/pull_request_17.patch"
}

# run_tests NAME [OPTION...] runs the tests profiled. Their build events go to $RESULTS/NAME.bep. A
# cached result would have the last run's profiles. So the tests are run again unless an option
# overrides that.
run_tests() {
  local name=$1
  shift
  bazel_in_example test -c opt --config=gprof --nocache_test_results \
    --build_event_binary_file="$RESULTS/$name.bep" "$@" //...
}

# Runs gprofhub in the working copy. It hides two kinds of variables: a CI system's,
# which would make it name that job's commit; and those for a server of the user's.
gprofhub_in_example() {
  (cd "$WORKSPACE" && env -u CI -u GITHUB_ACTIONS -u GITLAB_CI -u BUILDKITE -u JENKINS_URL \
    -u GPROFHUB_TOKEN GPROFHUB_PROJECT="$PROJECT" "$GPROFHUB" "$@")
}

# upload_run NAME [OPTION...]
upload_run() {
  gprofhub_in_example upload --bep "$RESULTS/$1.bep" "${@:2}"
}

# start_server PORT: starts the server with pages on this port (0: a free one), and waits until it
# listens. Sets SERVER_PID and PAGES, the address of its pages, and exports GPROFHUB_SERVER. So
# call it in the script's own shell, not as a step.
start_server() {
  local port=$1 log=$RESULTS/server.log address
  "$GPROFHUB" serve --data-dir "$RESULTS/data" --listen 127.0.0.1:0 --http "127.0.0.1:$port" >"$log" 2>&1 </dev/null &
  SERVER_PID=$!
  # It listens or it ends, however long that takes on a busy machine.
  while true; do
    address=$(sed -n 's/^listening on \([^ ]*\).*/\1/p' "$log" 2>/dev/null)
    # shellcheck disable=SC2034  # read by ci/demo
    PAGES=$(sed -n 's/^pages on \(http[^ ]*\).*/\1/p' "$log" 2>/dev/null)
    if [[ -n $address && -n $PAGES ]]; then
      export GPROFHUB_SERVER=$address
      return 0
    fi
    kill -0 "$SERVER_PID" 2>/dev/null || break
    sleep 0.1
  done
  echo "gprofhub serve failed to start. The last lines of $log:" >&2
  tail -n 10 "$log" | sed 's/^/    /' >&2
  return 1
}

stop_server() {
  [[ -n $SERVER_PID ]] || return 0
  kill "$SERVER_PID" 2>/dev/null || true
  wait "$SERVER_PID" 2>/dev/null || true
  SERVER_PID=
}

# Writes the ordering to the place where the example's gprof_ordered_binary expects it,
# and links the test with it.
link_in_order() {
  gprofhub_in_example order --output "$WORKSPACE/ordering.txt"
  cp "$WORKSPACE/ordering.txt" "$RESULTS/ordering.txt"
  bazel_in_example build -c opt //:workload_ordered
}

# placement BINARY ORDERING prints three numbers about the functions that the ordering names: how
# many the binary has, how many of those are in the requested order, and the KiB from the first to
# the last. The second number is the length of the longest increasing subsequence of their places.
placement() {
  local binary=$1 ordering=$2
  nm -n --defined-only "$binary" | awk '
    FNR == NR {
      if ($0 !~ /^#/ && NF && !($1 in place)) { place[$1] = ++asked }
      next
    }
    $2 ~ /^[tTwW]$/ && ($3 in place) && !($3 in seen) { seen[$3] = 1; at[place[$3]] = ++found; hex[found] = $1 }
    END {
      # Patience sorting over the places in memory, taken in the requested order.
      for (i = 1; i <= asked; ++i) {
        if (!(i in at)) continue
        low = 1; high = piles + 1
        while (low < high) {
          middle = int((low + high) / 2)
          if (top[middle] < at[i]) low = middle + 1; else high = middle
        }
        top[low] = at[i]
        if (low > piles) piles = low
      }
      printf "%d %d %s %s\n", found, piles, found ? hex[1] : 0, found ? hex[found] : 0
    }' "$ordering" - | {
    local functions in_order first last
    read -r functions in_order first last
    echo "$functions $in_order $(((16#$last - 16#$first + 1023) / 1024))"
  }
}

unordered_binary() {
  local bin
  bin=$(bazel_in_example info -c opt --config=gprof bazel-bin 2>/dev/null)
  echo "$bin/workload_test"
}

# Bazel's folder for a target under a transition has a name of its own.
ordered_binary() {
  readlink -f "$WORKSPACE/bazel-bin/workload_ordered"
}
