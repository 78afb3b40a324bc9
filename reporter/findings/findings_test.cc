#include "reporter/findings/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "reporter/testing/memory_history.h"

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

using ::testing::ElementsAre;

// A call of `function` in `caller`, at a line of its file.
v1::Finding CallAt(const std::string& function, const std::string& caller, uint32_t line,
                   const std::string& file = "a.cc") {
  v1::Finding arc = Calls(function, caller);
  arc.mutable_site()->set_file(file);
  arc.mutable_site()->set_line(line);
  return arc;
}

TEST(CausesOf, CallsOfOneCallerNearEachOtherHaveOne) {
  v1::Finding far = CallAt("i", "loop", 300);
  far.set_after(far.after() + 1);
  EXPECT_THAT(CausesOf(MakeReport({CallAt("f", "loop", 10), Calls("f"), CallAt("g", "loop", 12),
                                   CallAt("h", "loop", 45), far})),
              ElementsAre(0, 0, 0, 0, 4));
}

TEST(CausesOf, AsManyCallsMoreOfOneCallerHaveOne) {
  v1::Finding inlined = CallAt("g", "loop", 900);
  EXPECT_THAT(CausesOf(MakeReport({CallAt("f", "loop", 10), inlined})), ElementsAre(0, 0));
  inlined.set_exact(false);
  EXPECT_THAT(CausesOf(MakeReport({CallAt("f", "loop", 10), inlined})), ElementsAre(0, 1));
}

TEST(CausesOf, CallsOfSeveralCallersHaveSeveral) {
  EXPECT_THAT(CausesOf(MakeReport({CallAt("f", "one", 10), CallAt("g", "other", 20)})),
              ElementsAre(0, 1));
}

TEST(CausesOf, OnePlaceInEveryInstanceOfATemplateIsOne) {
  EXPECT_THAT(CausesOf(MakeReport({CallAt("Check<1>", "one", 10, "pool.h"),
                                   CallAt("Check<2>", "other", 10, "pool.h")})),
              ElementsAre(0, 0));
}

TEST(CausesOf, WhatGotBetterIsNotWhatGotWorse) {
  v1::Finding better = CallAt("g", "loop", 11);
  better.set_verdict(v1::Finding::IMPROVED);
  EXPECT_THAT(CausesOf(MakeReport({CallAt("f", "loop", 10), better})), ElementsAre(0, 1));
}

TEST(CausesOf, AUtilityDoesNotJoinItsCallers) {
  EXPECT_THAT(CausesOf(MakeReport({CallAt("append", "one", 10), CallAt("append", "other", 900),
                                   CallAt("f", "other", 901)})),
              ElementsAre(0, 0, 2))
      << "the first arc of append decides where it belongs";
}

TEST(CausesOf, AFunctionHasOneInAllTargets) {
  v1::Finding elsewhere = CallAt("f", "loop", 10);
  elsewhere.set_target("//b:test");
  EXPECT_THAT(CausesOf(MakeReport({CallAt("f", "loop", 10), elsewhere})), ElementsAre(0, 0));
}

TEST(CausesOf, WhatMayFollowBelongsToWhatItsCallerFollowsFrom) {
  v1::Finding visit = CallAt("visit", "main", 10);
  visit.add_follows("print");
  v1::Finding write = CallAt("write", "print", 700);
  EXPECT_THAT(CausesOf(MakeReport({visit, write})), ElementsAre(0, 1));
  write.set_may_follow(true);
  EXPECT_THAT(CausesOf(MakeReport({visit, write})), ElementsAre(0, 0));
  write.set_caller("another");
  EXPECT_THAT(CausesOf(MakeReport({visit, write})), ElementsAre(0, 1));
}

TEST(CausesOf, WhatDidNotChangeIsItsOwn) {
  v1::Finding unclear = CallAt("g", "loop", 11);
  unclear.set_verdict(v1::Finding::CANNOT_TELL);
  EXPECT_THAT(CausesOf(MakeReport({CallAt("f", "loop", 10), unclear})), ElementsAre(0, 1));
}

// printf '//a:test\0calls\0callee\0caller' | sha256sum
TEST(FindingId, IsThatOfItsNames) { EXPECT_EQ(FindingId(Calls("callee", "caller")), "dec12ed952"); }

TEST(FindingId, StaysWhereOnlyTheNumbersChange) {
  v1::Finding later = Calls("callee", "caller");
  later.set_after(7);
  later.set_verdict(v1::Finding::IMPROVED);
  later.mutable_site()->set_line(9);
  EXPECT_EQ(FindingId(later), FindingId(Calls("callee", "caller")));
}

TEST(FindingId, DiffersByEachName) {
  const std::set<std::string> ids = {
      FindingId(Calls("f", "g")),
      FindingId(Calls("g", "f")),
      FindingId(Calls("fg")),
      FindingId(Calls("f")),
      FindingId(MakeFinding("f", v1::Finding::SELF_TIME)),
      FindingId(MakeFinding("f", v1::Finding::CALLS, "", "//another:test")),
  };
  EXPECT_EQ(ids.size(), 6u);
}

