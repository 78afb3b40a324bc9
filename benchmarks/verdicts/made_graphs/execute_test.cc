#include "benchmarks/verdicts/made_graphs/execute.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "benchmarks/verdicts/made_graphs/plant.h"
#include "benchmarks/verdicts/made_graphs/program.h"
#include "benchmarks/verdicts/made_graphs/random.h"
#include "profile/computed.h"

namespace gprofhub::benchmarks {
namespace {

Step Call(uint32_t callee) {
  Step step;
  step.callees = {callee};
  return step;
}

Step Around(Does does, uint32_t limit, Step inner) {
  Step step;
  step.does = does;
  step.limit = limit;
  step.body.push_back(std::move(inner));
  return step;
}

// test: five times f; f: g, and h if a cache that holds all has not the value.
Program Example() {
  Program program;
  for (const char* const name : {"test", "f", "g", "h"}) {
    Function& function = program.functions.emplace_back();
    function.name = name;
    function.file = "lib.cc";
    function.cost = 10;
  }
  program.tests = {0};
  program.kept = 1;
  program.functions[0].body = {Around(Does::kLoop, 5, Call(1))};
  program.functions[1].body = {Call(2), Around(Does::kLookup, 1, Call(3))};
  NumberLines(program);
  return program;
}

TEST(Execute, CountsTheCallsOfEachLine) {
  const std::optional<Execution> execution = Execute(Example(), 0, 1000);
  ASSERT_TRUE(execution.has_value());
  EXPECT_EQ(execution->arcs.at(std::make_tuple(0u, 12u, 1u)), 5u);
  EXPECT_EQ(execution->arcs.at(std::make_tuple(1u, 17u, 2u)), 5u);
  EXPECT_EQ(execution->calls[3], 1u) << "the cache has all values after the first";
  EXPECT_DOUBLE_EQ(execution->self[2], 50);
  EXPECT_DOUBLE_EQ(execution->with_children[0], execution->cost);
}

TEST(Execute, EndsWhenItDoesTooMuch) { EXPECT_FALSE(Execute(Example(), 0, 10).has_value()); }

TEST(ProfileOf, HasTheFunctionsThatRan) {
  Program program = Example();
  program.functions[0].body[0].limit = 0;
  const std::optional<Execution> execution = Execute(program, 0, 1000);
  Random random(1);
  EXPECT_EQ(ProfileOf(program, *execution, 1, random).functions.size(), 1u);
  const std::optional<Execution> whole = Execute(Example(), 0, 1000);
  const profile::ComputedProfile profile = ProfileOf(Example(), *whole, 1, random);
  EXPECT_EQ(profile.functions.size(), 4u);
  EXPECT_EQ(profile.functions[1].calls, 5u);
  EXPECT_EQ(profile.arcs.size(), 4u) << "with that from outside";
}

TEST(PlantChange, MarksTheCallsThatItAlters) {
  Random random(1);
  const std::optional<Planted> planted = PlantChange(Example(), Plant::kLookupSkipped, random);
  ASSERT_TRUE(planted.has_value());
  EXPECT_EQ(planted->function, 1u);
  EXPECT_TRUE(planted->program.functions[1].body[1].body[0].edited);
  EXPECT_FALSE(planted->program.functions[1].body[0].edited);
  EXPECT_EQ(Execute(planted->program, 0, 1000)->calls[3], 5u);
  EXPECT_FALSE(PlantChange(Example(), Plant::kExitRemoved, random).has_value());
}

}  // namespace
}  // namespace gprofhub::benchmarks
