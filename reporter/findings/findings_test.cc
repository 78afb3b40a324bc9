#include "reporter/findings/findings.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

TEST(MakeNamesText, LeavesAMessageThatCanBeRead) {
  v1::Finding finding;
  finding.set_function("f\xE9");
  finding.set_function_display("f\xE9()");
  finding.set_caller("g\xFF");
  finding.set_caller_display("größe(int)");
  finding.mutable_site()->set_file("\xC0.cc");
  finding.add_follows("h\x80");
  finding.mutable_shift()->add_with("i\xED\xA0\x80");
  MakeNamesText(finding);
  EXPECT_EQ(finding.function(), "f<0xE9>");
  EXPECT_EQ(finding.function_display(), "f<0xE9>()");
  EXPECT_EQ(finding.caller(), "g<0xFF>");
  EXPECT_EQ(finding.caller_display(), "größe(int)");
  EXPECT_EQ(finding.site().file(), "<0xC0>.cc");
  EXPECT_EQ(finding.follows(0), "h<0x80>");
  EXPECT_EQ(finding.shift().with(0), "i<0xED><0xA0><0x80>");
  v1::Finding received;
  EXPECT_TRUE(received.ParseFromString(finding.SerializeAsString()));
}

TEST(RankingShare, IsOfCallsWhereNothingWasSampled) {
  v1::Finding finding;
  finding.set_impact(0.25);
  EXPECT_EQ(RankingShare(finding), 0.25);
  finding.set_impact(0);
  finding.set_share_of_calls(0.5);
  EXPECT_EQ(RankingShare(finding), 0.5);
}

TEST(IsOrigin, IsAnArcWhoseCallsChangedAndDidNotOnlyMove) {
  v1::Finding finding;
  finding.set_metric(v1::Finding::CALLS);
  finding.set_verdict(v1::Finding::REGRESSED);
  EXPECT_FALSE(IsOrigin(finding)) << "a function as a whole";
  finding.set_caller("main");
  EXPECT_TRUE(IsOrigin(finding));
  finding.set_verdict(v1::Finding::SHIFTED);
  EXPECT_FALSE(IsOrigin(finding));
}

}  // namespace
}  // namespace gprofhub::reporter
