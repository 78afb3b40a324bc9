# A small repository whose tests gprofhub profiles, for tests that adopt it. Source this file.
#
#   make_small_repository FOLDER GPROFHUB    GPROFHUB: the unpacked archive for Bazel
#   change_small_repository FOLDER           a function calls another one twice, and was once
# shellcheck shell=bash

make_small_repository() {
  local folder=$1 gprofhub=$2
  mkdir -p "$folder"
  cat >"$folder/WORKSPACE" <<END
workspace(name = "small")
local_repository(name = "gprofhub", path = "$gprofhub")
load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")
gprofhub_repositories()
load("@gprofhub//bazel:debian.bzl", "debian_repositories")
debian_repositories()
END
  echo "import $gprofhub/bazel/gprof.bazelrc" >"$folder/.bazelrc"
  echo '/bazel-*' >"$folder/.gitignore"
  cat >"$folder/BUILD" <<'END'
cc_library(name = "words", srcs = ["words.cc"], hdrs = ["words.h"])

cc_test(name = "words_test", size = "small", srcs = ["words_test.cc"], deps = [":words"])
END
  cat >"$folder/words.h" <<'END'
#include <string>
bool IsBlank(char c);
int CountWords(const std::string& text);
END
  cat >"$folder/words.cc" <<'END'
#include "words.h"
// It works so hard that its calls matter, and no compiler leaves one out.
__attribute__((noinline)) bool IsBlank(char c) {
  for (volatile int i = 0; i < 50; i = i + 1) {
  }
  return c == ' ';
}
__attribute__((noinline)) int CountWords(const std::string& text) {
  int words = 1;
  for (char c : text) words += IsBlank(c);
  return words;
}
END
  cat >"$folder/words_test.cc" <<'END'
#include "words.h"
int main() {
  for (int i = 0; i < 100000; ++i) {
    if (CountWords("to be or not to be") != 6) return 1;
  }
}
END
  git -C "$folder" init -q --initial-branch=main
  commit_small_repository "$folder" "Words are counted"
}

change_small_repository() {
  sed -i 's/words += IsBlank(c)/words += IsBlank(c) \& IsBlank(c)/' "$1/words.cc"
  commit_small_repository "$1" "Blanks are looked at twice"
}

commit_small_repository() {
  git -C "$1" add -A
  git -C "$1" -c user.name=small -c user.email=small@localhost -c commit.gpgsign=false commit -q -m "$2"
}
