// `gprofhub rerun-list` against a running server.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::json;

// A run of the main branch, and one of pull request 12 in which parse calls next more often.
class RerunListAtServerTest : public ParserRunsTest {
 protected:
  void SetUp() override {
    ParserRunsTest::SetUp();
    UploadBoth();
  }

  CommandResult RerunList(std::vector<std::string> words) {
    words.insert(words.begin(), "rerun-list");
    return RunCommandLine({AddRerunListCommand}, server_->Asked(words));
  }

  const std::string head_ = std::string(40, 'b');

  void Ask(const std::string& author) {
    store::RerunRequestRecord record;
    record.project = "default";
    record.pull_request = "12";
    record.commit = head_;
    record.run_id = 2;
    record.author = author;
    record.source = absl::StrCat("comment/", author);
    record.created = absl::UnixEpoch();
    ASSERT_TRUE(server_->store().gate.AddRerunRequest(record).ok());
  }
};

TEST_F(RerunListAtServerTest, NamesWhatOneRunShows) {
  for (const std::string& run : {std::string("latest"), head_, head_.substr(0, 7)}) {
    const CommandResult text = RerunList({run});
    EXPECT_EQ(text.exit_code, kExitOk) << text.err;
    EXPECT_EQ(text.out, "//:parser_test\n") << run;
    EXPECT_NE(text.err.find("//:parser_test: 1 run of "), std::string::npos) << text.err;
  }
  EXPECT_EQ(RerunList({}).out, "//:parser_test\n") << "the latest";
  EXPECT_EQ(RerunList({"--format=bazel"}).out, "--\n//:parser_test\n");
  const Json list = Json::parse(RerunList({"--format=json"}).out);
  EXPECT_EQ(list["run_id"], "2");
  EXPECT_EQ(list["asked_by"], nullptr);
  ASSERT_EQ(list["targets"].size(), 1u);
  EXPECT_EQ(list["targets"][0]["alarms"], true);
}

TEST_F(RerunListAtServerTest, IsEmptyForARunWithoutABaseAndKnowsWhichRunsThereAre) {
  const CommandResult without = RerunList({std::string(40, 'a')});
  EXPECT_EQ(without.exit_code, kExitOk) << without.err;
  EXPECT_EQ(without.out, "");
  EXPECT_EQ(RerunList({std::string(40, 'c')}).exit_code, kExitNotFound);
  EXPECT_EQ(RerunList({std::string(40, 'c'), "--asked"}).exit_code, kExitNotFound);
}

TEST_F(RerunListAtServerTest, WhatNobodyAskedForIsNotListed) {
  const CommandResult nobody = RerunList({head_, "--asked"});
  EXPECT_EQ(nobody.exit_code, kExitOk) << nobody.err;
  EXPECT_EQ(nobody.out, "");
  EXPECT_EQ(nobody.err, "no rerun was requested\n");
  EXPECT_EQ(RerunList({head_, "--asked", "--format=bazel"}).out, "");
  const Json list = Json::parse(RerunList({head_, "--asked", "--format=json"}).out);
  EXPECT_EQ(list["asked_by"], nullptr);
  EXPECT_TRUE(list["targets"].empty());
}

TEST_F(RerunListAtServerTest, WhatSomebodyAskedForIsListedUntilARerunComes) {
  Ask("ada\x1b[2J");
  const CommandResult asked = RerunList({head_, "--asked", "--format=bazel"});
  EXPECT_EQ(asked.exit_code, kExitOk) << asked.err;
  EXPECT_EQ(asked.out, "--\n//:parser_test\n");
  EXPECT_EQ(asked.err.find('\x1b'), std::string::npos) << asked.err;
  EXPECT_EQ(Json::parse(RerunList({head_, "--asked", "--format=json"}).out)["asked_by"],
            "ada\x1b[2J");
  EXPECT_EQ(RerunList({std::string(40, 'a'), "--asked"}).out, "") << "of another commit";

  store::NewExecution again;
  again.run.project = "default";
  again.run.run_key = "again";
  again.run.commit = head_;
  again.run.pull_request = "12";
  again.run.rerun = store::RerunRole::kRerun;
  again.run.started = absl::UnixEpoch();
  again.execution.target = "//:parser_test";
  ASSERT_TRUE(server_->store().ingest.RecordExecution(again, absl::UnixEpoch()).ok());
  server_->RunWorker();
  EXPECT_EQ(RerunList({head_, "--asked"}).out, "");
}

// As a CI job calls it: without a run. This folder is not a git repository, so the CI system
// supplies the commit.
TEST_F(RerunListAtServerTest, WithoutARunItIsTheCommitAtHand) {
  Ask("ada");
  const auto in_job = [this](const std::string& commit) {
    setenv("GITLAB_CI", "true", 1);
    setenv("CI_COMMIT_SHA", commit.c_str(), 1);
    setenv("CI_COMMIT_BRANCH", "feature", 1);
    return RerunList({"--asked"});
  };
  unsetenv("GITHUB_ACTIONS");
  const CommandResult asked = in_job(head_);
  EXPECT_EQ(asked.out, "//:parser_test\n") << asked.err;
  const CommandResult first = in_job(std::string(40, 'f'));
  EXPECT_EQ(first.exit_code, kExitOk) << "a commit's first run: " << first.err;
  EXPECT_EQ(first.out, "");
  for (const char* variable : {"GITLAB_CI", "CI_COMMIT_SHA", "CI_COMMIT_BRANCH"}) {
    unsetenv(variable);
  }
}

TEST_F(RerunListAtServerTest, AServerThatIsGoneIsSaid) {
  server_->Stop();
  EXPECT_EQ(RerunList({head_, "--asked"}).exit_code, kExitUnavailable);
}

}  // namespace

}  // namespace gprofhub::cli
