#!/bin/sh
# Runs a test without randomised addresses, where the machine allows that. Containers may
# forbid it. Code that hashes or sorts addresses then counts the same in every run.
if setarch "$(uname -m)" -R true 2>/dev/null; then
  exec setarch "$(uname -m)" -R "$@"
fi
exec "$@"
