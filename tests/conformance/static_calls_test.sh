#!/bin/bash
# The static call graph of real code, held to objdump.
set -eu
here="$PWD/tests/conformance"
exec python3 "$here/static_calls.py" "$here/gprof" "$here/programs"
