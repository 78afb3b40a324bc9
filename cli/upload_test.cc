// `upload` with its steps after sending the run, as a user types it, against a server in this
// process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/testing/parser_runs.h"
#include "store/reading.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

// Built from testdata/parser.c: parse calls next 10 and 80 times. Neither has a sample.
constexpr char kBefore[] = "cli/testdata/before";
constexpr char kAfter[] = "cli/testdata/after";

class UploadCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = EmptyTestFolder();
    ASSERT_EQ(setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1), 0);
    fs::create_directories(folder_ / "store");
    server_ = CommandServer::Start(folder_ / "store");
    ASSERT_NE(server_, nullptr);
    server_->AnalyseOnArrival();
  }

  // Uploads the program's profile at a commit of one digit: of the main branch, or of a pull
  // request whose base is commit a.
  CommandResult Upload(const std::string& program, char commit, bool in_pull_request,
                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"upload",
                                      "--target",
                                      "//:parser_test",
                                      "--image",
                                      program,
                                      "--configuration",
                                      "k8-opt",
                                      "--workspace",
                                      folder_.string(),
                                      "--commit",
                                      std::string(40, commit)};
    if (in_pull_request) {
      for (const std::string& word :
           {std::string("--base-commit"), std::string(40, 'a'), std::string("--pull-request"),
            std::string("12"), std::string("--branch"), std::string("feature")}) {
        words.push_back(word);
      }
    } else {
      words.insert(words.end(), {"--branch", "main"});
    }
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(program + ".gmon");
    return RunCommandLine({AddUploadCommand}, server_->Asked(words));
  }

  std::string StrictPolicy() {
    const std::string path = (folder_ / "policy.json").string();
    std::ofstream(path) << R"({"version": 1, "gates": [{"name": "any", "min_cpu_percent": 0}]})";
    return path;
  }

  size_t Runs() {
    store::RunFilter filter;
    filter.project = "default";
    return server_->store().reading.ListRuns(filter)->size();
  }

  fs::path folder_;
  std::unique_ptr<CommandServer> server_;
};

TEST_F(UploadCommandTest, ReportsTheRunJustSent) {
  ASSERT_EQ(Upload(kBefore, 'a', false).exit_code, kExitOk);
  ASSERT_EQ(Upload(kBefore, 'b', false).exit_code, kExitOk);
  const CommandResult result = Upload(kAfter, 'c', true, {"--report", "--format=json"});
  EXPECT_EQ(result.exit_code, kExitOk) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["compared"]["head"]["run_id"], "3");
  EXPECT_EQ(report["compared"]["base"]["commit"], std::string(40, 'a'));
  EXPECT_EQ(report["findings"][0]["function"], "next");
  EXPECT_THAT(result.err, HasSubstr("analysed 1 of 1 target in 1 run\n"));
  EXPECT_THAT(result.err, HasSubstr("Run: 3\n")) << "stdout is the report's";
}

TEST_F(UploadCommandTest, TheSameAgainReportsTheSameRun) {
  ASSERT_EQ(Upload(kBefore, 'a', false).exit_code, kExitOk);
  ASSERT_EQ(Upload(kAfter, 'b', true, {"--run-key=k"}).exit_code, kExitOk);
  ASSERT_EQ(Upload(kBefore, 'c', false).exit_code, kExitOk);
  const CommandResult result =
      Upload(kAfter, 'b', true, {"--run-key=k", "--report", "--format=json"});
  EXPECT_EQ(nlohmann::json::parse(result.out)["compared"]["head"]["run_id"], "2") << result.err;
}

TEST_F(UploadCommandTest, ChecksTheRunJustSentByItsExitCode) {
  ASSERT_EQ(Upload(kBefore, 'a', false).exit_code, kExitOk);
  const CommandResult passed = Upload(kBefore, 'b', true, {"--check"});
  EXPECT_EQ(passed.exit_code, kExitOk) << passed.err;
  EXPECT_THAT(passed.out, StartsWith("gprofhub check: no change fails the check"));
  const CommandResult failed =
      Upload(kAfter, 'c', true, {"--check", "--policy", StrictPolicy(), "--format=json"});
  EXPECT_EQ(failed.exit_code, kExitFailure) << failed.err;
  EXPECT_EQ(nlohmann::json::parse(failed.out)["conclusion"], "failure");
}

TEST_F(UploadCommandTest, WithAReportTheCheckGoesToStderr) {
  ASSERT_EQ(Upload(kBefore, 'a', false).exit_code, kExitOk);
  const CommandResult result = Upload(
      kAfter, 'b', true, {"--report", "--check", "--policy", StrictPolicy(), "--format=markdown"});
  EXPECT_EQ(result.exit_code, kExitFailure) << result.err;
  EXPECT_THAT(result.out, StartsWith("<!-- gprofhub:default -->\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("gprofhub check:")));
  EXPECT_THAT(result.err, HasSubstr("gprofhub check: "));
}

TEST_F(UploadCommandTest, WaitsForTheRunJustSent) {
  const CommandResult result = Upload(kBefore, 'a', false, {"--wait", "--format=json"});
  EXPECT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["run_ids"][0], "1");
  EXPECT_THAT(result.err, HasSubstr("analysed 1 of 1 target in 1 run\n"));
}

TEST_F(UploadCommandTest, TheWaitHasAnEnd) {
  server_->Stop();
  fs::create_directories(folder_ / "idle");
  server_ = CommandServer::Start(folder_ / "idle");
  ASSERT_NE(server_, nullptr);
  const CommandResult result = Upload(kBefore, 'a', false, {"--check", "--wait-timeout=0"});
  EXPECT_EQ(result.exit_code, kExitUnavailable);
  EXPECT_THAT(result.err, HasSubstr("1 target is not analysed after 0 s"));
  EXPECT_EQ(Runs(), 1u) << "what was sent stays";
}

TEST_F(UploadCommandTest, WhatCannotBeDoneIsSaidBeforeAnythingIsSent) {
  EXPECT_EQ(Upload(kBefore, 'a', false, {"--format=markdown"}).exit_code, kExitUsage);
  EXPECT_EQ(Upload(kBefore, 'a', false, {"--report", "--format=codequality"}).exit_code,
            kExitUsage);
  EXPECT_EQ(Upload(kBefore, 'a', false, {"--dry-run", "--check"}).exit_code, kExitUsage);
  EXPECT_EQ(Upload(kBefore, 'a', false, {"--check", "--policy", "gone.json"}).exit_code,
            kExitUsage);
  EXPECT_EQ(Runs(), 0u);
}

}  // namespace

}  // namespace gprofhub::cli
