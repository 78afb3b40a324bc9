#include "ci/upload/complete_run.h"

#include <gtest/gtest.h>

#include "ci/upload/results/test_files.h"
#include "ci/upload/upload_fixture.h"

namespace gprofhub::ci {
namespace {

TEST_F(UploadTest, RunWithoutAKeyIsKnownByItsContents) {
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  plan_.run.clear_run_key();
  v1::RunInfo first = plan_.run;
  v1::RunInfo second = plan_.run;
  ASSERT_TRUE(CompleteRun(plan_.attempts, first).ok());
  ASSERT_TRUE(CompleteRun(plan_.attempts, second).ok());
  EXPECT_EQ(first.run_key(), second.run_key());
  EXPECT_EQ(first.started_unix_ms(), second.started_unix_ms());
  EXPECT_GT(first.started_unix_ms(), 0);
  WriteTestFile(plan_.attempts[0].outputs[0] + "/gmon.out", MakeProfile(4));
  ASSERT_TRUE(CompleteRun(plan_.attempts, plan_.run).ok());
  EXPECT_NE(plan_.run.run_key(), first.run_key());
}

TEST(CompleteRun, LeavesAloneWhatIsNamed) {
  v1::RunInfo run;
  run.set_run_key("mine");
  run.set_started_unix_ms(7);
  TestAttempt attempt;
  attempt.outputs = {"absent"};
  EXPECT_TRUE(CompleteRun({attempt}, run).ok());
  EXPECT_EQ(run.run_key(), "mine");
  EXPECT_EQ(run.started_unix_ms(), 7);
  run.clear_run_key();
  EXPECT_EQ(CompleteRun({attempt}, run).code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gprofhub::ci
