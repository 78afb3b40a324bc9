#!/bin/sh
# Runs glibc's own tests of gmon against this runtime, linked dynamically, as
# PIE, statically and as static PIE, and the same on aarch64. They come with Debian's
# glibc-source, fetched by package name into a temporary folder; nothing of it is kept.
#
#     bazel build //runtime:gprofhub_runtime //tests/runtime/aarch64:runtime
#     tests/runtime/glibc_tests.sh bazel-bin/runtime/libgprofhub_runtime.a \
#         bazel-bin/tests/runtime/aarch64/libgprofhub_runtime.a
#
# Not run: tst-mcount-overflow (it expects the arc table to overflow, which does
# not happen here) and tst-sprofil, tst-profile-static (profil(3), not gmon).
set -eu
here=$(realpath "$1")
aarch64=$(realpath "$2")
# shellcheck source=tests/check.sh
. "$(dirname "$(realpath "$0")")/../check.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get download glibc-source > download.log 2>&1 || { cat download.log; exit 1; }
dpkg-deb -x glibc-source_*.deb package
tar -xJf package/usr/src/glibc/glibc-*.tar.xz --wildcards '*/gmon/tst-*' --strip-components=2

# run_all NAME RUNTIME GCC GPROF EMULATOR...
run_all() {
    on=$1 runtime=$2 gcc=$3 gprof=$4
    shift 4
    # form, link option, compiler option, checking script
    while read -r form link compile script; do
        name=tst-gmon-$form-$on
        "$gcc" -O2 -pg "$compile" "$link" tst-gmon.c "$runtime" -o "$name"
        GMON_OUT_PREFIX=$name.data GPROFHUB_GMON=program "$@" "./$name"
        check "$name" sh "$script" "$gprof" "./$name" "$name".data.*
    done <<EOF
dynamic -no-pie -fno-pie tst-gmon-gprof.sh
pie -pie -fPIE tst-gmon-gprof.sh
static -static -fno-pie tst-gmon-static-gprof.sh
static-pie -static-pie -fPIE tst-gmon-static-gprof.sh
EOF

    for link in -pie -static; do
        name=tst-mcleanup$link-$on
        "$gcc" -O2 -pg $link tst-mcleanup.c "$runtime" -o "$name"
        check "$name" env GMON_OUT_PREFIX="$name.data" "$@" "./$name"
    done
}

run_all x86-64 "$here" gcc gprof
run_all aarch64 "$aarch64" aarch64-linux-gnu-gcc aarch64-linux-gnu-gprof \
    qemu-aarch64-static -L /usr/aarch64-linux-gnu

[ $failures -eq 0 ]
