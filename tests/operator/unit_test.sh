#!/usr/bin/env bash
# The shipped systemd unit: systemd understands every line of it, and thinks that little is left to a
# service with a bug.
set -euo pipefail

readonly UNIT=deploy/gprofhub.service
# Times ten: systemd calls up to 2.0 "OK". The unit has 1.4: it needs the network.
readonly MOST_EXPOSED=20

fail() {
  echo "FAIL: $1" >&2
  exit 1
}

command -v systemd-analyze >/dev/null || fail "systemd-analyze is not there: run ./ci/setup --tests"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The program is not installed on the machine of a test.
sed 's|^ExecStart=/usr/bin/gprofhub |ExecStart=/bin/true |' "$UNIT" >"$folder/gprofhub.service"
cmp -s "$UNIT" "$folder/gprofhub.service" && fail "no ExecStart=/usr/bin/gprofhub in $UNIT"
said=$(systemd-analyze verify "$folder/gprofhub.service" 2>&1) || fail "verify: $said"
if grep -q gprofhub.service <<<"$said"; then fail "verify: $said"; fi

said=$(systemd-analyze security --offline=true --threshold="$MOST_EXPOSED" "$folder/gprofhub.service" 2>&1) ||
  fail "security: $said"

# The program accepts every option of the unit.
options=$(grep '^ExecStart=' "$UNIT" | grep -o -- '--[a-z-]*')
[[ -n $options ]] || fail "ExecStart gives no options"
help=$(cli/gprofhub serve --help)
for option in $options; do
  grep -q -- "$option" <<<"$help" || fail "gprofhub serve has no $option"
done
