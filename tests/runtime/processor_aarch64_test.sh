#!/bin/sh
# Programs that check themselves, on aarch64, with the smallest and the largest page that its
# kernels have: what the runtime expects of the processor, and what functions may expect of
# their registers when a call of the profiler stands in front of them.
set -eu
for program in "$@"; do
    for page in 4096 65536; do
        qemu-aarch64-static -p $page -L /usr/aarch64-linux-gnu "$program"
    done
done
