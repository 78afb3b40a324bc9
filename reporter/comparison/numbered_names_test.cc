#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reporter/comparison/match_target.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// The lambda of this number in run(); gcc's name.
std::string Lambda(int number) {
  return "_ZZ3runvENKUliE" + (number == 1 ? "" : std::to_string(number - 2)) + "_clEi";
}

struct Numbered {
  std::string name;
  uint32_t code;
  uint64_t calls;
  uint32_t line;
};

std::vector<profile::ComputedProfile> OneRun(const std::vector<Numbered>& functions) {
  ProfileBuilder builder;
  builder.Function("run").Code(1);
  for (const Numbered& one : functions) {
    builder.Function(one.name, 0, 0, "run.cc", one.line, true).Size(80).Code(one.code);
    builder.Arc("run", one.name, one.calls, one.line);
  }
  return {builder.Build()};
}

// Calls of base and head of each function but run(); 0: the side lacks it.
using Calls = std::vector<std::pair<uint64_t, uint64_t>>;

Calls CallsOf(const std::vector<Numbered>& before, const std::vector<Numbered>& after) {
  Calls calls;
  for (const FunctionPair& pair : MatchTarget(OneRun(before), OneRun(after)).functions) {
    if (pair.name.empty() || pair.name == "run") continue;
    calls.emplace_back(pair.before.calls.sum, pair.after.calls.sum);
  }
  return calls;
}

TEST(NumberedNames, AnInsertedLambdaIsNewAndTheOthersKeepTheirCalls) {
  EXPECT_THAT(
      CallsOf({{Lambda(1), 11, 100, 10}, {Lambda(2), 12, 7, 20}},
              {{Lambda(1), 10, 50, 10}, {Lambda(2), 11, 100, 15}, {Lambda(3), 12, 7, 25}}),
      UnorderedElementsAre(std::make_pair(0, 50), std::make_pair(100, 100), std::make_pair(7, 7)));
}

TEST(NumberedNames, ADeletedLambdaIsGoneAndTheOthersKeepTheirCalls) {
  EXPECT_THAT(CallsOf({{Lambda(1), 11, 100, 10}, {Lambda(2), 12, 7, 20}, {Lambda(3), 13, 900, 30}},
                      {{Lambda(1), 11, 100, 10}, {Lambda(2), 13, 900, 20}}),
              UnorderedElementsAre(std::make_pair(100, 100), std::make_pair(7, 0),
                                   std::make_pair(900, 900)));
}

TEST(NumberedNames, SwappedLambdasArePairedByCode) {
  EXPECT_THAT(CallsOf({{Lambda(1), 11, 100, 10}, {Lambda(2), 12, 7, 20}},
                      {{Lambda(1), 12, 7, 10}, {Lambda(2), 11, 100, 20}}),
              UnorderedElementsAre(std::make_pair(100, 100), std::make_pair(7, 7)));
}

TEST(NumberedNames, AnEditedLambdaNextToAnInsertedOneIsPairedByTheShiftOfLines) {
  EXPECT_THAT(
      CallsOf({{Lambda(1), 11, 100, 10}, {Lambda(2), 12, 7, 20}},
              {{Lambda(1), 10, 50, 11}, {Lambda(2), 21, 200, 15}, {Lambda(3), 12, 7, 25}}),
      UnorderedElementsAre(std::make_pair(0, 50), std::make_pair(100, 200), std::make_pair(7, 7)));
}

TEST(NumberedNames, LambdasOfOneCodeArePairedByCalls) {
  EXPECT_THAT(
      CallsOf({{Lambda(1), 11, 100, 10}, {Lambda(2), 11, 7, 20}},
              {{Lambda(1), 11, 50, 10}, {Lambda(2), 11, 100, 15}, {Lambda(3), 11, 7, 25}}),
      UnorderedElementsAre(std::make_pair(0, 50), std::make_pair(100, 100), std::make_pair(7, 7)));
}

TEST(NumberedNames, EditedLambdasAreComparedByNumber) {
  EXPECT_THAT(CallsOf({{Lambda(1), 11, 100, 10}, {Lambda(2), 12, 7, 20}},
                      {{Lambda(1), 21, 7, 10}, {Lambda(2), 22, 100, 20}}),
              ElementsAre(std::make_pair(100, 7), std::make_pair(7, 100)));
}

TEST(NumberedNames, ClangsNumbersAndInstancesOfTemplatesFollow) {
  const std::string first = "_Z5applyIZ3runvE3$_0EvT_", second = "_Z5applyIZ3runvE3$_1EvT_";
  EXPECT_THAT(CallsOf({{first, 11, 100, 10}}, {{first, 10, 50, 10}, {second, 11, 100, 10}}),
              UnorderedElementsAre(std::make_pair(0, 50), std::make_pair(100, 100)));
}

TEST(NumberedNames, LambdasOfOtherFunctionsAndSignaturesAreOtherFamilies) {
  EXPECT_THAT(CallsOf({{Lambda(1), 11, 100, 10}}, {{"_ZZ4walkvENKUliE_clEi", 21, 100, 10}}),
              UnorderedElementsAre(std::make_pair(100, 100)));
  const auto matched =
      MatchTarget(OneRun({{Lambda(1), 11, 100, 10}, {"_ZZ3runvENKUlcE_clEc", 12, 7, 20}}),
                  OneRun({{Lambda(1), 12, 100, 10}, {"_ZZ3runvENKUlcE_clEc", 11, 7, 20}}));
  for (const FunctionPair& pair : matched.functions) EXPECT_FALSE(pair.renumbered);
}

TEST(NumberedNames, TheHeadsNameIsShownAndNotARename) {
  const auto matched = MatchTarget(OneRun({{Lambda(1), 11, 100, 10}}),
                                   OneRun({{Lambda(1), 10, 50, 10}, {Lambda(2), 11, 100, 15}}));
  const auto second = std::find_if(matched.functions.begin(), matched.functions.end(),
                                   [](const FunctionPair& pair) { return pair.name == Lambda(2); });
  ASSERT_NE(second, matched.functions.end());
  EXPECT_EQ(second->before.calls.sum, 100u);
  EXPECT_EQ(second->renamed_from, Lambda(1));
  EXPECT_TRUE(second->renumbered);
}

}  // namespace

}  // namespace gprofhub::reporter
