#!/bin/bash
# The packages: reproducible, and relocatable when unpacked.
#
#   tests/packages/packages_test.sh
#
# It rebuilds them from Bazel's outputs. It prints PASS or FAIL and a name.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
MADE=$ROOT/bazel-bin/packaging
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd "$work"
# shellcheck source=tests/check.sh
source "$ROOT/tests/check.sh"

PACKAGES=(gprofhub gprofhub-server gprofhub-bazel)
FILES=("${PACKAGES[@]/%/.deb}" gprofhub-bazel.tar.gz gprofhub-linux-x86_64.tar.gz gprofhub-server.oci.tar)

# With the options of ci/test, so that Bazel's server stays.
make_packages() {
  local options=()
  if [[ -n ${GPROFHUB_OUTPUT_BASES:-} ]]; then
    options+=("--output_base=$GPROFHUB_OUTPUT_BASES/gprofhub")
  fi
  (cd "$ROOT" && bazel "${options[@]}" --host_jvm_args=-Xmx1g --max_idle_secs=300 \
    build --noshow_progress "$@" //packaging:all) </dev/null
}

# The second time the programs are linked again, too, without a cache.
make_twice() {
  make_packages
  mkdir first
  cp "${FILES[@]/#/$MADE/}" first
  rm -f "$MADE"/* "$ROOT"/bazel-bin/cli/{gprofhub,gprofhub_commands}
  make_packages --disk_cache=
}

are_the_same() {
  (cd first && sha256sum "${FILES[@]}") >first.txt
  (cd "$MADE" && sha256sum "${FILES[@]}") >second.txt
  diff first.txt second.txt
}

# Bazel hands the archive's files over by lists in BUILD files. None may be missing.
has_every_file() {
  # The assembler is a program there, and the runtimes are built.
  (cd "$ROOT" && find bazel runtime -type f ! -name '*_test.*' ! -path 'runtime/assembler/*' &&
    echo bazel/toolchain/as &&
    printf 'runtime/built/libgprofhub_%s.a\n' allocations_runtime peak_runtime runtime) | sort >wanted.txt
  mkdir for_bazel
  tar -C for_bazel --strip-components=1 -xf first/gprofhub-bazel.tar.gz
  (cd for_bazel && find bazel runtime -type f | sort) >there.txt
  diff wanted.txt there.txt
}

unpack() {
  local package
  for package in "${PACKAGES[@]}"; do
    dpkg-deb --extract "first/$package.deb" root
  done
}

version_is_said() {
  [[ $(env -i PATH="$work/root/usr/bin" gprofhub --version) == "gprofhub $(cat "$ROOT/VERSION")" ]] &&
    root/usr/share/gprofhub/bin/gprof --version | head -n 1
}

every_command_has_a_page() {
  local command
  root/usr/bin/gprofhub --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' >commands.txt
  [[ $(wc -l <commands.txt) -gt 15 ]] || return 1
  while read -r command; do
    echo "$command"
    zcat "root/usr/share/man/man1/gprofhub-$command.1.gz" | grep -q '^\.SH NAME' || return 1
  done <commands.txt
}

completes() {
  # shellcheck source=/dev/null
  (
    source root/usr/share/bash-completion/completions/gprofhub
    PATH=$work/root/usr/bin:$PATH
    COMP_LINE="gprofhub token create --sc"
    COMP_POINT=${#COMP_LINE}
    _gprofhub
    echo "${COMPREPLY[@]}"
    [[ ${COMPREPLY[*]} == --scope ]]
  )
}

needs_only_debian() {
  dpkg-deb --field first/gprofhub.deb Depends | tr ',' '\n' | sed 's/ *(.*//; s/^ *//' >depends.txt
  cat depends.txt
  grep -qx libc6 depends.txt || return 1
  while read -r package; do
    dpkg-query -W "$package" >/dev/null || return 1
  done <depends.txt
}

# Removal stops the server; an upgrade keeps its options.
the_server_is_stopped_and_its_options_stay() {
  dpkg-deb --control first/gprofhub-server.deb control
  grep -qx /etc/default/gprofhub control/conffiles &&
    grep -qx 'GPROFHUB_OPTIONS=' root/etc/default/gprofhub &&
    grep -q 'deb-systemd-invoke stop gprofhub.service' control/prerm &&
    sh -n control/prerm
}

# The entry of a registry for Bazel's modules, made again for the same version.
registry_entry_names_the_archive() {
  local version entry
  version=$(cat "$ROOT/VERSION")
  for _ in 1 2; do
    "$ROOT/packaging/registry/make_entry.py" first/gprofhub-bazel.tar.gz https://example.com/gprofhub-bazel.tar.gz registry
  done
  entry=registry/modules/gprofhub/$version
  tar -xOf first/gprofhub-bazel.tar.gz "gprofhub-bazel-$version/MODULE.bazel" | diff - "$entry/MODULE.bazel" &&
    grep -qF "\"integrity\": \"sha256-$(openssl dgst -sha256 -binary first/gprofhub-bazel.tar.gz | base64)\"" "$entry/source.json" &&
    grep -qF "\"strip_prefix\": \"gprofhub-bazel-$version\"" "$entry/source.json" &&
    grep -q 'module_path: example' "$entry/presubmit.yml" && tar -tf first/gprofhub-bazel.tar.gz | grep "/example/MODULE.bazel\$" &&
    [[ $(grep -c "\"$version\"" registry/modules/gprofhub/metadata.json) == 1 ]]
}

unit_is_there() {
  grep -q '^ExecStart=/usr/bin/gprofhub serve' root/lib/systemd/system/gprofhub.service &&
    [[ -x root/usr/bin/gprofhub && -f root/usr/share/gprofhub/bazel/bazel/gprof.bazelrc ]] &&
    ! grep -rl --include=BUILD.bazel "^cc_test(" root/usr/share/gprofhub/bazel
}

# Intended exceptions are in packaging/debian/packages.py, with the reason.
lintian_is_content() {
  lintian --fail-on error,warning first/*.deb
}

check "packages are made" make_twice
check "made twice they have the same bytes" are_the_same
check "the archive for Bazel has every file of its folders" has_every_file
check "they unpack" unpack
check "the installed program finds its commands" version_is_said
check "every command has a page of the manual" every_command_has_a_page
check "bash completes options" completes
check "all that is needed is in Debian" needs_only_debian
check "removal stops the server, and an upgrade keeps its options" the_server_is_stopped_and_its_options_stay
check "the entry of a registry names the archive" registry_entry_names_the_archive
check "lintian is content" lintian_is_content
check "unit, programs and Bazel's rules are where they belong" unit_is_there
((failures == 0))
