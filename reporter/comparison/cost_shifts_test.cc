#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reporter/comparison/compare_sides.h"
#include "reporter/comparison/moved_calls.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

constexpr char kTarget[] = "//db:test";

v1::Report CompareTwo(const ProfileBuilder& before, const ProfileBuilder& after) {
  ComparisonSide base, head;
  base.targets[kTarget] = {before.Build()};
  head.targets[kTarget] = {after.Build()};
  return CompareSides(base, head, CompareOptions());
}

// Fails if there is any alarm; returns how `function` moved.
v1::Shift OnlyMoved(const v1::Report& report, const std::string& function) {
  v1::Shift shift;
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_TRUE(finding.verdict() != v1::Finding::REGRESSED &&
                finding.verdict() != v1::Finding::NEW && finding.verdict() != v1::Finding::IMPROVED)
        << finding.DebugString();
    if (finding.function() == function && finding.caller().empty() && finding.has_shift()) {
      shift = finding.shift();
    }
  }
  return shift;
}

// main → parse → (next, emit)
ProfileBuilder Program(const std::string& parse = "parse", const std::string& file = "src/a.cc") {
  ProfileBuilder builder;
  builder.Function("main", 0, 90).Size(400);
  builder.Function(parse, 30, 60, file).Size(200);
  builder.Function("next", 40).Size(100).Function("emit", 20).Size(60);
  builder.Arc("", "main", 1).Arc("main", parse, 10);
  builder.Arc(parse, "next", 80).Arc(parse, "emit", 20);
  return builder;
}

TEST(CostShifts, ARenamedFunctionIsKnownByWhatItDoes) {
  const v1::Shift shift = OnlyMoved(CompareTwo(Program(), Program("parse_all")), "parse_all");
  EXPECT_EQ(shift.kind(), v1::Shift::RENAMED);
  ASSERT_EQ(shift.with_size(), 1);
  EXPECT_EQ(shift.with(0), "parse");
}

TEST(CostShifts, AFunctionInAnotherFileMoved) {
  const v1::Shift shift = OnlyMoved(CompareTwo(Program(), Program("parse", "src/b.cc")), "parse");
  EXPECT_EQ(shift.kind(), v1::Shift::MOVED);
  EXPECT_EQ(shift.with(0), "src/a.cc");
}

TEST(CostShifts, AFunctionWhoseCallerTookOverItsCallsIsInlined) {
  ProfileBuilder after;
  after.Function("main", 30, 60).Size(560);
  after.Function("next", 40).Size(100).Function("emit", 20).Size(60);
  after.Arc("", "main", 1).Arc("main", "next", 80).Arc("main", "emit", 20);
  const v1::Shift shift = OnlyMoved(CompareTwo(Program(), after), "parse");
  EXPECT_EQ(shift.kind(), v1::Shift::INLINED);
  EXPECT_EQ(shift.with(0), "main");
}

TEST(CostShifts, WhatAFunctionEndsInACallOfIsTakenOutOfIt) {
  const auto program = [](bool is_after) {
    ProfileBuilder builder;
    builder.Function("main").Size(400).Function("next").Size(100);
    builder.Function("parse").Size(is_after ? 30 : 200);
    builder.Arc("", "main", 1).Arc("main", "parse", 10);
    if (is_after) builder.Function("parse_all").Size(210);
    // The jump at the end of parse keeps main's call on the stack.
    if (is_after) builder.Arc("main", "parse_all", 10);
    builder.Arc(is_after ? "parse_all" : "parse", "next", 80);
    return builder;
  };
  const v1::Shift shift = OnlyMoved(CompareTwo(program(false), program(true)), "parse_all");
  EXPECT_EQ(shift.kind(), v1::Shift::OUTLINED);
  ASSERT_EQ(shift.with_size(), 1);
  EXPECT_EQ(shift.with(0), "parse");
}

