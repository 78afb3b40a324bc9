#include "reporter/findings/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

v1::Compared Tests(int compared, int unchanged, int not_compared) {
  v1::Compared tests;
  for (int i = 0; i < compared; ++i) tests.add_targets("//a:compared");
  for (int i = 0; i < unchanged; ++i) tests.add_unchanged_targets("//a:unchanged");
  for (int i = 0; i < not_compared; ++i) tests.add_not_compared()->set_target("//a:unknown");
  return tests;
}

TEST(Coverage, SaysHowManyTestsWereNotCompared) {
  EXPECT_EQ(NotComparedWords(Tests(3, 2, 0)), "");
  EXPECT_EQ(NotComparedWords(Tests(3, 1, 1)), "1 of 5 tests was not compared");
  EXPECT_EQ(NotComparedWords(Tests(3, 0, 2)), "2 of 5 tests were not compared");
  EXPECT_EQ(NotComparedWords(Tests(0, 0, 2)), "none of the 2 tests could be compared");
  EXPECT_EQ(NotComparedWords(Tests(0, 0, 1)), "the test could not be compared");
}

TEST(Coverage, NothingComparedIsNotTheSame) {
  EXPECT_EQ(NothingComparedWords(Tests(1, 2, 3)), "");
  EXPECT_EQ(NothingComparedWords(Tests(0, 2, 0)), "the binary of every test is the base's");
  EXPECT_EQ(NothingComparedWords(Tests(0, 2, 1)),
            "the binaries of the other tests are the base's; 1 of 3 tests was not compared");
  EXPECT_EQ(NothingComparedWords(Tests(0, 0, 2)), "none of the 2 tests could be compared");
  v1::Compared apart;
  apart.add_new_targets("//a:new");
  EXPECT_EQ(NothingComparedWords(apart), "no test is on both sides");
}

TEST(Coverage, TargetsOfOneReasonStandTogether) {
  v1::Compared compared;
  for (const auto& [target, reason] : {std::pair("//a", "x"), {"//b", "y"}, {"//c", "x"}}) {
    v1::NotCompared& one = *compared.add_not_compared();
    one.set_target(target);
    one.set_reason(reason);
  }
  EXPECT_THAT(NotComparedByReason(compared),
              ElementsAre(Pair("x", ElementsAre("//a", "//c")), Pair("y", ElementsAre("//b"))));
}

}  // namespace
}  // namespace gprofhub::reporter
