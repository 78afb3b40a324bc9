#!/bin/bash
# Output on a terminal: width, pager, colours, the last line.
set -u

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

gprofhub=$(readlink -f cli/gprofhub)
unset GPROFHUB_SERVER GPROFHUB_PROJECT GPROFHUB_PAGER PAGER NO_COLOR COLUMNS LINES LESS
export HOME=$TEST_TMPDIR TERM=xterm

# on_terminal COLUMNS LINES WORDS...: prints what the command shows on a terminal of that size.
on_terminal() {
  python3 - "$@" <<'END' | tr -d '\r'
import fcntl, os, pty, struct, sys, termios

columns, lines, *words = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    size = struct.pack("HHHH", int(lines), int(columns), 0, 0)
    fcntl.ioctl(1, termios.TIOCSWINSZ, size)
    os.execvp(words[0], words)
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # the child has closed its end
        break
    if not piece:
        break
    os.write(1, piece)
os.waitpid(child, 0)
END
}

# The longest line in columns, without colours.
widest() {
  sed 's/\x1b\[[0-9;]*m//g' "$1" | LC_ALL=C.UTF-8 awk '{ if (length > most) most = length } END { print most + 0 }'
}

# Width: words fit 80 columns; a file has no limit.
export GPROFHUB_PAGER=cat
for columns in 80 100; do
  for words in "help serve" "help" "diff --help" "report --nosuch" \
    "report --server http://ci.example:8080"; do
    # shellcheck disable=SC2086
    on_terminal $columns 24 "$gprofhub" $words >out
    [[ -s out ]] || fail "$words shows nothing"
    (($(widest out) <= columns)) || fail "$words takes $(widest out) of $columns columns"
  done
done
"$gprofhub" help serve >out
(($(widest out) > 100)) || fail "help in a file is wrapped at $(widest out) columns"

# Pager: only on a terminal, and only for long text.
export GPROFHUB_PAGER='sed s/^/paged:/'
on_terminal 80 24 "$gprofhub" help serve >out
grep -q '^paged:Usage: gprofhub serve' out || fail "long help is not paged: $(head -n 3 out)"
on_terminal 80 24 "$gprofhub" --version >out
! grep -q '^paged:' out || fail "short text is paged"
on_terminal 80 24 "$gprofhub" help serve --no-pager >out
! grep -q '^paged:' out || fail "--no-pager does not prevent the pager"
TERM=dumb on_terminal 80 24 "$gprofhub" help serve >out
! grep -q '^paged:' out || fail "a dumb terminal has a pager"
"$gprofhub" help serve >out
! grep -q '^paged:' out || fail "a file has a pager"
GPROFHUB_PAGER=/nonexistent/pager on_terminal 80 24 "$gprofhub" help serve >out
grep -q 'Usage: gprofhub serve' out || fail "without the pager nothing is printed"
unset GPROFHUB_PAGER
PAGER='sed s/^/paged:/' on_terminal 80 24 "$gprofhub" help serve >out
grep -q '^paged:' out || fail "PAGER is not used"
export GPROFHUB_PAGER=cat

# Colours, of a report with a change.
for name in before after; do
  mkdir -p "$TEST_TMPDIR/$name"
  cp "cli/testdata/$name" "cli/testdata/$name.gmon" "$TEST_TMPDIR/$name/"
done
diff=("$gprofhub" diff "$TEST_TMPDIR/before" "$TEST_TMPDIR/after")
has_colors() { grep -q $'\x1b\\[' out; }
on_terminal 80 24 "${diff[@]}" >out
has_colors || fail "a terminal has no colours"
on_terminal 80 24 "${diff[@]}" --color=never >out
! has_colors || fail "--color=never has colours"
NO_COLOR=1 on_terminal 80 24 "${diff[@]}" >out
! has_colors || fail "NO_COLOR has colours"
TERM=dumb on_terminal 80 24 "${diff[@]}" >out
! has_colors || fail "a dumb terminal has colours"
"${diff[@]}" >out
! has_colors || fail "a file has colours"
"${diff[@]}" --color=always >out
has_colors || fail "--color=always has no colours in a file"
NO_COLOR=1 "$gprofhub" --color=always diff "$TEST_TMPDIR/before" "$TEST_TMPDIR/after" >out
has_colors || fail "--color=always does not precede NO_COLOR"

# The verdict is the last line, too, if the report exceeds the screen.
on_terminal 200 6 "${diff[@]}" --color=never >out
[[ -n $(head -n 1 out) && $(tail -n 1 out) == "$(head -n 1 out)" ]] ||
  fail "a report that scrolls ends with '$(tail -n 1 out)'"
on_terminal 200 60 "${diff[@]}" --color=never >out
[[ $(tail -n 1 out) != "$(head -n 1 out)" ]] || fail "a short report repeats its verdict"
(($(grep -c . out) > 5)) || fail "the report is too short for this test"

[[ $failures == 0 ]]
