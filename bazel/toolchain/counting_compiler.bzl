"""The compiler of --config=gprof: the host's own, with our assembler in front of the real one.

It is a script that takes the compiler's place, and has the assembler beside it. Where a file is
compiled with -pg, it takes that option away and has the assembler put counters into the text (runtime/assembler). Where that cannot
be, it leaves -pg as it is. Then the compiler makes calls of mcount, and the object says so, for a
line in the test's log (runtime/process/entry_points.c).
"""

# Line counts are made in the machine code. These options keep lines separate there: they disable
# loop unrolling, merging of identical branch ends, and conditional moves that replace branches.
_GCC_LINE_OPTIONS = [
    "-fno-unroll-loops",
    "--param=max-completely-peel-times=0",
    "-fno-tree-vectorize",
    "-fno-crossjumping",
    "-fno-tree-tail-merge",
    "-fno-if-conversion",
    "-fno-if-conversion2",
    "-fno-ssa-phiopt",
]
_CLANG_LINE_OPTIONS = [
    "-fno-unroll-loops",
    "-fno-vectorize",
    "-mllvm -enable-tail-merge=false",
    "-mllvm -simplifycfg-sink-common=false",
    "-mllvm -simplifycfg-hoist-common=false",
    "-mllvm -phi-node-folding-threshold=0",
    "-mllvm -two-entry-phi-node-folding-threshold=0",
]

# -dp adds comments that distinguish tail calls from switches. -fno-ipa-ra keeps gcc from relying on
# registers that a callee happens not to change: counters change them.
_GCC_OPTIONS = ["-dp", "-fno-ipa-ra"]
_CLANG_OPTIONS = ["-fno-integrated-as"]

# clang's link-time optimisation generates machine code in the linker, without an assembler. It
# inlines functions together with their calls of mcount; -mfentry calls are inserted after it.
_CLANG_LTO = """\
    -flto | -flto=*) lto="$argument" ;;
    -fno-lto) lto= ;;
"""

# The assembler cannot parse gcc's own calls of mcount in Intel syntax, so nothing is counted.
_GCC_INTEL = """\
    -masm=intel)
      why="not counted: $argument"
      intel=yes
      ;;
"""
_CLANG_INTEL = """\
    -masm=intel) why=$argument ;;
"""

# gcc's LTO step runs the assembler. The objects record what to count.
_GCC_LINK = '-B"$folder/" %{options}'

# Shared objects with counters use the runtime in the program.
_EXPORTS = " ".join(["-Wl,--export-dynamic-symbol=gprofhub_" + symbol for symbol in [
    "register_counters",
    "indirect",
    "tail_call",
    "tail_pointer",
]])

# A sanitizer has a pthread_create, so that the runtime's would not be linked. It calls the
# sanitizer's (runtime/process/pthread_hook.c).
_THREADS = "-Wl,--undefined=gh_pthread_hook"

# A linker may drop a section that nothing names, if it is not told.
FELL_BACK_HEADER = """\
#pragma GCC system_header
#ifdef __has_attribute
#if __has_attribute(retain)
__attribute__((retain))
#endif
#endif
__attribute__((used, section("gprofhub_fell_back"))) static const char gprofhub_this_file[] =
    GPROFHUB_FELL_BACK;
"""

_SCRIPT = """\
#!/bin/bash
# -pg becomes counters in the text. What it is given without -pg is compiled as it always is.
# --gprofhub-count=KINDS says what to count, if not calls alone.
folder=${0%/*}
kept=()     # for mcount
counted=()  # for counters in the text
kinds=
runtime=
source=
lto=
why=
intel=
sanitizer=
compiles=
last=
for argument in "$@"; do
  case $argument in
    --gprofhub-count=*)
      kinds=${argument#*=}
      continue
      ;;
    -pg) kinds=${kinds:-calls} ;;
    -DGPROFHUB_RUNTIME) runtime=yes ;;
%{lto}%{intel}    -m32 | -mx32 | -mcmodel=large | -mcmodel=medium | -target | --target=*)
      why=$argument ;;
    -E | -S | -M | -MM | -fsyntax-only) compiles=no ;;
    -fsanitize=*address* | -fsanitize=*leak* | -fsanitize=*thread* | -fsanitize=*memory*)
      sanitizer=%{threads} ;;
    @*) # Bazel's options for the linker
      if grep -Eqs -e '-fsanitize=.*(address|leak|thread|memory)' "${argument#@}"; then
        sanitizer=%{threads}
      fi
      ;;
  esac
  # What follows -c, and a C or C++ file in the place of an option's value.
  case "$last $argument" in
    "-o "* | "-I "* | *" -"*) ;;
    "-c "* | *.c | *.cc | *.cpp | *.cxx | *.c++ | *.C) source=$argument ;;
  esac
  kept+=("$argument")
  # gprof.bazelrc has frame pointers behind -pg: only mcount needs them.
  if [[ $argument != -pg && "$last $argument" != "-pg -fno-omit-frame-pointer" ]]; then
    counted+=("$argument")
  fi
  last=$argument
done

[[ $source == *.[Ss] || $source == *.sx ]] && kinds=
# The runtime would count its own calls without end, whatever option names its files.
[[ -z $runtime ]] || {
  kept=("${counted[@]}")
  kinds=
}
if [[ $compiles == no || -z $source || -z $kinds ]]; then
  [[ $compiles == no || -n $source ]] || kept=(%{link} "${kept[@]}" $sanitizer %{exports})
  exec %{compiler} "${kept[@]}"
fi

if [[ -z $why && -n $lto ]]; then
  why=$lto
  kept+=(-mfentry)
fi
if [[ -z $why ]]; then
  counted+=(-B"$folder/" -Wa,--gprofhub-count="$kinds" %{options})
  [[ $kinds != *blocks* ]] || counted+=(%{line_options})
  { said=$(%{compiler} "${counted[@]}" 2>&1 1>&3); } 3>&1
  status=$?
  if ((status == 0)); then
    [[ -z $said ]] || printf '%s\\n' "$said" >&2
    exit 0
  fi
  # Somebody stopped it.
  ((status < 128)) || exit "$status"
  # If the compiler takes it with -pg, counters were in the way; otherwise it says what is wrong.
  why=${said##*nothing is counted in this file: }
  [[ $why != "$said" ]] || why="not compiled with counters"
  why=${why%%$'\\n'*}
fi
why=${why//[^[:alnum:] =_.,:;()-]/}
[[ -z $intel ]] || kept=("${counted[@]}")
# What the object says of itself.
exec %{compiler} "${kept[@]}" -include "$folder/fell_back.h" "-DGPROFHUB_FELL_BACK=\\"$source ($why)\\""
"""

def counting_compiler(compiler, is_clang):
    """A script that takes a compiler's place and makes counters in the text of its -pg.

    Args:
      compiler: the real one, as bash reads it.
      is_clang: whether it is clang; otherwise it is gcc.

    Returns:
      The script's text.
    """
    script = _SCRIPT.replace("%{lto}", _CLANG_LTO if is_clang else "")
    script = script.replace("%{intel}", _CLANG_INTEL if is_clang else _GCC_INTEL)
    script = script.replace("%{threads}", _THREADS)
    script = script.replace("%{exports}", _EXPORTS).replace("%{link}", "" if is_clang else _GCC_LINK)
    script = script.replace("%{compiler}", compiler)
    script = script.replace("%{options}", " ".join(_CLANG_OPTIONS if is_clang else _GCC_OPTIONS))
    line_options = _CLANG_LINE_OPTIONS if is_clang else _GCC_LINE_OPTIONS
    return script.replace("%{line_options}", " ".join(line_options))
