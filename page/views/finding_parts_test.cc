#include "page/views/finding_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "page/views/runs.h"
#include "profile/target_names.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::page {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void Add(v1::Target& target, uint32_t shard, uint32_t attempt, const std::string& status,
         uint32_t duration_ms = 0) {
  v1::Execution& one = *target.add_execution_list();
  one.set_run_number(1);
  one.set_shard(shard);
  one.set_attempt(attempt);
  one.set_status(status);
  one.set_duration_ms(duration_ms);
  target.set_executions(target.executions() + 1);
}

v1::Target TargetOf(const std::vector<std::string>& attempts) {
  v1::Target target;
  target.set_label("//db:query_test");
  for (const std::string& status : attempts) {
    Add(target, 1, static_cast<uint32_t>(target.execution_list_size() + 1), status);
  }
  return target;
}

TEST(ExecutionsTest, TheLastAttemptSaysHowATestEnded) {
  EXPECT_THAT(ResultOf(TargetOf({"PASSED"})).bytes(), HasSubstr("✓ passed"));
  EXPECT_THAT(ResultOf(TargetOf({"FAILED", "PASSED"})).bytes(), HasSubstr("~ flaky"));
  EXPECT_THAT(ResultOf(TargetOf({"FAILED", "TIMEOUT"})).bytes(), HasSubstr("✗ timeout"));
  EXPECT_THAT(ResultOf(TargetOf({"REMOTE_FAILURE"})).bytes(), HasSubstr("✗ remote failure"));
}

TEST(ExecutionsTest, OneShardThatFailedIsATestThatFailed) {
  v1::Target target = TargetOf({"PASSED"});
  Add(target, 2, 1, "FAILED");
  Add(target, 3, 1, "PASSED");
  EXPECT_THAT(ResultOf(target).bytes(), HasSubstr("✗ failed"));
}

TEST(ExecutionsTest, WhereNobodySaidHowItEndedNothingIsSaid) {
  EXPECT_TRUE(ResultOf(TargetOf({"NO_STATUS"})).empty());
  EXPECT_TRUE(ResultOf(TargetOf({})).empty());
}

TEST(ExecutionsTest, OneExecutionIsANumber) {
  EXPECT_EQ(ExecutionsOf(TargetOf({"PASSED"})).bytes(), "1");
}

TEST(ExecutionsTest, SeveralAreListedByTheNumbersThatTellThemApart) {
  v1::Target target;
  Add(target, 1, 1, "FAILED", 1500);
  Add(target, 1, 2, "PASSED", 20);
  target.mutable_execution_list(1)->set_cached(true);
  const std::string attempts = ExecutionsOf(target).bytes();
  EXPECT_THAT(attempts, HasSubstr("<summary>2</summary>"));
  EXPECT_THAT(attempts,
              HasSubstr("<li>attempt 1 <span class=\"badge worse\">✗ failed</span> 1.5 s</li>"));
  EXPECT_THAT(attempts, HasSubstr("20 ms from a cache</li>"));
  EXPECT_THAT(attempts, Not(HasSubstr("shard")));
  Add(target, 2, 1, "NO_STATUS");
  EXPECT_THAT(ExecutionsOf(target).bytes(), HasSubstr("<li>shard 2, attempt 1</li>"));
}

TEST(ExecutionsTest, TheTestTimeIsThatOfAllExecutions) {
  v1::Target first, second;
  Add(first, 1, 1, "FAILED", 1500);
  Add(first, 1, 2, "PASSED", 500);
  EXPECT_EQ(TestTimeOf({&first}).bytes(), "2 s");
  EXPECT_TRUE(TestTimeOf({&second}).empty());
  Add(second, 1, 1, "PASSED", 1000);
  EXPECT_EQ(TestTimeOf({&first, &second}).bytes(), "3 s");
}

TEST(RunViewTest, ATargetsLogIsLinkedWhereAnInvocationHasItsEnd) {
  RunShown shown;
  for (const char* label : {"//db:query_test", "//db:bench#BM_Insert/8", "//db:other"}) {
    shown.run.add_targets()->set_label(label);
  }
  shown.logs = {{"//db:bench", "4f 1c"}, {"//db:query_test", "07"}};
  Context context;
  context.project = "acme";
  const std::string page = RunView(context, shown).bytes();
  EXPECT_THAT(page, HasSubstr(absl::StrCat("href=\"/p/acme/invocations/07#",
                                           LogPlace("//db:query_test"), "\"")));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("href=\"/p/acme/invocations/4f%201c#",
                                           LogPlace("//db:bench"), "\"")));
  EXPECT_THAT(page, Not(HasSubstr(LogPlace("//db:other"))));
}

TEST(RunViewTest, HostileWordsOpenNoElement) {
  for (const std::string& name : reporter::HostileNames()) {
    RunShown shown;
    v1::Target& target = *shown.run.add_targets();
    target.set_label(name);
    Add(target, 1, 1, name);
    Add(target, 2, 1, name);
    shown.logs = {{profile::TestOf(name), name}};
    const std::string page = RunView(Context(), shown).bytes();
    for (const char* element : {"<script", "<img", "<b>", "<svg", "<iframe"}) {
      EXPECT_THAT(page, Not(HasSubstr(element))) << name;
    }
  }
}

}  // namespace

}  // namespace gprofhub::page
