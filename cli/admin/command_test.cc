#include "cli/admin/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/testing/command_line.h"
#include "store/testing/temp_store.h"

namespace gprofhub::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AdminCommandTest : public testing::Test {
 protected:
  CommandResult Run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--data-dir", folder_});
    return RunCommandLine({AddAdminCommand, AddAuditCommand}, words);
  }
  // A run of project "default" without profiles.
  int64_t MakeRun(const std::string& key, const std::string& branch) const {
    store::NewExecution execution;
    execution.run.project = "default";
    execution.run.run_key = key;
    execution.run.commit = std::string(40, 'a');
    execution.run.branch = branch;
    execution.execution.target = "//db:query_test";
    execution.sender = {"ci (token 3)", "192.0.2.7:4711", 3};
    const auto recorded = store_.ingest.RecordExecution(execution, absl::Now());
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    return recorded.ok() ? recorded->run_id : 0;
  }

  const std::string folder_ = store::MakeTempDir();
  const store::Store store_ = store::MakeTempStore(folder_);
};

TEST_F(AdminCommandTest, RunsAreDeletedByNumber) {
  const int64_t first = MakeRun("one", "main");
  MakeRun("two", "main");
  const CommandResult deleted = Run({"admin", "delete-run", absl::StrCat(first)});
  EXPECT_EQ(deleted.exit_code, kExitOk) << deleted.err;
  EXPECT_EQ(deleted.out, absl::StrCat("deleted run ", first, "\n"));
  EXPECT_THAT(store::RunsIn(store_.reading), SizeIs(1));
  EXPECT_EQ(Run({"admin", "delete-run", absl::StrCat(first)}).exit_code, kExitNotFound);
}

TEST_F(AdminCommandTest, ABranchIsDeletedWhenSaidTwice) {
  MakeRun("one", "main");
  MakeRun("two", "feature");
  MakeRun("three", "feature");
  const CommandResult asked = Run({"admin", "delete-branch", "feature"});
  EXPECT_THAT(asked.out, HasSubstr("would delete 2 runs"));
  EXPECT_THAT(store::RunsIn(store_.reading), SizeIs(3));
  EXPECT_EQ(Run({"admin", "delete-branch", "feature", "--yes"}).exit_code, kExitOk);
  ASSERT_THAT(store::RunsIn(store_.reading), SizeIs(1));
  EXPECT_EQ(store::RunsIn(store_.reading)[0].branch, "main");
  EXPECT_EQ(Run({"admin", "delete-branch", "feature"}).exit_code, kExitNotFound);
}

TEST_F(AdminCommandTest, WhatWasDoneIsAudited) {
  const int64_t run = MakeRun("one", "main");
  Run({"admin", "delete-run", absl::StrCat(run)});
  const CommandResult json = Run({"audit", "--since", "1h", "--format=json"});
  ASSERT_EQ(json.exit_code, kExitOk) << json.err;
  const auto records = nlohmann::json::parse(json.out)["audit"];
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["action"], "run.create");
  EXPECT_EQ(records[0]["actor"], "ci (token 3)");
  EXPECT_EQ(records[0]["origin"], "192.0.2.7:4711");
  EXPECT_EQ(records[1]["action"], "run.delete");
  EXPECT_THAT(records[1]["actor"].get<std::string>(), HasSubstr("user "));
  EXPECT_THAT(Run({"audit"}).out, HasSubstr("run.delete run 1"));
  EXPECT_THAT(
      nlohmann::json::parse(Run({"audit", "--project", "other", "--format=json"}).out)["audit"],
      IsEmpty());
  EXPECT_EQ(Run({"audit", "--since", "yesterday"}).exit_code, kExitUsage);
}

TEST_F(AdminCommandTest, HostileTextDoesNotBreakALineOfTheLog) {
  MakeRun("one", "main\n2027-01-01 00:00:00  forged \x1b[2J");
  const std::string out = Run({"audit"}).out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gprofhub::cli