TEST(CostShifts, AStubThatIsInlinedMayEndInACallToo) {
  const auto program = [](bool is_after) {
    ProfileBuilder builder;
    builder.Function("main").Size(400).Inlines("tiny");
    if (is_after) builder.Inlines("parse");
    builder.Function("other").Size(300).Function("next").Size(100);
    builder.Function("parse").Size(is_after ? 60 : 320);
    builder.Arc("", "main", 1).Arc("main", "other", 2).Arc("other", "parse", 5);
    if (!is_after) builder.Arc("main", "parse", 10);
    if (is_after) builder.Function("parse_all").Size(256);
    if (is_after) builder.Arc("main", "parse_all", 10).Arc("other", "parse_all", 5);
    builder.Arc(is_after ? "parse_all" : "parse", "next", 80);
    return builder;
  };
  const v1::Shift shift = OnlyMoved(CompareTwo(program(false), program(true)), "parse_all");
  ASSERT_EQ(shift.with_size(), 1);
  EXPECT_EQ(shift.with(0), "parse");
}

TEST(CostShifts, WorkIsHandedOverBesideATrueChangeOfItsOtherCalls) {
  const auto program = [](bool is_after) {
    ProfileBuilder builder;
    builder.Function("main").Size(400).Function("worse").Size(300);
    builder.Function("next", 60).Size(100);
    builder.Function("parse").Size(is_after ? 60 : 200);
    builder.Arc("", "main", 1).Arc("main", "worse", 10).Arc("worse", "next", is_after ? 100 : 50);
    if (!is_after) builder.Arc("main", "parse", 10).Arc("parse", "next", 80);
    if (is_after) builder.Function("parse_step").Size(190).Arc("main", "parse_step", 10);
    if (is_after) builder.Arc("main", "parse", 10).Arc("parse_step", "next", 80);
    return builder;
  };
  const v1::Report report = CompareTwo(program(false), program(true));
  ASSERT_GT(report.findings_size(), 0);
  EXPECT_EQ(report.findings(0).function(), "next");
  EXPECT_EQ(report.findings(0).caller(), "worse");
  for (const v1::Finding& finding : report.findings()) {
    if (finding.function() != "parse_step") continue;
    EXPECT_EQ(finding.verdict(), v1::Finding::SHIFTED) << finding.DebugString();
  }
}

// main → (once, twice) → gone → leaf, which is inlined into gone, and into once.
// At the head gone is inlined into its callers, and leaf into no further function.
ProfileBuilder WithGone(bool is_after, uint64_t from_once, uint64_t from_twice) {
  ProfileBuilder builder;
  builder.Function("main").Inlines("tiny");
  builder.Function("once").Size(200).Inlines("leaf");
  if (is_after) builder.Inlines("gone");
  builder.Function("twice").Size(200);
  if (is_after) builder.Inlines("gone");
  builder.Function("leaf").Size(60);
  builder.Arc("", "main", 1).Arc("main", "once", 10).Arc("main", "twice", 10);
  builder.Arc("main", "leaf", 7);
  if (!is_after) {
    builder.Function("gone").Size(90).Inlines("leaf");
    builder.Arc("once", "gone", 30).Arc("twice", "gone", 40);
  }
  if (from_once > 0) builder.Arc("once", "leaf", from_once);
  if (from_twice > 0) builder.Arc("twice", "leaf", from_twice);
  return builder;
}

TEST(CostShifts, CallsThatAFunctionInlinedWhichIsGoneAreItsOwn) {
  const v1::Shift shift =
      OnlyMoved(CompareTwo(WithGone(false, 0, 0), WithGone(true, 60, 80)), "leaf");
  EXPECT_EQ(shift.kind(), v1::Shift::OUTLINED);
}

TEST(CostShifts, CallsBesideThoseOfTheFunctionThatIsGoneAreNotItsOwn) {
  const v1::Report report = CompareTwo(WithGone(false, 0, 0), WithGone(true, 60, 95));
  ASSERT_GT(report.findings_size(), 0);
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::REGRESSED);
  EXPECT_EQ(report.findings(0).function(), "leaf");
}

