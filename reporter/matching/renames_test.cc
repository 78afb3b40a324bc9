#include "reporter/matching/renames.h"

#include <gmock/gmock.h>

#include <utility>

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Functions of both sides: 1 and 2. Of the base alone: 10, 11. Of the head alone: 20, 21.

TEST(FindRenames, WhoHasTheSameArcsAndSizeIsTheSame) {
  EXPECT_THAT(FindRenames({{{10, 100, 64, 0}}}, {{{1, 10, 100}, {10, 2, 300}}},
                          {{{20, 100, 66, 0}}}, {{{1, 20, 100}, {20, 2, 300}}}),
              ElementsAre(Pair(10, 20)));
}

TEST(FindRenames, AnotherCountIsAnotherFunction) {
  EXPECT_THAT(FindRenames({{{10, 100, 64, 0}}}, {{{1, 10, 100}, {10, 2, 300}}},
                          {{{20, 100, 64, 0}}}, {{{1, 20, 100}, {20, 2, 301}}}),
              IsEmpty());
}

TEST(FindRenames, AnotherSizeIsAnotherFunctionUnlessTheFileIsTheSame) {
  const LoneArc was = {1, 10, 100}, is = {1, 20, 100};
  EXPECT_THAT(FindRenames({{{10, 100, 64, 0}}}, {{was}}, {{{20, 100, 96, 0}}}, {{is}}), IsEmpty());
  EXPECT_THAT(FindRenames({{{10, 100, 64, 7}}}, {{was}}, {{{20, 100, 96, 7}}}, {{is}}),
              ElementsAre(Pair(10, 20)));
  EXPECT_THAT(FindRenames({{{10, 100, 64, 7}}}, {{was}}, {{{20, 100, 96, 8}}}, {{is}}), IsEmpty());
}

TEST(FindRenames, OfTwinsNobodyKnowsWhichIsWhich) {
  EXPECT_THAT(FindRenames({{{10, 5, 64, 0}, {11, 5, 64, 0}}}, {{{1, 10, 5}, {1, 11, 5}}},
                          {{{20, 5, 64, 0}, {21, 5, 64, 0}}}, {{{1, 20, 5}, {1, 21, 5}}}),
              IsEmpty());
}

TEST(FindRenames, AFoundNeighbourTellsTwinsApart) {
  // 10 and 11 differ only in their caller: 12, which is found first, and 1.
  EXPECT_THAT(FindRenames({{{10, 5, 64, 0}, {11, 5, 64, 0}, {12, 9, 32, 0}}},
                          {{{12, 10, 5}, {2, 11, 5}, {1, 12, 9}}},
                          {{{20, 5, 64, 0}, {21, 5, 64, 0}, {22, 9, 32, 0}}},
                          {{{22, 20, 5}, {2, 21, 5}, {1, 22, 9}}}),
              ElementsAre(Pair(10, 20), Pair(11, 21), Pair(12, 22)));
}

TEST(FindRenames, BesideAnotherChangeCountsPerCallTell) {
  // 1 and everything below it is now called twice as often.
  EXPECT_THAT(FindRenames({{{10, 100, 64, 0}}}, {{{1, 10, 100, 50}, {10, 2, 300, 100}}},
                          {{{20, 200, 64, 0}}}, {{{1, 20, 200, 100}, {20, 2, 600, 200}}}),
              ElementsAre(Pair(10, 20)));
  EXPECT_THAT(FindRenames({{{10, 100, 64, 0}}}, {{{1, 10, 100, 50}, {10, 2, 300, 100}}},
                          {{{20, 300, 64, 0}}}, {{{1, 20, 300, 100}, {20, 2, 900, 300}}}),
              IsEmpty());
}

TEST(FindRenames, TheNameWithoutItsScopeTellsWhereANeighbourIsTheSame) {
  const LoneFunction was = {10, 100, 64, 0, 5}, is = {20, 300, 640, 0, 5};
  EXPECT_THAT(FindRenames({{was}}, {{{1, 10, 100}}}, {{is}}, {{{1, 20, 300}}}),
              ElementsAre(Pair(10, 20)));
  EXPECT_THAT(FindRenames({{was}}, {{{1, 10, 100}}}, {{is}}, {{{2, 20, 300}}}), IsEmpty());
  const LoneFunction twin = {21, 7, 640, 0, 5};
  EXPECT_THAT(FindRenames({{was}}, {{{1, 10, 100}}}, {{is, twin}}, {{{1, 20, 300}, {1, 21, 7}}}),
              IsEmpty());
}

}  // namespace
}  // namespace gprofhub::reporter
