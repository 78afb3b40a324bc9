#!/bin/bash
# Opens our exports with the programs they are meant for, and compares what those
# show with the profile: Debian's callgrind_annotate and KCachegrind, Go's pprof,
# and npm's speedscope, its page in Chromium and its schema.
#
#     bazel build //cli:gprofhub
#     tests/exports/tools_test.sh bazel-bin/cli/gprofhub
set -eu
gprofhub=$(realpath "$1")
sources=$(dirname "$(realpath "$0")")
root=$(realpath "$sources/../..")
pprof=/usr/lib/go-1.19/pkg/tool/linux_amd64/pprof
for tool in callgrind_annotate kcachegrind chromium "$pprof" npm; do
    if ! command -v "$tool" > /dev/null; then
        echo "$tool is not installed; ci/setup --tests installs it" >&2
        exit 1
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder # these programs keep files there

# shellcheck source=tests/check.sh
. "$sources/../check.sh"

# near FILE PATTERN EXPECTED TOLERANCE: the first number of the first line that
# matches, in microseconds. Viewers round, and sum up what is rounded.
near() {
    local number
    number=$(grep -E -m 1 -- "$2" "$1" | tr -d , | grep -oE '[0-9]+(\.[0-9]+)?' | head -n 1)
    echo "expected $3, found '$number' where $2:"
    cat "$1"
    awk -v a="$number" -v b="$3" -v most="$4" 'BEGIN {exit !(a != "" && a - b <= most && b - a <= most)}'
}

gcc -g -O1 -pg "$sources/busy.c" -o busy
./busy
for format in json callgrind pprof folded speedscope; do
    "$gprofhub" gprof "--format=$format" ./busy > "busy.$format"
done

# The profile's data from our JSON: total microseconds, and those of leaf for often.
node -e '
const p = JSON.parse(require("fs").readFileSync("busy.json"));
const by = Object.fromEntries(p.functions.map(f => [f.name, f]));
const call = p.calls.find(c => c.caller === by.often.id && c.callee === by.leaf.id);
const total = p.functions.reduce((sum, f) => sum + f.self, 0);
console.log(total * 1e6, call.count, (call.self + call.children) * 1e6);
' > facts
read -r total often_calls often_below < facts

check "JSON has the calls gprof has" test "$often_calls" = 60

callgrind_annotate --inclusive=yes --tree=calling --threshold=100 busy.callgrind > annotated 2>&1
check "callgrind_annotate reads all the time" near annotated 'PROGRAM TOTALS' "$total" 2
check "callgrind_annotate has main above it all" near annotated ' \* .*:main ' "$total" 10
check "callgrind_annotate has the call and its time" \
    near annotated '>.*:leaf \(60x\)' "$often_below" 2

not() { ! "$@"; }

# fails_with TEXT COMMAND...: proves that a check is able to fail.
fails_with() {
    local text=$1 status=0
    shift
    "$@" > said 2>&1 || status=$?
    cat said
    [ $status -ne 0 ] && grep -qF -- "$text" said
}

# show NAME FILE: KCachegrind's picture of it, and its error messages.
show() {
    "$sources/kcachegrind.sh" "$2" "$1.graph" "$1.messages" && cat "$1.messages"
}
check "KCachegrind opens the file" show kcachegrind busy.callgrind
check "KCachegrind can read every line" not grep Loading kcachegrind.messages
check "KCachegrind draws every function and call" \
    node "$sources/shown.js" busy.json kcachegrind kcachegrind.graph
sed 's/^calls=60 /calls=61 /; $ a no such line' busy.callgrind > damaged.callgrind
check "KCachegrind opens a damaged file" show damaged damaged.callgrind
check "its complaint of a damaged line is seen" grep 'no such line' damaged.messages
check "a changed count in its graph is seen" \
    fails_with 'call often -> leaf is shown with' \
    node "$sources/shown.js" busy.json kcachegrind damaged.graph

"$pprof" -top -cum -unit=us busy.pprof > top 2>&1
check "pprof reads all the time" near top 'us total$' "$total" 0.1
check "pprof has main above it all" grep -E ' 100% +main$' top
"$pprof" -peek '^leaf$' -unit=us busy.pprof > peek 2>&1
check "pprof shares leaf's time as the call graph does" near peek ' often$' "$often_below" 0.1

# shellcheck disable=SC2016  # awk's variables
check "folded lines add up" \
    awk -v total="$total" '{sum += $NF} END {exit !(sum >= total - NR && sum <= total + NR)}' \
    busy.folded

npm init --yes > npm.log 2>&1
npm install --no-audit --no-fund --ignore-scripts ajv@8 speedscope@1 >> npm.log 2>&1 || cat npm.log
check "speedscope's schema accepts the file" node -e '
const fs = require("fs");
const ajv = new (require("ajv"))({strict: false});
const schema = JSON.parse(
    fs.readFileSync("node_modules/speedscope/dist/release/file-format-schema.json"));
const ok = ajv.validate(schema, JSON.parse(fs.readFileSync("busy.speedscope")));
if (!ok) { console.log(ajv.errorsText()); process.exit(1); }'

# A finding of two builds of a program, as `gprofhub get` prints it.
for calls in 1 8; do
    gcc -pg -g -O1 -DNEXT_PER_PARSE=$calls "$root/cli/testdata/parser.c" -o "parser$calls"
    mkdir -p "runs$calls"
    (cd "runs$calls" && cp "../parser$calls" . && "./parser$calls" > /dev/null)
done
finding=$("$gprofhub" diff runs1 runs8 --format=json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["findings"][0]["id"])')
"$gprofhub" get "$finding" runs1 runs8 > finding.json
cat > valid.js << 'END_OF_SCRIPT'
const fs = require("fs");
const read = (name) => JSON.parse(fs.readFileSync(name));
const ajv = new (require("ajv/dist/2020"))();
const ok = ajv.validate(read(process.argv[2]), read(process.argv[3]));
if (!ok) { console.log(ajv.errorsText()); process.exit(1); }
END_OF_SCRIPT
check "the published schema accepts a finding" \
    node valid.js "$root/docs/schemas/finding.json" finding.json
sed 's/"metric"/"metrics"/' finding.json > other.json
check "the published schema refuses another field" \
    fails_with 'must' node valid.js "$root/docs/schemas/finding.json" other.json
check "speedscope's page opens the file" \
    "$sources/speedscope.sh" node_modules/.bin/speedscope busy.speedscope page.html
check "speedscope's page has every function and its times" \
    node "$sources/shown.js" busy.json speedscope page.html
sed 's/"name":"often"/"name":"never"/' busy.speedscope > damaged.speedscope
check "speedscope's page opens a changed file" \
    "$sources/speedscope.sh" node_modules/.bin/speedscope damaged.speedscope damaged.html
check "a changed name on its page is seen" \
    fails_with 'function often is not shown' \
    node "$sources/shown.js" busy.json speedscope damaged.html

[ $failures -eq 0 ]
