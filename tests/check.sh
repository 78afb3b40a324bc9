# For test scripts that run other people's programs. Source this file. A script ends with:
#     [ $failures -eq 0 ]
# shellcheck shell=sh

failures=0

# check NAME COMMAND... prints PASS or FAIL and the name, and the output of a failed command.
check() {
    check_name=$1
    shift
    if "$@" > check.log 2>&1; then
        echo "PASS: $check_name"
    else
        echo "FAIL: $check_name"
        sed 's/^/    /' check.log
        failures=$((failures + 1))
    fi
}
