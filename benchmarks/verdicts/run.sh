#!/usr/bin/env bash
# Accuracy of the verdicts, measured on real programs whose changes are known.
#
#   benchmarks/verdicts/run.sh [--quick] [PART...] [OPTION...]
#
#   same      A/A: runs of one commit against each other; every alarm is false
#   rebuilt   A/A of binaries built anew (a comment, another directory, link order, …), with
#             address randomisation and without, on a loaded machine and an idle one
#   counts    109 injected count regressions: found, cause first, right line
#   mutations  count regressions by rule, at places drawn in the syntax tree
#   mixed     those of mutations, each with three refactorings of other functions: still first
#   shifts    44 refactorings: no alarm, and named as such
#   moved     refactorings of the real programs by rule, at random places, too: no alarm
#   refactorings  120 refactorings by rule, 30 of them blind: no alarm; a regression
#             added to a third of them comes first
#   toolchains  -O3 for -O2, clang for gcc and others: the toolchain is the finding
#   slow      one function slower by 5, 10, 20, 50%: power and false discoveries,
#             compared with a fixed 10%, Mann-Whitney with Benjamini-Hochberg, and 3 IQR
#   slowed_sources  the same of functions made slower in the source, by rule; and A/A of
#             rebuilt programs
#   history   30 releases with 10 steps: change points found and false
#   scale     two runs of 50,000 functions and 500,000 arcs: time and memory
#   bugs      67 realistic bugs in small programs: found, cause first, right line, said effect
#   data      32 edited initialisers, by rule, that unchanged code loops by: an alarm, or on
#             the rerun list; as many without effect: silent
#   growth    28 tests whose own code or input grows, by rule: no library is blamed
#   agents    regressions of counts and mutations through `explain --format=json` alone: the
#             edited function and its line
#   environments  A/A in other environments: processors, glibc's dispatch, addresses, stack,
#             locale, clock, load, an emulator. Every alarm is false
#
# Without a PART all of them. All comparisons use `gprofhub diff BASE HEAD --format=json`, BASE and
# HEAD being folders with one folder per run.
#
#   --quick             a few cases of each part
#   --programs LIST     of lua,sqlite,leveldb,cjson,mujs,tinyxml2, on which rules were tuned, and
#                       zlib,re2,box2d,tinyscheme,civetweb,jsoncpp,minisat,libyaml,expat,cmark,pugixml,
#                       ninja, on which none was
#   --seeds FIRST-LAST  of mutations, mixed and moved: other draws than 0-3; of refactorings, data and
#                       growth: these alone
#   --gprofhub FILE     the binary to judge with (gprofhub_commands in its folder)
#   --runtime FILE      libgprofhub_runtime.a, to link into the programs
#   --report FILE       the tables and every misjudged case with its command, as Markdown
#
# Without --gprofhub and --runtime both are built. SQLite, LevelDB and RE2 come in npm's
# better-sqlite3, classic-level and re2, the others as Debian's source packages.
#
# Sources, object files, recordings and verdicts are cached under
# ${XDG_CACHE_HOME:-~/.cache}/gprofhub-verdicts, keyed by their inputs. So another gprofhub repeats
# only the comparisons. The first run takes some hours of processor time. Draws are seeded. Recorded
# times depend on the machine. Needs the packages of ci/setup --tests: python3-clang-14 reads the
# sources, gcc and gcov build and run them.
set -euo pipefail

HERE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
case " $* " in
  *' -h '* | *' --help '*)
    sed -n '2,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p'
    exit 0
    ;;
esac
if [[ " $* " != *' --gprofhub '* || " $* " != *' --runtime '* ]]; then
  (cd "$HERE/../.." && bazel build --noshow_progress -c opt //cli:gprofhub //runtime:gprofhub_runtime)
fi
# Debian's, which has python3-clang-14
exec /usr/bin/python3 "$HERE/verdicts.py" "$@"
