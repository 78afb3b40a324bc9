#!/bin/sh
# Opens a profile in KCachegrind, without a screen, and writes down the call graph
# that it draws: KCachegrind has `dot` lay its graph out, and finds ours instead.
#
#     kcachegrind.sh PROFILE GRAPH MESSAGES
#
# MESSAGES is KCachegrind's standard error: it names there each line of the profile that it cannot
# read, and continues.
#
# The time limits only end what hangs.
set -eu
if [ "${4:-}" != inside ]; then
    # KDE's programs do not start without a session bus.
    exec timeout 1200 dbus-run-session -- "$0" "$1" "$2" "$3" inside
fi

folder=$(mktemp -d)
program=
trap 'if [ -n "$program" ]; then kill "$program" || true; wait "$program" || true; fi
      rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/config" "$folder/run"
chmod 700 "$folder/run"
mkfifo "$folder/drawn"
exec 3<> "$folder/drawn" # so that a dot that comes later does not wait for a reader
cat > "$folder/bin/dot" << EOF
#!/bin/sh
cat > "$folder/graph.\$\$" && mv "$folder/graph.\$\$" "$folder/graph" && echo > "$folder/drawn"
EOF
chmod +x "$folder/bin/dot"
cat > "$folder/config/kcachegrindrc" << EOF
[TipOfDay]
RunOnStart=false

[MainView-TabView-1]
ActiveBottom=CallGraphView
EOF

PATH=$folder/bin:$PATH XDG_CONFIG_HOME=$folder/config XDG_RUNTIME_DIR=$folder/run \
    QT_QPA_PLATFORM=offscreen kcachegrind "$1" > "$3" 2>&1 &
program=$!
if ! timeout 900 head -n 1 <&3 > /dev/null; then
    echo "KCachegrind drew no graph of $1; it said:" >&2
    cat "$3" >&2
    exit 1
fi
mv "$folder/graph" "$2"