// main → (once, twice) → leaf, which is inlined into `into`.
ProfileBuilder WithLeafIn(const std::string& into, uint64_t from_once, uint64_t from_twice) {
  ProfileBuilder builder;
  builder.Function("main").Inlines("tiny");
  for (const std::string name : {"once", "twice"}) {
    builder.Function(name).Size(200);
    if (name == into) builder.Inlines("leaf");
  }
  builder.Function("leaf").Size(60);
  builder.Arc("", "main", 1).Arc("main", "once", 10).Arc("main", "twice", 10);
  if (from_once > 0) builder.Arc("once", "leaf", from_once);
  if (from_twice > 0) builder.Arc("twice", "leaf", from_twice);
  return builder;
}

TEST(CostShifts, AFunctionInlinedIntoOneCallerAndNoLongerIntoAnotherMoved) {
  const v1::Shift shift =
      OnlyMoved(CompareTwo(WithLeafIn("once", 0, 20), WithLeafIn("twice", 10, 0)), "leaf");
  EXPECT_EQ(shift.kind(), v1::Shift::INLINED);
}

TEST(CostShifts, CallsOfACallerThatInlinesNothingElseAreNoInlining) {
  const v1::Report report = CompareTwo(WithLeafIn("once", 0, 20), WithLeafIn("once", 0, 40));
  ASSERT_GT(report.findings_size(), 0);
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::REGRESSED);
  EXPECT_EQ(report.findings(0).caller(), "twice");
}

TEST(CostShifts, WhatIsInlinedIntoAllItsCallersIsInlinedWhateverBecameOfItsCalls) {
  ProfileBuilder before, after;
  for (ProfileBuilder* side : {&before, &after}) {
    side->Function("main").Inlines("tiny").Function("host").Size(200);
    if (side == &after) side->Inlines("gone");
    side->Function("work").Size(60);
    side->Arc("", "main", 1).Arc("main", "host", 10);
  }
  before.Function("gone").Size(90).Arc("host", "gone", 10).Arc("gone", "work", 30);
  after.Arc("host", "work", 60);
  const v1::Report report = CompareTwo(before, after);
  for (const v1::Finding& finding : report.findings()) {
    if (finding.function() != "gone") continue;
    EXPECT_EQ(finding.shift().kind(), v1::Shift::INLINED) << finding.DebugString();
  }
  EXPECT_EQ(report.findings(0).function(), "work") << "it is called twice as often";
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::REGRESSED);
}

// For example, it became a template: then the head inlines it under another name.
TEST(CostShifts, WhatCameOutOfAFunctionThatIsGoneIsNotWhatItBecame) {
  ProfileBuilder before, after;
  for (ProfileBuilder* side : {&before, &after}) {
    side->Function("main").Inlines("tiny").Function("host").Size(side == &before ? 200 : 260);
    side->Function("work").Size(60).Arc("", "main", 1).Arc("main", "host", 10);
    side->Arc("main", "work", 500);
  }
  before.Function("gone").Size(190).Inlines("step").Inlines("work").Arc("host", "gone", 10);
  after.Function("step").Size(60).Arc("host", "step", 10).Arc("host", "work", 10);
  const v1::Report report = CompareTwo(before, after);
  EXPECT_EQ(OnlyMoved(report, "gone").kind(), v1::Shift::INLINED);
  EXPECT_EQ(OnlyMoved(report, "step").kind(), v1::Shift::OUTLINED);
  EXPECT_EQ(OnlyMoved(report, "work").kind(), v1::Shift::OUTLINED);
}

