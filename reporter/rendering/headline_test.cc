#include "reporter/rendering/headline.h"

#include <gtest/gtest.h>

#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

TEST(Headline, CountsWhatCostsSavesAndCannotBeWeighed) {
  v1::Finding saves = Calls("saves"), unsampled = Calls("unsampled"), minor = Calls("minor");
  saves.set_verdict(v1::Finding::IMPROVED);
  saves.set_impact(0.02);
  unsampled.set_impact(0);
  unsampled.set_share_of_calls(0.5);
  minor.set_material(false);
  EXPECT_EQ(Headline(MakeReport({Calls("costs"), saves, minor})),
            "1 change costs about 10% of a test's CPU; 1 change saves about 2.0% of a test's CPU; "
            "1 small change");
  EXPECT_EQ(Headline(MakeReport({unsampled})),
            "1 change of calls without a known share of CPU (no samples)");
  EXPECT_EQ(Headline(MakeReport({})), "every call count is the same as before");
  EXPECT_EQ(Headline(v1::Report()), "nothing to compare with yet");
}

TEST(Headline, SaysWhatWasNotCompared) {
  v1::Report report = MakeReport({Calls("costs")});
  report.mutable_compared()->add_targets("//a:compared");
  report.mutable_compared()->add_not_compared()->set_target("//a:unknown");
  EXPECT_EQ(Headline(report),
            "1 change costs about 10% of a test's CPU; 1 of 2 tests was not compared");
  report = MakeReport({});
  report.mutable_compared()->add_not_compared()->set_target("//a:unknown");
  EXPECT_EQ(Headline(report), "the test could not be compared");
  report = MakeReport({});
  report.mutable_compared()->add_unchanged_targets("//a:test");
  EXPECT_EQ(Headline(report), "the binary of every test is the base's");
}

}  // namespace
}  // namespace gprofhub::reporter
