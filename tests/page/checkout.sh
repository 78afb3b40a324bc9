# shellcheck shell=bash
# A git repository with the source of the made-up project "sourced" (made_store.h). Source this file.
#
#   make_checkout FOLDER    prints the hashes of its two commits
#
# Lines of an attacker, long ones and tabs are among them. The commits are the same ones each time.

# The lines of a file; an edit is LINE=TEXT, and may hold several lines.
checkout_file() {
  local file=$1 edits=("${@:2}") line edit text
  mkdir -p "$(dirname -- "$file")"
  for ((line = 1; line <= 240; ++line)); do
    case $((line % 20)) in
      1) text="// </code></td><script>alert($line)</script> <img src=x onerror=alert($line)>" ;;
      2) text=$'\tif (a < b && "c" > \'d\') {\t// \x1b[31m \u202e' ;;
      3) text="  call($(printf 'argument_%d, ' {1..40}) $line);" ;;
      *) text="  line($line);" ;;
    esac
    for edit in "${edits[@]}"; do
      [[ ${edit%%=*} != "$line" ]] || text=${edit#*=}
    done
    printf '%s\n' "$text"
  done >"$file"
}

checkout_commit() {
  local words=$1
  git add .
  # Fixes all inputs of a commit's hash.
  GIT_AUTHOR_DATE="2023-11-14T22:13:20Z" GIT_COMMITTER_DATE="2023-11-14T22:13:20Z" \
    git -c user.name=ann -c user.email=ann@acme.example -c commit.gpgsign=false \
    commit -q -m "$words"
  git rev-parse HEAD
}

# Where functions are, and which lines call whom: made_database.cc.
make_checkout() (
  set -euo pipefail
  mkdir -p "$1"
  cd -- "$1"
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
  git init -q -b main .
  for file in query_test query json tree key; do
    checkout_file "db/$file.cc"
  done
  checkout_commit "before"
  # In a function to blame, and elsewhere in its file.
  checkout_file db/json.cc "61=  if (a < b) <script>alert(1)</script>" "5=// another place" \
    $'181=\tfor (;;) {\n    Append(\'c\');'
  checkout_file db/query.cc $'43=  cache();\n  // <img src=x onerror=alert(1)>'
  checkout_file db/json_cache.cc
  checkout_commit "after"
)
