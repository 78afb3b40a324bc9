#include "reporter/times/findings/inlined_times.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::reporter {
namespace {

// f calls g. At the head, if `inlined`, g is inlined into f. f took 100 samples, and `f_after` at
// the head; g took 60, and `g_after`.
class InlinedTimesTest : public ::testing::Test {
 protected:
  std::optional<v1::Shift> Find(double f_after, double g_after, bool inlined = true) {
    target_.knows_inlined = true;
    target_.functions.resize(2);
    SetFunction(0, "f", 100, f_after);
    SetFunction(1, "g", 60, g_after);
    if (inlined) target_.functions[0].after.inlined = {1};
    FunctionTime time;
    time.function = 0;
    time.test.before_samples = 100;
    time.test.after_samples = f_after;
    time.test.before_exposure = time.test.after_exposure = 1000;
    return InlinedTimes(target_).Find(time);
  }

 private:
  void SetFunction(size_t i, const std::string& name, double before, double after) {
    FunctionPair& pair = target_.functions[i];
    pair.name = target_.texts.Keep(name);
    pair.before.self_samples = before;
    pair.after.self_samples = after;
    pair.before.calls.present = pair.after.calls.present = true;
  }
  MatchedTarget target_;
};

TEST_F(InlinedTimesTest, TimeOfWhatIsInlinedNowMovedIntoItsCaller) {
  const std::optional<v1::Shift> shift = Find(155, 8);
  ASSERT_TRUE(shift.has_value());
  EXPECT_EQ(shift->kind(), v1::Shift::TIME_MOVED);
  ASSERT_EQ(shift->with_size(), 1);
  EXPECT_EQ(shift->with(0), "g");
}

TEST_F(InlinedTimesTest, MoreThanWhatWasInlinedIsAChange) {
  EXPECT_FALSE(Find(400, 0).has_value());
}

TEST_F(InlinedTimesTest, TimeMovesOnlyWhereSomethingIsInlinedOtherwise) {
  EXPECT_FALSE(Find(155, 8, false).has_value());
}

TEST_F(InlinedTimesTest, WhatTookLongerTooGaveNothing) { EXPECT_FALSE(Find(155, 80).has_value()); }

}  // namespace
}  // namespace gprofhub::reporter