// main → host → step → leaf, and main → other → step. The base inlines step into host, the head
// leaf into step. host calls step `from_host` times at the head.
ProfileBuilder WithStepIn(bool is_after, uint64_t from_host) {
  ProfileBuilder builder;
  builder.Function("main").Inlines("tiny");
  builder.Function("host").Size(200);
  if (!is_after) builder.Inlines("step");
  builder.Function("other").Size(100);
  builder.Function("step").Size(80);
  if (is_after) builder.Inlines("leaf");
  builder.Function("leaf").Size(60);
  builder.Arc("", "main", 1).Arc("main", "host", 10).Arc("main", "other", 5);
  builder.Arc("other", "step", 20).Arc("main", "leaf", 7);
  if (!is_after) builder.Arc("host", "leaf", 160).Arc("step", "leaf", 80);
  if (is_after) builder.Arc("host", "step", from_host);
  return builder;
}

TEST(CostShifts, AFunctionThatIsNoLongerInlinedMayInlineWhatItCalls) {
  const v1::Report report = CompareTwo(WithStepIn(false, 0), WithStepIn(true, 40));
  EXPECT_EQ(OnlyMoved(report, "step").kind(), v1::Shift::OUTLINED);
  EXPECT_EQ(OnlyMoved(report, "leaf").kind(), v1::Shift::INLINED);
}

TEST(CostShifts, MoreCallsThanTheMakerMakesElsewhereDidNotComeWithIt) {
  // One call of step replaces 160 of leaf; elsewhere it makes four.
  const v1::Report report = CompareTwo(WithStepIn(false, 0), WithStepIn(true, 1));
  const auto alarms = [&](const std::string& function) {
    return std::any_of(
        report.findings().begin(), report.findings().end(), [&](const v1::Finding& finding) {
          return finding.function() == function && finding.verdict() == v1::Finding::IMPROVED;
        });
  };
  EXPECT_TRUE(alarms("leaf"));
}

TEST(CostShifts, AFunctionThatIsNoLongerInlinedHidesNoWorkThatItHandsOnTwice) {
  const auto program = [](bool is_after) {
    ProfileBuilder builder = WithStepIn(is_after, 40);
    builder.Function("work").Size(300);
    if (!is_after) builder.Arc("host", "work", 40).Arc("step", "work", 20);
    if (is_after) builder.Arc("step", "work", 120);
    return builder;
  };
  const v1::Report report = CompareTwo(program(false), program(true));
  ASSERT_GT(report.findings_size(), 0);
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::REGRESSED)
      << report.findings(0).DebugString();
}

TEST(CostShifts, CallsThatFollowFromATrueChangeMayStandBesideInlinedOnes) {
  const auto program = [](bool is_after) {
    ProfileBuilder builder;
    builder.Function("main").Inlines("tiny").Function("host").Size(200);
    if (!is_after) builder.Inlines("leaf");
    builder.Function("worse").Size(300).Function("loop").Size(100).Function("leaf").Size(60);
    builder.Arc("", "main", 1).Arc("main", "host", 10).Arc("main", "worse", 10);
    builder.Arc("worse", "loop", is_after ? 40 : 20).Arc("loop", "leaf", is_after ? 160 : 80);
    if (is_after) builder.Arc("host", "leaf", 30);
    return builder;
  };
  const v1::Report report = CompareTwo(program(false), program(true));
  ASSERT_GT(report.findings_size(), 0);
  EXPECT_EQ(report.findings(0).function(), "loop");
  EXPECT_EQ(report.findings(0).caller(), "worse");
  for (const v1::Finding& finding : report.findings()) {
    if (finding.function() != "leaf") continue;
    EXPECT_EQ(finding.verdict(), v1::Finding::SHIFTED) << finding.DebugString();
  }
}

TEST(CostShifts, AFunctionThatIsInlinedAtSomeOfItsCallsOnlyIsNotNew) {
  ProfileBuilder before, after;
  for (ProfileBuilder* side : {&before, &after}) {
    side->Function("main").Inlines("tiny").Function("host").Size(200).Inlines("step");
    side->Arc("", "main", 1).Arc("main", "host", 10);
  }
  after.Function("step").Size(60).Arc("host", "step", 40);
  EXPECT_EQ(OnlyMoved(CompareTwo(before, after), "step").kind(), v1::Shift::OUTLINED);
}

