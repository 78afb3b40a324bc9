#!/bin/bash
# Counts are compared across environments: the same program raises no alarm in any two of them, a
# changed one raises its own in every two, and an emulator's counts are not compared.
#     alarms_test.sh GPROFHUB BEFORE AFTER
set -euo pipefail
gprofhub=$PWD/$1
declare -A programs=([before]=$PWD/$2 [after]=$PWD/$3)
cd "$TEST_TMPDIR"
unset TEST_UNDECLARED_OUTPUTS_DIR

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# record NAME COMMAND...: both programs in one environment.
environments=()
record() {
    local name=$1 side
    shift
    environments+=("$name")
    for side in before after; do
        mkdir -p "$side/$name"
        cp "${programs[$side]}" "$side/$name/program"
        (cd "$side/$name" && GPROFHUB_SAMPLE_RATE=0 GPROFHUB_GMON=0 GPROFHUB_PROFILE_DIR=. "$@" ./program)
    done
}
record usual env
record again env
# A container may forbid it.
if setarch -R true 2>setarch.txt; then record addresses setarch -R; fi
record no_avx512 env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW
record no_avx env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI2
record no_erms env GLIBC_TUNABLES=glibc.cpu.hwcaps=-ERMS,-FSRM,-SSE4_2,-SSE4_1,-SSSE3
record one_processor taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')"
record stack prlimit --stack=1048576
record variables env FILLER="$(head -c 100000 /dev/zero | tr '\0' x)"
record locale env LC_ALL=C.UTF-8 TZ=Asia/Kathmandu

# compare BASE HEAD STATUS: an alarm is an exit status of 1.
compare() {
    local status=0
    "$gprofhub" diff "$1" "$2" --fail-on=regressed,improved,new,vanished --fail-above=0 >said.txt 2>&1 || status=$?
    [[ $status == "$3" ]] || fail "diff $1 $2 ends with $status: $(cat said.txt)"
}
compared=0
for base in "${environments[@]}"; do
    for head in "${environments[@]}"; do
        compare "before/$base" "before/$head" 0
        compare "before/$base" "after/$head" 1
        grep -q weigh said.txt || fail "diff before/$base after/$head does not name weigh: $(cat said.txt)"
        compared=$((compared + 2))
    done
done
echo "$compared comparisons"

# More calls with more processors are shown, with the reason.
if (($(nproc) > 1)); then
    compare before/one_processor before/usual 0
    grep -q 'processors' said.txt || fail "another number of processors is not named: $(cat said.txt)"
    grep -q 'main calls .* asks for .*the number of processors' said.txt ||
        fail "who asks for the number of processors is not named: $(cat said.txt)"
fi
if command -v qemu-x86_64-static >qemu.txt; then
    record emulator qemu-x86_64-static
    compare before/usual before/emulator 0
    grep -q 'not compared.*qemu' said.txt || fail "an emulator is compared: $(cat said.txt)"
    record old_emulated qemu-x86_64-static -cpu Nehalem
    compare before/emulator before/old_emulated 0
    compare before/emulator after/emulator 1
    grep -q weigh said.txt || fail "under an emulator, weigh is not named: $(cat said.txt)"
fi
