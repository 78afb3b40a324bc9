#include "ci/upload/run/git.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/upload/results/test_files.h"

namespace gprofhub::ci {
namespace {

using testing::HasSubstr;

TEST(Git, AnswersComeWithoutTrailingWhiteSpace) {
  const std::string folder = MakeTestFolder("repository");
  const GitCommand git = GitIn(folder);
  ASSERT_TRUE(git({"init", "--quiet", "--initial-branch=trunk"}).ok());
  const auto branch = git({"symbolic-ref", "--short", "HEAD"});
  ASSERT_TRUE(branch.ok()) << branch.status();
  EXPECT_EQ(*branch, "trunk");
}

TEST(Git, ArgumentsReachGitAsTheyAre) {
  const std::string folder = MakeTestFolder("quoting");
  const GitCommand git = GitIn(folder);
  ASSERT_TRUE(git({"init", "--quiet"}).ok());
  const std::string odd = "a b; touch /tmp/x $(id) '\"";
  ASSERT_TRUE(git({"config", "test.value", odd}).ok());
  const auto value = git({"config", "test.value"});
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, odd);
}

TEST(Git, LongAnswersDoNotBlock) {
  const std::string folder = MakeTestFolder("long");
  const GitCommand git = GitIn(folder);
  ASSERT_TRUE(git({"init", "--quiet"}).ok());
  WriteTestFile(folder + "/large", std::string(300'000, 'x'));
  const auto hash = git({"hash-object", "-w", "large"});
  ASSERT_TRUE(hash.ok()) << hash.status();
  const auto text = git({"cat-file", "blob", *hash});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->size(), 300'000u);
}

TEST(Git, FailureCarriesGitsWords) {
  const auto answer = GitIn(MakeTestFolder("empty") + "/none")({"rev-parse", "HEAD"});
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("git rev-parse: fatal:"));
}

TEST(Git, WhatDoesNotEndIsEnded) {
  const auto answer = GitIn(MakeTestFolder("hangs"),
                            absl::Milliseconds(1))({"-c", "alias.hang=!sleep 100000", "hang"});
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable) << answer.status();
}

TEST(WithoutCredentials, NothingButTheCredentialsGoes) {
  EXPECT_EQ(WithoutCredentials("https://u:p@host/a@b"), "https://host/a@b");
  EXPECT_EQ(WithoutCredentials("https://host/a"), "https://host/a");
  EXPECT_EQ(WithoutCredentials("fatal: 'https://t0ken@h/x' and ssh://git@h:22/y"),
            "fatal: 'https://h/x' and ssh://h:22/y");
  EXPECT_EQ(WithoutCredentials("https://u:p@ss@host/"), "https://host/");
  EXPECT_EQ(WithoutCredentials(""), "");
  EXPECT_EQ(WithoutCredentials("://"), "://");
}

}  // namespace
}  // namespace gprofhub::ci
