#include "reporter/counts/code_evidence.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/matching/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

// main → edited → below → deep, main → other → far. `edited`: its code digest on this side.
profile::ComputedProfile Program(uint32_t edited) {
  return ProfileBuilder()
      .Function("main", 1)
      .Code(1)
      .Function("edited", 1)
      .Code(edited)
      .Function("below", 1)
      .Code(3)
      .Function("deep", 1)
      .Code(4)
      .Function("other", 1)
      .Code(5)
      .Function("far", 1)
      .Code(6)
      .Arc("", "main", 1)
      .Arc("main", "edited", 2)
      .Arc("edited", "below", 3)
      .Arc("below", "deep", 4)
      .Arc("main", "other", 5)
      .Arc("other", "far", 6)
      .Build();
}

const ArcPair& ArcTo(const std::string& callee, const MatchedTarget& target) {
  for (const ArcPair& arc : target.arcs) {
    if (target.functions[arc.callee].name == callee) return arc;
  }
  ADD_FAILURE() << callee;
  return target.arcs.front();
}

CountChange Change(CountCertainty certainty) {
  CountChange change;
  change.answer = CountAnswer::kChanged;
  change.certainty = certainty;
  return change;
}

class CodeEvidenceTest : public ::testing::Test {
 protected:
  // With `runs` runs per side, and the code digest of "edited" in them.
  void Match(uint32_t before, uint32_t after, size_t runs = 1) {
    const std::vector<profile::ComputedProfile> base(runs, Program(before)),
        head(runs, Program(after));
    target_ = MatchTarget(base, head, {});
  }
  bool Believes(const std::string& callee, CountCertainty certainty, bool restless = false) const {
    return CodeEvidence(target_).Supports(ArcTo(callee, target_), Change(certainty), noisy_,
                                          restless);
  }

  MatchedTarget target_;
  NoisyFunctions noisy_;
};

constexpr CountCertainty kOneRun = CountCertainty::kOneRun;
constexpr CountCertainty kExact = CountCertainty::kExact;
constexpr CountCertainty kVaries = CountCertainty::kVaries;

TEST_F(CodeEvidenceTest, WithoutChangedCodeEveryDifferenceIsChance) {
  Match(2, 2);
  const CodeEvidence evidence(target_);
  EXPECT_TRUE(evidence.known());
  EXPECT_FALSE(evidence.any_changed());
  for (const char* callee : {"main", "edited", "deep", "far"}) {
    EXPECT_TRUE(evidence.IsChance(ArcTo(callee, target_).caller)) << callee;
    for (const CountCertainty certainty : {kOneRun, kExact, kVaries}) {
      EXPECT_FALSE(Believes(callee, certainty)) << callee;
    }
  }
}

TEST_F(CodeEvidenceTest, ChangedCodeReachesWhatItCallsAndWhatCallsIt) {
  Match(2, 7);
  const CodeEvidence evidence(target_);
  EXPECT_TRUE(evidence.any_changed());
  for (const char* callee : {"main", "edited", "below", "deep", "other"}) {
    EXPECT_FALSE(evidence.IsChance(ArcTo(callee, target_).caller)) << callee;
  }
  EXPECT_TRUE(evidence.IsChance(ArcTo("far", target_).caller)) << "only a sibling calls it";
  EXPECT_FALSE(Believes("far", kOneRun));
  EXPECT_FALSE(Believes("far", kVaries));
}

TEST_F(CodeEvidenceTest, ChangedCodeReachesWhatIsNewBesideIt) {
  // "edited" now tail-calls a new function, which is counted as a call of main's.
  profile::ComputedProfile head = ProfileBuilder()
                                      .Function("main", 1)
                                      .Code(1)
                                      .Function("edited", 1)
                                      .Code(20)
                                      .Function("new", 1)
                                      .Code(7)
                                      .Function("other", 1)
                                      .Code(5)
                                      .Arc("", "main", 1)
                                      .Arc("main", "edited", 2)
                                      .Arc("main", "new", 2)
                                      .Arc("main", "other", 5)
                                      .Build();
  const std::vector<profile::ComputedProfile> base = {Program(2)}, after = {head};
  target_ = MatchTarget(base, after, {});
  const CodeEvidence evidence(target_);
  for (uint32_t i = 0; i < target_.functions.size(); ++i) {
    const std::string name(target_.functions[i].name);
    EXPECT_EQ(evidence.IsChance(i), name == "other" || name == "far") << name;
  }
}

TEST_F(CodeEvidenceTest, OneRunIsBelievedOfChangedCode) {
  Match(2, 7);
  EXPECT_TRUE(Believes("below", kOneRun));
  EXPECT_TRUE(Believes("below", kOneRun, /*restless=*/true));
}

TEST_F(CodeEvidenceTest, OneRunIsBelievedOfReachedCodeOnlyWhereAllElseIsQuiet) {
  Match(2, 7);
  EXPECT_TRUE(Believes("deep", kOneRun));
  EXPECT_FALSE(Believes("deep", kOneRun, /*restless=*/true));
  EXPECT_TRUE(Believes("deep", kExact, /*restless=*/true));
}

TEST_F(CodeEvidenceTest, OneRunSaysNothingOfANoisyFunction) {
  noisy_ = {"below"};
  Match(2, 7);
  EXPECT_FALSE(Believes("below", kOneRun));
  EXPECT_FALSE(Believes("below", kExact)) << "several runs of the base alone do not help";
  Match(2, 7, 2);
  EXPECT_TRUE(Believes("below", kVaries)) << "its spread is known";
}

TEST_F(CodeEvidenceTest, RunsOfBothSidesThatAgreeAreBelievedWithoutAReasonInTheCode) {
  Match(2, 2, 2);
  EXPECT_TRUE(Believes("far", kExact)) << "the data changed";
  EXPECT_FALSE(Believes("far", kVaries));
}

TEST_F(CodeEvidenceTest, WhereNoCodeIsKnownNothingIsAsked) {
  Match(2, 7);
  for (FunctionPair& function : target_.functions) function.code = CodeChange::kUnknown;
  const CodeEvidence evidence(target_);
  EXPECT_FALSE(evidence.known());
  EXPECT_FALSE(evidence.IsChance(ArcTo("far", target_).caller));
  EXPECT_TRUE(Believes("far", kOneRun, /*restless=*/true));
}

}  // namespace
}  // namespace gprofhub::reporter
