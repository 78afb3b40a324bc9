#!/bin/sh
# Writes the corpus of elf_symbols below the folder given: tiny linked programs
# of both classes and byte orders, with DWARF 4 and 5. Needs clang, ld.lld and, as lld
# does not link the old ABI of 64-bit PowerPC, powerpc64-linux-gnu-ld.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 CORPUS_FOLDER" >&2; exit 2; }
out=$1/elf_symbols
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/a.c" <<'C'
static int square(int x) { return x * x; }
int twice(int x) { return square(x) + square(x); }
void _start(void) { twice(3); }
C
cd "$work"
link_option=
build() { # name, target, debug options...
  name=$1
  target=$2
  shift 2
  clang --target="$target" "$@" -fdebug-compilation-dir=/src -ffreestanding -fno-pic -fno-asynchronous-unwind-tables -c a.c -o a.o
  ld.lld --build-id=sha1 -z separate-code --no-rosegment -z max-page-size=64 -z common-page-size=64 \
      --noinhibit-exec $link_option a.o -o "$name"
}
build x86_64-dwarf5 x86_64-linux-gnu -gdwarf-5
build x86_64-dwarf4 x86_64-linux-gnu -gdwarf-4
build i386-dwarf5 i386-linux-gnu -gdwarf-5
build powerpc-dwarf4 powerpc-linux-gnu -gdwarf-4
build mips64-dwarf4 mips64-linux-gnuabi64 -gdwarf-4
build aarch64-dwarf5 aarch64-linux-gnu -gdwarf-5
link_option=--compress-debug-sections=zlib
build aarch64-compressed aarch64-linux-gnu -gdwarf-4
link_option=
build x86_64-nodebug x86_64-linux-gnu -g0
clang --target=powerpc64-linux-gnu -mabi=elfv1 -gdwarf-4 -fdebug-compilation-dir=/src -ffreestanding \
    -fno-pic -fno-asynchronous-unwind-tables -c a.c -o a.o
powerpc64-linux-gnu-ld --build-id=sha1 -z max-page-size=64 -z common-page-size=64 a.o -o powerpc64-elfv1
rm a.c a.o
mv ./* "$out"

chmod -x "$out"/*
