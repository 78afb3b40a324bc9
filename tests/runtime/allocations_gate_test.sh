#!/bin/sh
# Code that allocates more, or holds more at the peak, fails a gate on that, and the function that
# does is named.
#     allocations_gate_test.sh GPROFHUB BEFORE AFTER QUANTITY WORDS
set -eu
gprofhub=$PWD/$1
mkdir -p "$TEST_TMPDIR/before" "$TEST_TMPDIR/after"
cp "$2" "$TEST_TMPDIR/before/parser"
cp "$3" "$TEST_TMPDIR/after/parser"
cd "$TEST_TMPDIR"
unset TEST_UNDECLARED_OUTPUTS_DIR
for side in before after; do
    (cd "$side" && GPROFHUB_SAMPLE_RATE=0 GPROFHUB_GMON=program GPROFHUB_PROFILE_DIR=. ./parser)
done

# As docs/runtime.md has it.
cat >gate.json <<END
{"version": 1, "gates": [
  {"name": "memory", "functions": ["$4"], "metrics": ["calls"],
   "verdicts": ["regressed", "new"], "min_cpu_percent": 0, "min_effect_percent": 5}]}
END
status=0
"$gprofhub" check after --base before --policy gate.json >said.txt 2>&1 || status=$?
cat said.txt
[ "$status" -eq 1 ]
grep 'memory: Parse(std::.*)' said.txt | grep -qF "$5"

# The other way round nothing fails.
"$gprofhub" check before --base after --policy gate.json