TEST(CostShifts, AFunctionThatNothingInlinedIsNew) {
  ProfileBuilder before, after;
  for (ProfileBuilder* side : {&before, &after}) {
    side->Function("main").Inlines("tiny").Function("host").Size(200);
    side->Arc("", "main", 1).Arc("main", "host", 10);
  }
  after.Function("step").Size(60).Arc("host", "step", 40);
  const v1::Report report = CompareTwo(before, after);
  ASSERT_GT(report.findings_size(), 0);
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::NEW);
}

TEST(CostShifts, ALeafWhoseCallerGrewIsInlined) {
  ProfileBuilder after;
  after.Function("main", 0, 90).Size(400).Function("parse", 50, 40).Size(240);
  after.Function("next", 40).Size(100);
  after.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "next", 80);
  EXPECT_EQ(OnlyMoved(CompareTwo(Program(), after), "emit").kind(), v1::Shift::INLINED);
}

TEST(CostShifts, ACallThatWasDeletedIsNoInlining) {
  ProfileBuilder after;
  after.Function("main", 0, 70).Size(400).Function("parse", 30, 40).Size(180);
  after.Function("next", 40).Size(100);
  after.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "next", 80);
  const v1::Report report = CompareTwo(Program(), after);
  EXPECT_EQ(report.findings(0).function(), "emit");
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::VANISHED);
}

TEST(CostShifts, APartTakenOutOfItsCallerIsOutlined) {
  ProfileBuilder after;
  after.Function("main", 0, 90).Size(400).Function("parse", 10, 80).Size(100);
  after.Function("parse_line", 20, 60).Size(120);
  after.Function("next", 40).Size(100).Function("emit", 20).Size(60);
  after.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "parse_line", 10);
  after.Arc("parse_line", "next", 80).Arc("parse_line", "emit", 20);
  const v1::Shift shift = OnlyMoved(CompareTwo(Program(), after), "parse_line");
  EXPECT_EQ(shift.kind(), v1::Shift::OUTLINED);
  EXPECT_EQ(shift.with(0), "parse");
}

TEST(CostShifts, ANewFunctionThatDoesNewWorkIsNew) {
  ProfileBuilder after;
  after.Function("main", 0, 90).Size(400).Function("parse", 30, 60).Size(212);
  after.Function("check", 20).Size(120);
  after.Function("next", 40).Size(100).Function("emit", 20).Size(60);
  after.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "check", 10);
  after.Arc("parse", "next", 80).Arc("parse", "emit", 20);
  const v1::Report report = CompareTwo(Program(), after);
  EXPECT_EQ(report.findings(0).function(), "check");
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::NEW);
}

TEST(CostShifts, WhatTookOverItsCallersCallsIsOutlinedWhateverTheSizes) {
  ProfileBuilder after;
  after.Function("main", 0, 90).Size(400).Function("parse", 10, 80).Size(230);
  after.Function("parse_line", 20, 60).Size(120);
  after.Function("next", 40).Size(100).Function("emit", 20).Size(60);
  after.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "parse_line", 10);
  after.Arc("parse_line", "next", 80).Arc("parse", "emit", 20);
  EXPECT_EQ(OnlyMoved(CompareTwo(Program(), after), "parse_line").kind(), v1::Shift::OUTLINED);
}

TEST(CostShifts, WhatTookOverAVanishedFunctionsCallsIsASplit) {
  ProfileBuilder after;
  after.Function("main", 0, 90).Size(400).Function("parse_all", 30, 60).Size(300);
  after.Function("next", 40).Size(100).Function("emit", 20).Size(60);
  after.Arc("", "main", 1).Arc("main", "parse_all", 7);
  after.Arc("parse_all", "next", 80).Arc("parse_all", "emit", 20);
  const v1::Shift shift = OnlyMoved(CompareTwo(Program(), after), "parse_all");
  EXPECT_EQ(shift.kind(), v1::Shift::SPLIT);
  EXPECT_EQ(shift.with(0), "parse");
}

