#!/bin/sh
# Runs a test without address space randomisation, where the machine permits that (containers may
# forbid it). Then code that hashes or sorts addresses has the same counts in every run.
if setarch "$(uname -m)" -R true 2>/dev/null; then
  exec setarch "$(uname -m)" -R "$@"
fi
exec "$@"
