#include "collector/access/run_trust.h"

#include <gtest/gtest.h>

namespace gprofhub::collector {
namespace {

Caller With(const char* scopes) {
  Caller caller;
  caller.project = "default";
  caller.scopes = *Scopes::Parse(scopes);
  return caller;
}

v1::RunInfo Claimed(const std::string& pull_request, bool from_fork) {
  v1::RunInfo run;
  run.set_branch("claimed");
  run.set_pull_request(pull_request);
  run.set_from_fork(from_fork);
  return run;
}

TEST(SettleRunTest, OnlyWhoMaySendTheMainLineSaysMainLine) {
  v1::RunInfo mainline = Claimed("", false);
  EXPECT_TRUE(absl::IsPermissionDenied(SettleRun(With("upload,read"), mainline)));
  EXPECT_TRUE(SettleRun(With("upload-main"), mainline).ok());
  v1::RunInfo others[] = {Claimed("17", false), Claimed("17", true), Claimed("", true)};
  for (v1::RunInfo& run : others) EXPECT_TRUE(SettleRun(With("upload"), run).ok());
}

TEST(SettleRunTest, ABranchsJobSendsThatBranch) {
  Caller caller = With("upload-main");
  caller.run = RunFacts{RunFacts::Kind::kBranch, "main", "", false};
  v1::RunInfo run = Claimed("", false);
  ASSERT_TRUE(SettleRun(caller, run).ok());
  EXPECT_EQ(run.branch(), "main");
  v1::RunInfo of_pull_request = Claimed("17", false);
  EXPECT_TRUE(absl::IsPermissionDenied(SettleRun(caller, of_pull_request)));
}

TEST(SettleRunTest, APullRequestsJobCannotSendTheMainLine) {
  Caller caller = With("upload-main");
  caller.run = RunFacts{RunFacts::Kind::kPullRequest, "feature", "17", false};
  for (const char* claimed : {"", "18", "17"}) {
    v1::RunInfo run = Claimed(claimed, false);
    ASSERT_TRUE(SettleRun(caller, run).ok());
    EXPECT_EQ(run.pull_request(), "17");
    EXPECT_EQ(run.branch(), "feature");
  }
  caller.run->pull_request = "";  // the CI system has no claim with its number
  v1::RunInfo named = Claimed("18", false);
  ASSERT_TRUE(SettleRun(caller, named).ok());
  EXPECT_EQ(named.pull_request(), "18");
  v1::RunInfo unnamed = Claimed("", false);
  EXPECT_TRUE(absl::IsPermissionDenied(SettleRun(caller, unnamed)));
}

TEST(SettleRunTest, AJobThatMayRunAStrangersCodeIsAForks) {
  Caller caller = With("upload-main");
  caller.run = RunFacts{RunFacts::Kind::kUnknown, "", "", true};
  v1::RunInfo run = Claimed("", false);
  ASSERT_TRUE(SettleRun(caller, run).ok());
  EXPECT_TRUE(run.from_fork());
  EXPECT_EQ(run.branch(), "claimed");
}

TEST(SettleRunTest, WhatAnUploadSaysAgainstItselfIsBelieved) {
  Caller caller = With("upload");
  caller.run = RunFacts{RunFacts::Kind::kPullRequest, "feature", "17", false};
  v1::RunInfo run = Claimed("17", true);
  ASSERT_TRUE(SettleRun(caller, run).ok());
  EXPECT_TRUE(run.from_fork());
}

}  // namespace
}  // namespace gprofhub::collector
