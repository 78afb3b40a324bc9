#!/bin/bash
# Writes gprof.bazelrc for the running Bazel, and the scripts that it may name, into a workspace:
#
#   bazel run @gprofhub//bazel:setup [-- FOLDER]
#
# FOLDER is relative to the workspace (default: tools/gprofhub). A file that differs is replaced, and
# the difference is shown.
#
#   setup.sh VERSION-FILE BAZELRC STATUS-SCRIPT CREDENTIAL-HELPER [FOLDER]
set -euo pipefail

# runfile PATH: Bazel 4 names a file of another repository external/NAME/…, which later versions do not
# make. In all of them it is ../NAME/…
runfile() {
  if [[ $1 == external/* ]]; then echo "../${1#external/}"; else echo "$1"; fi
}

version=$(cat -- "$(runfile "$1")")
options=$(runfile "$2")
status=$(runfile "$3")
credential_helper=$(runfile "$4")
folder=${5:-tools/gprofhub}
if (($# > 5)) || [[ $folder == -* || $folder == /* || /$folder/ == */../* ]]; then
  echo "usage: bazel run @gprofhub//bazel:setup [-- FOLDER]; FOLDER is relative to the workspace" >&2
  exit 2
fi
workspace=${BUILD_WORKSPACE_DIRECTORY:?start it with \`bazel run @gprofhub//bazel:setup\`}

# As bazelrc_version() of version.bzl has it.
major=${version%%[!0-9]*}
case $major in
[4-6]) made_for=4 versions="4 to 6" ;;
7) made_for=7 versions=7 ;;
[89] | ??*) made_for=8 versions="8 and later" ;;
*)
  echo "gprofhub needs Bazel 4 or later; this is Bazel $version" >&2
  exit 1
  ;;
esac

# The canonical name of this repository.
repository=${options%/bazel/gprof.bazelrc}
repository=${repository##*/}

# 1 from Bazel 8.6 on.
minor=${version#*.}
minor=${minor%%[!0-9]*}
if ((major > 8)) || [[ $major == 8 && ${minor:-0} -ge 6 ]]; then is_recent=1; else is_recent=0; fi

# The options for this version: gprof.bazelrc explains "#7+", "#8.6+" and "#7=".
options_for_version() {
  if ((made_for < 7)); then
    grep -Ev '^#(7[+=]|8\.6\+)' "$options"
  else
    awk -v is_recent="$is_recent" '
      function flush() { if (held) print line; held = 0 }
      /^#8\.6\+/ && !is_recent { next }
      /^#7=./ { line = substr($0, 4); next }
      /^#7=/ { held = 0; next }
      { flush(); line = $0; held = 1 }
      { sub(/^#(7|8\.6)\+/, "", line) }
      END { flush() }
    ' "$options"
  fi | sed "
    s/BAZELRC_VERSION/$made_for/
    s/REPOSITORY/$repository/
    /^# This file is for Bazel 4 to 6\./,/the line above\.$/c\\
# This file is for Bazel $versions, as \`bazel run @gprofhub//bazel:setup\` wrote it. Import it from\\
# your .bazelrc: import %workspace%/$folder/gprof.bazelrc
  "
}

# write NAME: stdin becomes the file, unless it has this text.
write() {
  local file=$workspace/$folder/$1 made
  made=$(mktemp -- "$file.XXXXXX")
  cat >"$made"
  if [[ ! -e $file ]]; then
    echo "wrote $folder/$1"
  elif cmp -s -- "$file" "$made"; then
    echo "$folder/$1 is up to date"
    rm -- "$made"
    return
  else
    diff -u --label "$folder/$1, before" --label "$folder/$1, for Bazel $versions" -- "$file" "$made" || true
    echo "changed $folder/$1"
  fi
  chmod -- "$2" "$made"
  mv -f -- "$made" "$file"
}

mkdir -p -- "$workspace/$folder"
options_for_version | write gprof.bazelrc 644
write status.sh 755 <"$status"
write credential_helper.sh 755 <"$credential_helper"

import="import %workspace%/$folder/gprof.bazelrc"
if ! grep -qsF -- "$folder/gprof.bazelrc" "$workspace/.bazelrc"; then
  echo
  echo "Add to .bazelrc:"
  echo "    $import"
fi
echo
echo "Then profile the tests: bazel test --config=gprof //..."
