# shellcheck shell=bash disable=SC2154
# The programs of run.sh and start_up.sh: how they are built, the workloads that they are trained on, and those that
# are held back. Sourced: needs gprofhub, runtime, sources, work and here. Works in the current folder.

# Tcl is not installed: it looks for its library there.
export TCL_LIBRARY=$sources/tcl/library
export BINARYEN_CORES=1  # one thread: its traces and counts repeat
programs=("$@")
if [[ ${#programs[@]} == 0 ]]; then programs=(sqlite tcl protoc binaryen); fi
options="-g1 -ffunction-sections -fno-pie -no-pie -w"

# build_PROGRAM KIND OPTIONS LINK_INPUTS: KIND is plain or pg.
build_sqlite() {
    local flags
    read -r -a flags <<< "$2"
    gcc -O2 "${flags[@]}" -I"$sources/sqlite" -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE -DSQLITE_THREADSAFE=0 \
        -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_OMIT_LOAD_EXTENSION \
        -c "$sources/sqlite/sqlite3.c" -o "sqlite/$1/sqlite3.o"
    gcc -O2 "${flags[@]}" -I"$sources/sqlite" -c "$here/sql_driver.c" -o "sqlite/$1/sql_driver.o"
    echo "gcc -no-pie $PWD/sqlite/$1/sqlite3.o $PWD/sqlite/$1/sql_driver.o $3 -lm" > "sqlite/$1/link"
}
build_tcl() {
    (cd "tcl/$1" && CFLAGS="-O2 $2" LDFLAGS=-no-pie "$sources/tcl/unix/configure" --disable-shared \
        --disable-threads > configure.log &&
        { make -j2 CFLAGS="-O2 $2" tclsh > make.log 2>&1 || true; })
    echo "gcc -no-pie $PWD/tcl/$1/tclAppInit.o $PWD/tcl/$1/libtcl8.6.a $3 -ldl -lz -lpthread -lm" > "tcl/$1/link"
}
build_protoc() {
    find "$sources/protobuf/src/google/protobuf" -name '*.cc' |
        grep -v -i '_test\|test_\|testing\|unittest\|mock\|/plugin.cc\|map_lite_\|lite_test' | sort |
        xargs -P 2 -I{} sh -c "g++ -O1 $2 -std=c++17 -pthread -DHAVE_PTHREAD -I$sources/protobuf/src \
            -c {} -o protoc/$1/\$(echo {} | sed 's|.*google/protobuf/||; s|/|_|g; s|cc\$|o|')"
    echo "g++ -no-pie -pthread $PWD/protoc/$1/*.o $3" > "protoc/$1/link"
}

build_binaryen() {
    local tool=binaryen/$1/src/tools/CMakeFiles/wasm-opt.dir
    cmake -S "$sources/binaryen" -B "binaryen/$1" -DCMAKE_BUILD_TYPE=None -DBUILD_STATIC_LIB=ON \
        -DBUILD_TESTS=OFF -DBUILD_LLVM_DWARF=OFF -DENABLE_WERROR=OFF -DCMAKE_CXX_FLAGS="-O1 $2" \
        -DCMAKE_EXE_LINKER_FLAGS=-no-pie > "binaryen/$1.log"
    make -C "binaryen/$1" -j2 wasm-opt >> "binaryen/$1.log"
    echo "g++ -no-pie -pthread $(find "$PWD/$tool" -name '*.o' | sort | tr '\n' ' ') \
        $PWD/binaryen/$1/lib/libbinaryen.a $3" > "binaryen/$1/link"
}

# workloads of PROGRAM: the held-out one and the training ones, one a line, "NAME ARGS".
workloads_sqlite() {
    for file in "$here"/sqlite/*.sql; do echo "$(basename "$file" .sql) $file"; done
}
workloads_tcl() {
    echo "held_out $here/held_out.tcl"
    for name in append clock dict expr list lsearch namespace oo regexp string trace proc; do
        echo "$name $sources/tcl/tests/$name.test"
    done
}
workloads_protoc() {
    local p=$sources/protobuf/src g=$sources/protobuf/src/google/protobuf out=$work/out
    mkdir -p "$out"
    echo "held_out -I$p --cpp_out=$out --python_out=$out $g/type.proto $g/compiler/plugin.proto"
    echo "cpp_any -I$p --cpp_out=$out $g/any.proto $g/duration.proto"
    echo "java_api -I$p --java_out=$out $g/api.proto $g/type.proto"
    echo "python_desc -I$p --python_out=$out $g/descriptor.proto"
    echo "csharp_struct -I$p --csharp_out=$out $g/struct.proto"
    echo "desc_set -I$p --descriptor_set_out=$out/d.bin --include_source_info $g/wrappers.proto"
    echo "cpp_lite -I$p --cpp_out=lite:$out $g/field_mask.proto $g/empty.proto"
    echo "ruby -I$p --ruby_out=$out $g/timestamp.proto $g/struct.proto"
    echo "error -I$p --cpp_out=$out $g/nonexistent.proto"
    echo "objc -I$p --objc_out=$out $g/source_context.proto"
    echo "encode -I$p --encode=google.protobuf.Any $g/any.proto"
}

workloads_binaryen() {
    local t=$sources/binaryen/test out="-o $work/out/x.wasm"
    mkdir -p "$work/out"
    echo "held_out -O3 $t/passes/fannkuch0_dwarf.wasm $out"
    echo "features -O2 --all-features $t/kitchen_sink.wast $out"
    echo "size -Oz $t/passes/licm.wast -S $out"
    echo "metrics -O3 --metrics $t/passes/O3_low-memory-unused_metrics.wast $out"
    echo "simd -O1 --all-features $t/simd.wast $out"
    echo "print --print --all-features $t/passes/remove-unused-brs_enable-multivalue.wast"
    echo "fuzz -ttf --all-features $t/passes/fuzz_metrics_noprint.wasm $out"
    echo "inline --inlining-optimizing --simplify-globals $t/passes/precompute_all-features.wast --all-features $out"
    echo "stack_ir -O2 --generate-stack-ir --optimize-stack-ir --print-stack-ir $t/passes/O2_print-stack-ir.wast"
    echo "flatten --flatten --rereloop -O2 $t/passes/merge-locals_all-features.wast --all-features $out"
    echo "gc -O2 --all-features $t/heap-types.wast $out"
    echo "error -O2 $t/nonexistent.wast"
}

# The least that each program can do, for the time until it is initialised: held back, too.
start_of() { # PROGRAM
    local file=$work/start.$1
    case $1 in
        sqlite) echo "SELECT 1;" > "$file"; echo "$file" ;;
        tcl) : > "$file"; echo "$file" ;;
        protoc)
            echo 'syntax = "proto3"; message Empty {}' > "$work/start.proto"
            echo "-I$work --descriptor_set_out=$work/start.bin $work/start.proto"
            ;;
        binaryen) echo "(module)" > "$file.wast"; echo "$file.wast -o $work/start.wasm" ;;
    esac
}

prepare() { # PROGRAM
    local program=$1 kind name args
    for kind in plain pg; do
        [ -x "$program/$kind/app" ] && continue
        mkdir -p "$program/$kind"
        if [ $kind = pg ]; then
            "build_$program" pg "$options -pg" "-pg $runtime"
        else
            "build_$program" plain "$options" ""
        fi
        $(cat "$program/$kind/link") -fuse-ld=lld -o "$program/$kind/app"
    done
    { "workloads_$program"; echo "start $(start_of "$program")"; } | while read -r name args; do
        [ -e "$program/done.$name" ] && continue
        # shellcheck disable=SC2086 # several arguments
        if [ "$name" = held_out ] || [ "$name" = start ]; then
            valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$program/plain/app" $args \
                9>&1 > /dev/null 2> /dev/null < /dev/null |
                "$gprofhub" order --replay - --binary "$program/plain/app" \
                    --store-trace "$program/trace.$name"
            # For the order that knows the workload.
            mkdir -p "$program/known/$name"
            echo "$args" > "$program/known/$name.args"
            GPROFHUB_PROFILE_DIR=$PWD/$program/known/$name "$program/pg/app" $args \
                < /dev/null > /dev/null 2>&1 || true
        else
            # gmon files are for gprof; gprofhub reads the recordings.
            mkdir -p "$program/runs/$name" "$program/gmon/$name"
            GPROFHUB_PROFILE_DIR=$PWD/$program/runs/$name \
                GMON_OUT_PREFIX=$PWD/$program/gmon/$name/gmon "$program/pg/app" $args \
                < /dev/null > /dev/null 2>&1 || true
        fi
        touch "$program/done.$name"
    done
}

# Subset 0 is all training runs. Each other subset lacks about a quarter of them.
in_subset() { # NUMBER_OF_RUN SUBSET
    local drawn
    drawn=$(echo "$2 $1" | sha256sum | cut -c 1-8)
    [ "$2" = 0 ] || [ $((16#$drawn % 4)) != 0 ]
}

