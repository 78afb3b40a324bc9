#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/matching/match_target.h"
#include "reporter/matching/matched_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

// The result for the function "f", with the rows of each run.
CodeChange ChangeOf(const std::vector<profile::ComputedProfile>& before,
                    const std::vector<profile::ComputedProfile>& after) {
  const MatchedTarget target = MatchTarget(before, after, {});
  for (const FunctionPair& function : target.functions) {
    if (function.name == "f") return function.code;
  }
  ADD_FAILURE() << "there is no f";
  return CodeChange::kUnknown;
}

profile::ComputedProfile With(uint32_t code, uint32_t part = 0) {
  ProfileBuilder builder;
  builder.Function("f", 1).Code(code);
  if (part != 0) builder.Function("f.part.0", 1).Code(part);
  return builder.Build();
}

TEST(MatchCode, ComparesTheDigestsOfBothSides) {
  EXPECT_EQ(ChangeOf({With(1)}, {With(1)}), CodeChange::kSame);
  EXPECT_EQ(ChangeOf({With(1)}, {With(2)}), CodeChange::kChanged);
}

TEST(MatchCode, WithoutADigestNothingIsKnown) {
  EXPECT_EQ(ChangeOf({With(0)}, {With(0)}), CodeChange::kUnknown);
  EXPECT_EQ(ChangeOf({With(0)}, {With(2)}), CodeChange::kUnknown);
}

TEST(MatchCode, ABaseOfSeveralBuildsIsNotKnown) {
  EXPECT_EQ(ChangeOf({With(1), With(2)}, {With(2)}), CodeChange::kUnknown);
  EXPECT_EQ(ChangeOf({With(1), With(1)}, {With(2)}), CodeChange::kChanged);
}

TEST(MatchCode, AClonesCodeIsTheFunctions) {
  EXPECT_EQ(ChangeOf({With(1, 5)}, {With(1, 6)}), CodeChange::kChanged);
  EXPECT_EQ(ChangeOf({With(1, 5)}, {With(1, 5)}), CodeChange::kSame);
}

TEST(MatchCode, AClonesThatOnlyOneSideRanSayNothing) {
  EXPECT_EQ(ChangeOf({With(1)}, {With(1, 5)}), CodeChange::kSame);
}

TEST(MatchCode, AFunctionOfOneSideIsNotKnown) {
  EXPECT_EQ(ChangeOf({ProfileBuilder().Function("g").Code(3).Build()}, {With(1)}),
            CodeChange::kUnknown);
}

}  // namespace
}  // namespace gprofhub::reporter
