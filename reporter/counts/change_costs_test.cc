#include "reporter/counts/change_costs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/counts/judge_calls.h"
#include "reporter/matching/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

// main → work, a hundred times. Each work calls malloc once, for the given number of bytes, and
// commits, which sync.
struct Work {
  uint64_t bytes_each = 1000;
  uint64_t commits = 1;     // per work
  uint64_t syncs_each = 1;  // per commit
  double samples = 1000;
};

profile::ComputedProfile ProfileOf(const Work& work) {
  ProfileBuilder builder;
  builder.Function("main", work.samples).Function("work", work.samples).Function("malloc");
  builder.Function("commit").Function("fsync").Function("gprofhub_allocated_bytes");
  builder.Arc("", "main", 1).Arc("main", "work", 100).Arc("work", "malloc", 100);
  builder.Arc("work", "gprofhub_allocated_bytes", 100 * work.bytes_each);
  builder.Arc("work", "commit", 100 * work.commits);
  builder.Arc("commit", "fsync", 100 * work.commits * work.syncs_each);
  return builder.Build();
}

std::vector<v1::Finding> FindingsOf(const Work& was, const Work& is) {
  const profile::ComputedProfile before = ProfileOf(was), after = ProfileOf(is);
  const MatchedTarget target = MatchTarget({&before, 1}, {&after, 1});
  CallCosts costs;
  costs.Add(target);
  const TargetTotals totals = {before.total_samples, after.total_samples};
  CallJudge judge(target, totals, costs, 0.005);
  return judge.Run({}, CostShifts(target.functions.size())).findings;
}

const v1::Finding* Find(const std::vector<v1::Finding>& findings, const std::string& function,
                        const std::string& caller) {
  for (const v1::Finding& finding : findings) {
    if (finding.function() == function && finding.caller() == caller) return &finding;
  }
  return nullptr;
}

TEST(ChangeCosts, BytesAreAShareOfBytesAndTakeNoTime) {
  for (const double samples : {1000., 0.}) {
    const auto findings =
        FindingsOf({.samples = samples}, {.bytes_each = 4000, .samples = samples});
    const v1::Finding* const bytes = Find(findings, "gprofhub_allocated_bytes", "work");
    ASSERT_NE(bytes, nullptr);
    EXPECT_EQ(bytes->after(), 400'000);
    EXPECT_EQ(bytes->impact(), 0);
    EXPECT_FALSE(bytes->has_share_of_calls());
    EXPECT_DOUBLE_EQ(bytes->share_of_bytes(), 0.75);
    EXPECT_EQ(bytes->share_of_waits(), 0);
    EXPECT_TRUE(bytes->material());
  }
}

TEST(ChangeCosts, FewBytesOrAFewPercentOfThemDoNotMatter) {
  const auto few = FindingsOf({.bytes_each = 10}, {.bytes_each = 600});
  EXPECT_FALSE(Find(few, "gprofhub_allocated_bytes", "work")->material()) << "59,000 of 60,000";
  const auto of_many = FindingsOf({.bytes_each = 100'000}, {.bytes_each = 104'000});
  EXPECT_FALSE(Find(of_many, "gprofhub_allocated_bytes", "work")->material()) << "4%";
}

// The CPU time of a second sync is invisible in a hundred calls.
TEST(ChangeCosts, CallsThatWaitMatterWhateverTheirTime) {
  const auto findings = FindingsOf({}, {.syncs_each = 2});
  const v1::Finding* const sync = Find(findings, "fsync", "commit");
  ASSERT_NE(sync, nullptr);
  EXPECT_LT(sync->impact(), 0.05);
  EXPECT_DOUBLE_EQ(sync->share_of_waits(), 0.5);
  EXPECT_TRUE(sync->material());
}

TEST(ChangeCosts, WhoBringsAlongCallsThatWaitIsToBlame) {
  const auto findings = FindingsOf({}, {.commits = 4});
  EXPECT_EQ(Find(findings, "fsync", "commit"), nullptr);
  const v1::Finding* const commits = Find(findings, "commit", "work");
  ASSERT_NE(commits, nullptr);
  EXPECT_DOUBLE_EQ(commits->share_of_waits(), 0.75);
  EXPECT_TRUE(commits->material());
}

// Until samples show otherwise, a call costs the average. Bytes are not calls.
TEST(ChangeCosts, BytesDoNotMakeCallsCheaper) {
  const auto impact = [](uint64_t bytes_each) {
    const auto findings =
        FindingsOf({.bytes_each = bytes_each}, {.bytes_each = bytes_each, .commits = 4});
    return Find(findings, "commit", "work")->impact();
  };
  EXPECT_DOUBLE_EQ(impact(1), impact(1'000'000));
}

}  // namespace
}  // namespace gprofhub::reporter
