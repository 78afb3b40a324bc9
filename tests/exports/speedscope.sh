#!/bin/sh
# Opens a profile as speedscope's command does, in a headless browser instead of
# the user's, and writes down the page: its title, and the table of functions.
#
#     speedscope.sh COMMAND PROFILE PAGE
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The command writes a script with the profile, and prints the address that it opens.
TMPDIR=$folder BROWSER=true DISPLAY='' WAYLAND_DISPLAY='' "$1" "$2" > "$folder/said"
address=$(sed -n 's/^Opening \(file:[^ ]*\) .*/\1/p' "$folder/said")
if [ -z "$address" ]; then
    echo "speedscope opens no page; it said:" >&2
    cat "$folder/said" >&2
    exit 1
fi

# A file that speedscope cannot read ends in a message box that stays open. The time limit only ends
# hung processes. Chromium's own sandbox does not work for root.
timeout -k 5 900 chromium --headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader \
    --no-first-run --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$folder/browser" --virtual-time-budget=10000 --dump-dom \
    "$address&view=sandwich" > "$3" 2> "$folder/errors" || {
    echo "Chromium did not show $2; it said:" >&2
    cat "$folder/errors" >&2
    exit 1
}
