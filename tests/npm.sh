# For test scripts that run packages of npm. Source this file.
# shellcheck shell=sh

# enter_npm_folder SOURCES: a folder of its own, removed at the end of the script, with the packages
# of the lock file in SOURCES.
enter_npm_folder() {
    for npm_tool in node npm; do
        if ! command -v "$npm_tool" > /dev/null; then
            echo "$npm_tool is not installed; ci/setup --tests installs it" >&2
            exit 1
        fi
    done
    npm_folder=$(mktemp -d)
    # leave_npm_folder may be defined by the script: it ends what runs there.
    trap 'leave_npm_folder; rm -rf "$npm_folder"' EXIT
    cd "$npm_folder" || exit 1
    export HOME="$npm_folder" # npm keeps files there
    cp "$1/package.json" "$1/package-lock.json" .
    npm ci --no-audit --no-fund --ignore-scripts > npm.log 2>&1 || { cat npm.log; exit 1; }
}

leave_npm_folder() { :; }
