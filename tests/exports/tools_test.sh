#!/bin/bash
# Opens our exports with the programs they are meant for, and compares what those
# say with the profile: Debian's callgrind_annotate and Go's pprof; speedscope's
# files are checked against the schema that its npm package carries.
#
#     bazel build //cli:gprofhub
#     tests/exports/tools_test.sh bazel-bin/cli/gprofhub
set -eu
gprofhub=$(realpath "$1")
sources=$(dirname "$(realpath "$0")")
pprof=/usr/lib/go-1.19/pkg/tool/linux_amd64/pprof
for tool in callgrind_annotate "$pprof" npm; do
    if ! command -v "$tool" > /dev/null; then
        echo "$tool is not installed; ci/setup --tests installs it" >&2
        exit 1
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder # pprof and npm keep files there

failures=0
check() {
    local name=$1
    shift
    if "$@" > check.log 2>&1; then
        echo "PASS: $name"
    else
        echo "FAIL: $name"
        sed 's/^/    /' check.log
        failures=$((failures + 1))
    fi
}
# contains FILE WORDS...: a line of the file has the words in this order.
contains() {
    local file=$1 pattern
    shift
    pattern=$(printf '.*%s' "$@")
    grep -qE "$pattern" "$file" || { echo "no line has: $*"; cat "$file"; return 1; }
}

gcc -g -O1 -pg "$sources/busy.c" -o busy
./busy
for format in json callgrind pprof folded speedscope; do
    "$gprofhub" gprof "--format=$format" ./busy > "busy.$format"
done

# What the profile holds, from our JSON: microseconds in all, and of leaf for often.
node -e '
const p = JSON.parse(require("fs").readFileSync("busy.json"));
const by = Object.fromEntries(p.functions.map(f => [f.name, f]));
const call = p.calls.find(c => c.caller === by.often.id && c.callee === by.leaf.id);
const total = p.functions.reduce((sum, f) => sum + f.self, 0);
// As pprof prints numbers: two decimals or none.
const micro = units => (units * 1e6).toFixed(2).replace(/\.00$/, "");
// As callgrind_annotate prints numbers: whole, in groups of three digits.
const grouped = units => Math.round(units * 1e6).toLocaleString("en-US");
const below = call.self + call.children;
console.log(micro(total), grouped(total), call.count, micro(below), grouped(below));
' > facts
read -r total grouped_total often_calls often_below grouped_below < facts

check "JSON has the calls gprof has" test "$often_calls" = 60

callgrind_annotate --inclusive=yes --tree=calling --threshold=100 busy.callgrind > annotated 2>&1
check "callgrind_annotate reads all the time" \
    contains annotated "$grouped_total" "PROGRAM TOTALS"
check "callgrind_annotate has main above it all" contains annotated '\(100.0%\)' ":main"
check "callgrind_annotate has the call and its time" \
    contains annotated "$grouped_below" '> ' ':leaf \(60x\)'

"$pprof" -top -cum -unit=us busy.pprof > top 2>&1
check "pprof reads all the time" contains top "${total}us total"
check "pprof has main above it all" contains top " 100%" " main$"
"$pprof" -peek '^leaf$' -unit=us busy.pprof > peek 2>&1
check "pprof shares leaf's time as the call graph does" contains peek "${often_below}us" "often"

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

[ $failures -eq 0 ]
