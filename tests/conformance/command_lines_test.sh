#!/bin/bash
# Every command line of command_lines.txt, through the installed gprof and ours.
set -eu
here="$PWD/tests/conformance"
exec python3 "$here/conformance.py" "$here/gprof"
