#!/usr/bin/env bash
# False positives on whole repositories that were not used for tuning.
#
#   benchmarks/repositories/run.sh [OPTION...]
#
# Third-party repositories that carry Bazel files are fetched as Debian's source packages and
# profiled by the steps of docs/setup.md, without a network, on a loaded machine. Three states of
# each, in turns:
#
#   base     as it is
#   comment  one comment more, in a file that most tests link
#   planted  the same, and one call made twice
#
# Each run is sent to a server. Then reports are judged:
#
#   first    base against comment, one run each, no history: every alarm is false
#   history  five runs of the base against each comment: the same
#   planted  base against planted, one run each: the planted line leads, alone
#
#   --repositories LIST   of abseil,benchmark,yaml-cpp,double-conversion (default: all)
#   --rounds N            runs of each state (default 5: 20 pairs of base and comment, and 5)
#   --load N              busy processes meanwhile (default: twice the processors)
#   --gprofhub FILE       the binary to judge with (gprofhub_commands in its folder)
#   --report FILE         the tables and every alarm, as Markdown
#   --judge-only          no new runs: reports of those that the server has
#
# Sources, outputs and the server's data are cached under
# ${XDG_CACHE_HOME:-~/.cache}/gprofhub-repositories. The first run builds every test three times.
set -euo pipefail

HERE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
case " $* " in
  *' -h '* | *' --help '*)
    sed -n '2,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p'
    exit 0
    ;;
esac
if [[ " $* " != *' --gprofhub '* ]]; then
  (cd "$HERE/../.." && bazel build --noshow_progress -c opt //cli:gprofhub)
fi
exec python3 "$HERE/measure.py" "$@"
