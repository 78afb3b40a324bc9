#!/bin/sh
# Writes the corpus of dwarf_lines below the folder given: the debug sections of
# small programs, from the compilers in use, in the form that dwarf_lines.cc
# describes. Needs gcc, clang and objcopy.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 CORPUS_FOLDER" >&2; exit 2; }
out=$1/dwarf_lines
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/a.c" <<'C'
static inline int square(int x) { return x * x; }
int first(int x) { return square(x) + square(x + 1); }
#line 700 "elsewhere/b.h"
int second(int x) { return first(x) - 1; }
C
cd "$work"
build() { # name, compiler, flags...
  name=$1
  shift
  "$@" -ffreestanding -fno-pic -fno-asynchronous-unwind-tables -c a.c -o a.o
  ld -Ttext=0x1000 -e first a.o -o a.out
  : > "$out/$name"
  for section in line info abbrev str line_str; do
    : > part
    objcopy -O binary --only-section=.debug_$section --set-section-flags .debug_$section=alloc \
        a.out part 2> /dev/null || true
    size=$(stat -c %s part)
    # shellcheck disable=SC2059  # two bytes, given as octal escapes
    printf "\\$(printf %o $((size % 256)))\\$(printf %o $((size / 256)))" >> "$out/$name"
    cat part >> "$out/$name"
  done
}
build gcc-dwarf5 gcc -gdwarf-5 -O2
build gcc-dwarf4 gcc -gdwarf-4 -O0
build gcc-dwarf3 gcc -gdwarf-3 -gstrict-dwarf -O1
build gcc-dwarf2 gcc -gdwarf-2 -gstrict-dwarf -O1
build clang-dwarf5 clang -gdwarf-5 -O1
build gcc-dwarf5-64bit gcc -gdwarf-5 -gdwarf64 -O1
