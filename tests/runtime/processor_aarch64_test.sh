#!/bin/sh
# Self-checking programs on aarch64, with the smallest and the largest page that its kernels have:
# the runtime's assumptions on the processor, and the functions' assumptions on their registers
# behind a call of the profiler. No samples: qemu's futex fails at times when their signals arrive.
set -eu
export GPROFHUB_SAMPLE_RATE=0
for program in "$@"; do
    for page in 4096 65536; do
        qemu-aarch64-static -p $page -L /usr/aarch64-linux-gnu "$program"
    done
done
