#include "reporter/times/findings/moved_times.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace gprofhub::reporter {
namespace {

FunctionTime Time(uint32_t function, double before, double after) {
  FunctionTime time;
  time.function = function;
  time.test.before_samples = before;
  time.test.after_samples = after;
  time.test.before_exposure = time.test.after_exposure = 100;
  return time;
}

// 0 calls 1. 2 has a file of its own; 3 has the same file as 0.
MatchedTarget Target() {
  MatchedTarget target;
  for (const char* name : {"caller", "callee", "far", "sibling"}) {
    FunctionPair& function = target.functions.emplace_back();
    function.name = name;
    function.after.calls.present = true;
    function.after.file = target.texts.Keep(std::string(name) + ".cc");
  }
  target.functions[3].after.file = "caller.cc";
  ArcPair& arc = target.arcs.emplace_back();
  arc.caller = 0;
  arc.callee = 1;
  return target;
}

TEST(MovedTimes, ANeighbourThatLostAsMuchMakesUpForIt) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> times = {Time(0, 8000, 2000), Time(1, 2000, 8000)};
  MovedTimes moved(target, times);
  const std::optional<v1::Shift> shift = moved.Find(times[1]);
  ASSERT_TRUE(shift.has_value());
  EXPECT_EQ(shift->kind(), v1::Shift::TIME_MOVED);
  ASSERT_EQ(shift->with_size(), 1);
  EXPECT_EQ(shift->with(0), "caller");
}

TEST(MovedTimes, AFunctionOfTheSameFileDoesToo) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> times = {Time(0, 2000, 8000), Time(3, 8000, 2000)};
  MovedTimes moved(target, times);
  const std::optional<v1::Shift> shift = moved.Find(times[0]);
  ASSERT_TRUE(shift.has_value());
  EXPECT_EQ(shift->with(0), "sibling");
}

TEST(MovedTimes, FunctionsAmongWhichCallsMovedDoTogether) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> times = {Time(0, 5000, 500), Time(2, 5000, 500),
                                           Time(3, 10, 9010)};
  MovedTimes moved(target, times);
  EXPECT_FALSE(moved.Find(times[1]).has_value());
  moved.AddShift({3, 0});
  moved.AddShift({3, 2});
  const std::optional<v1::Shift> shift = moved.Find(times[1]);
  ASSERT_TRUE(shift.has_value());
  EXPECT_EQ(shift->with(0), "sibling");
}

TEST(MovedTimes, AFunctionFarAwayDoesNot) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> times = {Time(0, 2000, 8000), Time(2, 8000, 2000)};
  EXPECT_FALSE(MovedTimes(target, times).Find(times[0]).has_value());
}

TEST(MovedTimes, HalfOfTheChangeAtMostMayRemain) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> little = {Time(0, 8000, 6000), Time(1, 2000, 8000)};
  EXPECT_FALSE(MovedTimes(target, little).Find(little[1]).has_value());
}

}  // namespace
}  // namespace gprofhub::reporter