using ::testing::HasSubstr;

TEST(FindFinding, TakesAnIdOrABeginningThatIsItsAlone) {
  const v1::Report report = MakeReport({Calls("f", "main"), Calls("g", "main")});
  const std::string id = FindingId(report.findings(1));
  for (const std::string& asked : {id, absl::AsciiStrToUpper(id), id.substr(0, 6)}) {
    const auto found = FindFinding(report, asked);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->function(), "g");
  }
}

TEST(FindFinding, SaysHowToGetAnId) {
  const v1::Report report = MakeReport({Calls("f", "main")});
  for (const char* asked : {"", "f(int)", "\x1b[2J", "0000000000", "ffffffffffff"}) {
    const absl::Status status = FindFinding(report, asked).status();
    EXPECT_FALSE(status.ok()) << asked;
    EXPECT_THAT(std::string(status.message()), HasSubstr("gprofhub report --all"));
    EXPECT_EQ(status.message().find('\x1b'), absl::string_view::npos);
  }
}

TEST(FindFinding, NamesThoseThatBeginSo) {
  std::vector<v1::Finding> findings;
  for (int i = 0; i < 40; ++i) findings.push_back(Calls("f" + std::to_string(i)));
  const v1::Report report = MakeReport(findings);
  const std::string id = FindingId(report.findings(0));
  size_t same = 0;
  for (const v1::Finding& finding : report.findings()) same += FindingId(finding)[0] == id[0];
  ASSERT_GT(same, 1u) << "40 ids begin with 16 digits";
  const absl::Status status = FindFinding(report, id.substr(0, 1)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(std::to_string(same) + " findings have an id that begins with"));
}

using ::testing::ElementsAre;

TEST(FindingKinds, AFunctionMattersAsItsArcsDoAndFollowersAsTheirCauseDoes) {
  v1::Finding arc = Calls("f", "main"), small = Calls("g", "main");
  arc.add_follows("below");
  small.set_material(false);
  small.add_follows("below_small");
  v1::Finding below_small = Calls("below_small");
  below_small.set_material(false);
  EXPECT_THAT(FindingKinds({arc, Calls("f"), Calls("below"), small, Calls("g"), below_small}),
              ElementsAre(FindingKind::kCause, FindingKind::kCause, FindingKind::kFollower,
                          FindingKind::kMinor, FindingKind::kMinor, FindingKind::kMinor));
}

TEST(FindingKinds, WhatMattersIsNotFoldedUnderAChangeThatOnlyMoved) {
  v1::Finding moved = Calls("f", "main");
  moved.set_verdict(v1::Finding::SHIFTED);
  moved.set_material(false);
  moved.add_follows("below");
  EXPECT_THAT(FindingKinds({moved, Calls("below")}),
              ElementsAre(FindingKind::kShifted, FindingKind::kCause));
}

TEST(FindingKinds, TimesAreCausesTotalsOrExplained) {
  v1::Finding explained = MakeFinding("f", v1::Finding::SELF_TIME);
  explained.set_explained(true);
  v1::Finding moved = MakeFinding("f", v1::Finding::SELF_TIME);
  moved.set_verdict(v1::Finding::SHIFTED);
  EXPECT_THAT(FindingKinds({MakeFinding("f", v1::Finding::SELF_TIME), explained, moved,
                            MakeFinding("f", v1::Finding::TOTAL_TIME)}),
              ElementsAre(FindingKind::kCause, FindingKind::kFollower, FindingKind::kShifted,
                          FindingKind::kTotalTime));
  EXPECT_THAT(FindingKinds({explained}), ElementsAre(FindingKind::kCause))
      << "what explains it does not matter, and it does";
}

TEST(LimitFindings, SaysHowManyAreNotListed) {
  v1::Report report;
  for (const char* function : {"f", "g", "h"}) report.add_findings()->set_function(function);
  LimitFindings(3, report);
  EXPECT_EQ(report.findings_size(), 3);
  EXPECT_EQ(report.warnings_size(), 0);
  LimitFindings(1, report);
  ASSERT_EQ(report.findings_size(), 1);
  EXPECT_EQ(report.findings(0).function(), "f");
  EXPECT_EQ(report.warnings(0), "2 less important findings are not listed");
}

TEST(ModeOf, HasTheOptionsThatMakeTheConfiguration) {
  EXPECT_EQ(ModeOf("k8-opt-gprof_lines").configuration, "gprof_lines");
  EXPECT_EQ(ModeOf("k8-opt-gprof_lines").compilation_mode, "--compilation_mode=opt");
  EXPECT_EQ(ModeOf("k8-dbg-gprof").compilation_mode, "--compilation_mode=dbg");
  EXPECT_EQ(ModeOf("").configuration, "gprof");
  EXPECT_EQ(ModeOf("").compilation_mode, "");
}

}  // namespace

}  // namespace gprofhub::reporter
