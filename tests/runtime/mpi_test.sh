#!/bin/bash
# Profiles a real MPI job of four ranks (Debian's Open MPI): which ranks leave a
# file under BG_GMON_RANK_SUBSET and mondisable(), and each rank's exact count as
# GNU gprof reads it from that file.
#
#     bazel build //runtime:gprofhub_runtime
#     tests/runtime/mpi_test.sh bazel-bin/runtime/libgprofhub_runtime.a
set -eu
runtime=$(realpath "$1")
root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
if ! command -v mpicc > /dev/null; then
    echo "mpicc is not installed; ci/setup --tests installs it" >&2
    exit 1
fi
mpicc -O1 -g -pg -I "$root" "$root/tests/runtime/mpi_program.c" "$runtime" -o program

# Open MPI refuses root and more ranks than processors by default.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Only shared memory: a machine without a network is enough.
job() { mpirun --oversubscribe --mca btl self,vader -np 4 "$@"; }

failures=0
# expect WHAT RANKS...: just these ranks left a profile, with their counts.
expect() {
    local name=$1 rank calls left wanted='' wrong=''
    shift
    # The ranks' files; next to them are those of shared libraries.
    left=$(find . -name 'gmon.out.[0-9]*' -printf '%f\n' | sort | tr '\n' ' ')
    for rank in "$@"; do
        wanted+="gmon.out.$rank "
        calls=
        if [ -f "gmon.out.$rank" ]; then
            calls=$(gprof -b -p -z program "gmon.out.$rank" | awk '$NF == "turn" {print $4}')
        fi
        if [ "$calls" != $((1000 * (rank + 1))) ]; then
            wrong+="; rank $rank has '$calls' calls of turn"
        fi
    done
    if [ "$left" != "$wanted" ]; then wrong+="; files '$left' instead of '$wanted'"; fi
    if [ -z "$wrong" ]; then
        echo "PASS: $name"
    else
        echo "FAIL: $name$wrong"
        failures=$((failures + 1))
    fi
    rm -f gmon.out.* ./*.gprofhub
}

job ./program > job.log 2>&1 || cat job.log
expect "all ranks" 0 1 2 3
BG_GMON_RANK_SUBSET=2 job -x BG_GMON_RANK_SUBSET ./program > job.log 2>&1 || cat job.log
expect "one rank" 2
BG_GMON_RANK_SUBSET=1:2 job -x BG_GMON_RANK_SUBSET ./program > job.log 2>&1 || cat job.log
expect "a range of ranks" 1 2
GPROFHUB_RANK_SUBSET=0:3:2 job -x GPROFHUB_RANK_SUBSET ./program > job.log 2>&1 || cat job.log
expect "every second rank" 0 2
job ./program without-1 > job.log 2>&1 || cat job.log
expect "a rank that called mondisable" 0 2 3

# The lines of docs/runtime.md as they are written: by root, too, and with fewer
# processors than ranks.
cp "$root/tests/runtime/mpi_program.c" program.c
mkdir -p bazel-bin/runtime
ln -s "$runtime" bazel-bin/runtime/libgprofhub_runtime.a
rm program
documented=$(grep -E '^    (mpicc|[A-Z_]+=[^ ]* mpirun) ' "$root/docs/runtime.md")
(
    unset OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
    CPATH=$root bash -euc "$documented"
) > job.log 2>&1 || cat job.log
expect "the lines of docs/runtime.md" 0 2

[ $failures -eq 0 ]