TEST(CostShifts, ANewFunctionThatCallsMoreThanBeforeIsNew) {
  ProfileBuilder after;
  after.Function("main", 0, 90).Size(400).Function("parse", 10, 80).Size(150);
  after.Function("parse_line", 20, 60).Size(60);
  after.Function("next", 40).Size(100).Function("emit", 20).Size(60);
  after.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "parse_line", 10);
  after.Arc("parse_line", "next", 90).Arc("parse", "emit", 20);
  const v1::Report report = CompareTwo(Program(), after);
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::NEW);
  EXPECT_EQ(report.findings(0).function(), "parse_line");
}

TEST(CostShifts, WhatInlinesTheCallsOfItsCallerIsOutlined) {
  ProfileBuilder before, after;
  before.Function("main", 0, 90).Inlines("x").Size(400).Function("parse", 40, 50).Size(150);
  before.Function("next", 50).Size(100);
  before.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "next", 80);
  after.Function("main", 0, 90).Inlines("x").Size(400).Function("parse", 40, 50).Size(160);
  after.Function("parse_part", 50).Size(120).Inlines("next");
  after.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "parse_part", 10);
  const v1::Report report = CompareTwo(before, after);
  EXPECT_EQ(OnlyMoved(report, "parse_part").kind(), v1::Shift::OUTLINED);
}

TEST(CostShifts, AFunctionWhoseBodyMovedBehindAStubIsSplit) {
  ProfileBuilder after;
  after.Function("main", 0, 90).Size(400).Function("parse", 30, 60).Size(210);
  after.Function("next", 2).Size(60).Function("next_slow", 38).Size(102);
  after.Function("emit", 20).Size(60);
  after.Arc("", "main", 1).Arc("main", "parse", 10);
  after.Arc("parse", "next", 80).Arc("next", "next_slow", 3).Arc("parse", "emit", 20);
  const v1::Shift shift = OnlyMoved(CompareTwo(Program(), after), "next_slow");
  EXPECT_EQ(shift.kind(), v1::Shift::SPLIT);
  EXPECT_EQ(shift.with(0), "next");
}

TEST(CostShifts, AFunctionSplitInTwoIsNoAlarm) {
  ProfileBuilder after;
  after.Function("main", 0, 90).Size(400).Function("parse_names", 15, 40).Size(100);
  after.Function("parse_values", 15, 20).Size(110);
  after.Function("next", 40).Size(100).Function("emit", 20).Size(60);
  after.Arc("", "main", 1).Arc("main", "parse_names", 10).Arc("main", "parse_values", 10);
  after.Arc("parse_names", "next", 80).Arc("parse_values", "emit", 20);
  const v1::Report report = CompareTwo(Program(), after);
  EXPECT_EQ(OnlyMoved(report, "parse_names").kind(), v1::Shift::SPLIT);
  EXPECT_EQ(OnlyMoved(report, "parse").with_size(), 2);
}

v1::Finding WholeCalls(const std::string& function, v1::Finding::Verdict verdict) {
  v1::Finding finding;
  finding.set_metric(v1::Finding::CALLS);
  finding.set_function(function);
  finding.set_verdict(verdict);
  finding.set_material(verdict == v1::Finding::VANISHED);
  finding.set_before(10);
  return finding;
}

MatchedTarget TargetOf(const char* function) {
  MatchedTarget target;
  target.functions.emplace_back();
  target.functions.back().name = function;
  target.functions.back().after.calls.present = true;
  return target;
}

