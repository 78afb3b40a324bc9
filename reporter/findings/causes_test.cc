#include "reporter/findings/causes.h"

#include <gmock/gmock.h>

#include <string>

#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

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

}  // namespace
}  // namespace gprofhub::reporter
