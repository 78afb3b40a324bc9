#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/match_target.h"
#include "reporter/comparison/moved_calls.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/testing/compared_profiles.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

v1::Report Compare(const ProfileBuilder& before, const ProfileBuilder& after) {
  return CompareTwo(before.Build(), after.Build());
}

// The finding about the calls of `function` by `caller`; a default one if there is none.
v1::Finding FindingOf(const v1::Report& report, const std::string& caller,
                      const std::string& function) {
  for (const v1::Finding& finding : report.findings()) {
    if (finding.function() == function && finding.caller() == caller) return finding;
  }
  return {};
}

// main → host → part → work, once each but for the last. `inlined`: host inlines part. Both are in
// one file, part first; host calls work `own` times itself, and part `in_part` times.
ProfileBuilder Program(bool inlined, uint64_t own, uint64_t in_part, uint64_t calls_of_part = 1) {
  ProfileBuilder builder;
  builder.Function("main").Inlines("tiny");
  if (!inlined) builder.Function("part", 0, 0, "src/a.cc", 20).Size(90);
  builder.Function("host", 0, 0, "src/a.cc", 40).Size(200);
  if (inlined) builder.Inlines("part");
  builder.Function("work").Size(60);
  builder.Arc("", "main", 1).Arc("main", "host", 10);
  if (!inlined) builder.Arc("host", "part", 10 * calls_of_part, 43);
  if (own > 0) builder.Arc("host", "work", 10 * own, 42, 8);
  if (in_part > 0) {
    builder.Arc(inlined ? "host" : "part", "work", 10 * in_part * calls_of_part, 22, 16);
  }
  return builder;
}

TEST(RestoreInlinedCalls, OnlyInlinedOtherwiseIsNoChangeOfCalls) {
  for (const bool inlined : {false, true}) {
    const v1::Report report = Compare(Program(inlined, 2, 3), Program(!inlined, 2, 3));
    for (const v1::Finding& finding : report.findings()) {
      EXPECT_EQ(finding.verdict(), v1::Finding::SHIFTED) << finding.DebugString();
      EXPECT_NE(finding.function(), "work") << finding.DebugString();
    }
  }
}

TEST(RestoreInlinedCalls, MoreWorkOfAFunctionThatIsNoLongerInlinedIsItsOwn) {
  const v1::Report report = Compare(Program(true, 2, 3), Program(false, 2, 9));
  EXPECT_EQ(report.findings(0).function(), "work");
  EXPECT_EQ(report.findings(0).caller(), "part");
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::REGRESSED);
  EXPECT_EQ(report.findings(0).before(), 30);
  EXPECT_EQ(report.findings(0).after(), 90);
  EXPECT_EQ(report.findings(0).site().line(), 22u);
  EXPECT_EQ(FindingOf(report, "host", "part").function(), "");
}

TEST(RestoreInlinedCalls, MoreWorkOfAFunctionThatIsInlinedNowIsItsOwn) {
  const v1::Report report = Compare(Program(false, 2, 3), Program(true, 2, 9));
  EXPECT_EQ(report.findings(0).caller(), "part");
  EXPECT_EQ(report.findings(0).before(), 30);
  EXPECT_EQ(report.findings(0).after(), 90);
  EXPECT_EQ(report.findings(0).site().line(), 22u);
}

TEST(RestoreInlinedCalls, ACallBelongsToTheFunctionOfItsLine) {
  const v1::Report report = Compare(Program(true, 2, 3), Program(false, 6, 3));
  EXPECT_EQ(report.findings(0).function(), "work");
  EXPECT_EQ(report.findings(0).caller(), "host");
  EXPECT_EQ(report.findings(0).before(), 20);
  EXPECT_EQ(report.findings(0).after(), 60);
}

TEST(RestoreInlinedCalls, ASecondCallOfWhatWasInlinedIsItsCallers) {
  const v1::Report report = Compare(Program(true, 0, 3), Program(false, 0, 3, 2));
  EXPECT_EQ(report.findings(0).function(), "part");
  EXPECT_EQ(report.findings(0).caller(), "host");
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::REGRESSED);
  EXPECT_EQ(report.findings(0).before(), 10);
  EXPECT_EQ(report.findings(0).after(), 20);
}

// host → part → piece → work; the base inlines both into host.
TEST(RestoreInlinedCalls, NestedFunctionsAreRestoredFromTheOutermost) {
  const auto program = [](bool inlined, uint64_t in_piece) {
    ProfileBuilder builder;
    builder.Function("main").Inlines("tiny").Function("host").Size(200);
    if (inlined) builder.Inlines("part").Inlines("piece");
    builder.Function("other").Size(10).Function("work").Size(60);
    builder.Arc("", "main", 1).Arc("main", "host", 10);
    if (inlined) return builder.Arc("host", "work", 50 * in_piece).Arc("host", "other", 10);
    builder.Function("part").Size(90).Function("piece").Size(50);
    builder.Arc("host", "part", 10).Arc("part", "other", 10).Arc("part", "piece", 50);
    return builder.Arc("piece", "work", 50 * in_piece);
  };
  const v1::Report report = Compare(program(true, 1), program(false, 3));
  EXPECT_EQ(report.findings(0).function(), "work");
  EXPECT_EQ(report.findings(0).caller(), "piece");
  EXPECT_EQ(report.findings(0).before(), 50);
  EXPECT_EQ(report.findings(0).after(), 150);
}

// Of two callers of part one inlines it at the base.
TEST(RestoreInlinedCalls, AFunctionOfBothSidesIsRestoredForTheCallerThatInlinedIt) {
  const auto program = [](bool inlined, uint64_t in_part) {
    ProfileBuilder builder = Program(inlined, 0, in_part);
    if (inlined) builder.Function("part", 0, 0, "src/a.cc", 20).Size(90);
    builder.Function("other").Size(70).Arc("main", "other", 4).Arc("other", "part", 4);
    return builder.Arc("part", "work", 4 * in_part, 22);
  };
  const v1::Report report = Compare(program(true, 3), program(false, 9));
  EXPECT_EQ(report.findings(0).function(), "work");
  EXPECT_EQ(report.findings(0).caller(), "part");
  EXPECT_EQ(report.findings(0).before(), 42);
  EXPECT_EQ(report.findings(0).after(), 126);
}

// Restored functions have new arcs; a function that is not restored has none.
TEST(RestoreInlinedCalls, ArcsStaySortedAndNewOnesHaveCalls) {
  for (const uint64_t made_by_host : {0, 3}) {
    ProfileBuilder before = Program(true, 0, made_by_host), after = Program(false, 0, 3);
    before.Function("part", 0, 0, "src/a.cc", 20).Function("zero").Arc("main", "part", 4);
    after.Function("zero").Arc("main", "part", 4).Arc("part", "zero", 9).Arc("main", "zero", 2);
    before.Arc("main", "zero", 2);
    const std::vector<profile::ComputedProfile> base = {before.Build()}, head = {after.Build()};
    MatchedTarget target = MatchTarget(base, head);
    RestoreInlinedCalls(target);
    EXPECT_TRUE(absl::c_is_sorted(target.arcs, [](const ArcPair& a, const ArcPair& b) {
      return std::make_pair(a.callee, a.caller) < std::make_pair(b.callee, b.caller);
    }));
    for (const ArcPair& arc : target.arcs) {
      // One that lost all its calls to a restored function stays.
      EXPECT_TRUE(arc.before.present || arc.after.present || arc.before.sum + arc.after.sum > 0)
          << target.functions[arc.callee].name << " with " << made_by_host;
    }
  }
}

}  // namespace
}  // namespace gprofhub::reporter