// One target shows that parse was split. The others only lost it.
TEST(ShiftInAllTargets, AFunctionThatMovedInOneTargetMovedInAll) {
  const MatchedTarget has_taker = TargetOf("parse_names"), has_none = TargetOf("other");
  std::vector<v1::Finding> clear = {WholeCalls("parse", v1::Finding::SHIFTED)};
  clear[0].mutable_shift()->set_kind(v1::Shift::SPLIT);
  clear[0].mutable_shift()->add_with("parse_names");
  std::vector<v1::Finding> lost = {WholeCalls("parse", v1::Finding::VANISHED),
                                   WholeCalls("emit", v1::Finding::VANISHED),
                                   WholeCalls("parse", v1::Finding::REGRESSED)};
  std::vector<v1::Finding> elsewhere = {WholeCalls("parse", v1::Finding::VANISHED)};
  ShiftInAllTargets({{&has_none, &elsewhere}, {&has_taker, &lost}, {&has_taker, &clear}});
  EXPECT_EQ(lost[0].verdict(), v1::Finding::SHIFTED);
  EXPECT_EQ(lost[0].shift().with(0), "parse_names");
  EXPECT_FALSE(lost[0].material());
  EXPECT_EQ(lost[1].verdict(), v1::Finding::VANISHED) << "another function";
  EXPECT_EQ(lost[2].verdict(), v1::Finding::REGRESSED) << "it is still there";
  EXPECT_EQ(elsewhere[0].verdict(), v1::Finding::VANISHED) << "nothing took its work over there";
}

TEST(ShiftInAllTargets, AnotherNameDoesNotMoveCalls) {
  const MatchedTarget target = TargetOf("parse_all");
  std::vector<v1::Finding> renamed = {WholeCalls("parse", v1::Finding::SHIFTED)};
  renamed[0].mutable_shift()->set_kind(v1::Shift::RENAMED);
  renamed[0].mutable_shift()->add_with("parse_all");
  std::vector<v1::Finding> lost = {WholeCalls("parse", v1::Finding::VANISHED)};
  ShiftInAllTargets({{&target, &renamed}, {&target, &lost}});
  EXPECT_EQ(lost[0].verdict(), v1::Finding::VANISHED);
}

TEST(ShiftInAllTargets, IsPartOfAComparison) {
  const auto split = [](uint64_t names) {
    ProfileBuilder after;
    after.Function("main", 0, 90).Size(400).Function("parse_names", 15, 40).Size(100);
    after.Function("parse_values", 15, 20).Size(110);
    after.Function("next", 40).Size(100).Function("emit", 20).Size(60);
    after.Arc("", "main", 1).Arc("main", "parse_names", names).Arc("main", "parse_values", 10);
    return after.Arc("parse_names", "next", 8 * names).Arc("parse_values", "emit", 20).Build();
  };
  const auto verdict = [&](const std::vector<std::string>& targets) {
    ComparisonSide base, head;
    for (const std::string& target : targets) {
      base.targets[target] = {Program().Build()};
      head.targets[target] = {split(target == "//a:clear" ? 10 : 77)};
    }
    const v1::Report report = CompareSides(base, head, CompareOptions());
    for (const v1::Finding& finding : report.findings()) {
      if (finding.function() == "parse" && finding.caller().empty() &&
          finding.metric() == v1::Finding::CALLS && finding.target() == "//a:more") {
        return finding.verdict();
      }
    }
    return v1::Finding::VERDICT_UNSPECIFIED;
  };
  EXPECT_EQ(verdict({"//a:more"}), v1::Finding::VANISHED);
  EXPECT_EQ(verdict({"//a:clear", "//a:more"}), v1::Finding::SHIFTED);
}

TEST(CostShifts, ClonesOfAFunctionAreTheFunction) {
  ProfileBuilder after;
  after.Function("main", 0, 90).Size(400);
  after.Function("parse", 10, 80).Size(90).Function("parse.part.0", 20, 60).Size(110);
  after.Function("next.constprop.0", 40).Size(100).Function("emit", 20).Size(60);
  after.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "parse.part.0", 7);
  after.Arc("parse.part.0", "next.constprop.0", 80).Arc("parse.part.0", "emit", 20);
  const v1::Report report = CompareTwo(Program(), after);
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_NE(finding.metric(), v1::Finding::CALLS) << finding.DebugString();
  }
}

}  // namespace

}  // namespace gprofhub::reporter
