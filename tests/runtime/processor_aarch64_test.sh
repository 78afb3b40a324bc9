#!/bin/sh
# What the runtime expects of the processor, on aarch64, with the smallest and the largest
# page that its kernels have.
set -eu
for page in 4096 65536; do
    qemu-aarch64-static -p $page -L /usr/aarch64-linux-gnu "$1"
done
