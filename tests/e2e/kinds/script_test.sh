#!/bin/sh
# Three processes of one program: 24 calls.
set -eu
for times in 7 8 9; do
  ./tool "$times"
done
