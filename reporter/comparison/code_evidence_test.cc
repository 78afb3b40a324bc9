#include "reporter/comparison/code_evidence.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/computed.h"
#include "profile/raw_profile.h"
#include "reporter/comparison/match_target.h"
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
  Belief BeliefIn(const std::string& callee, const CountChange& change,
                  bool restless = false) const {
    return CodeEvidence(target_).Judge(ArcTo(callee, target_), change, noisy_, restless);
  }
  Belief BeliefIn(const std::string& callee, CountCertainty certainty,
                  bool restless = false) const {
    return BeliefIn(callee, Change(certainty), restless);
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
  EXPECT_EQ(evidence.JudgeApart(), Belief::kChance);
  for (const char* callee : {"main", "edited", "deep", "far"}) {
    EXPECT_TRUE(evidence.IsApart(ArcTo(callee, target_).caller)) << callee;
    for (const CountCertainty certainty : {kOneRun, kExact, kVaries}) {
      EXPECT_EQ(BeliefIn(callee, certainty), Belief::kChance) << callee;
    }
  }
}

TEST_F(CodeEvidenceTest, ChangedCodeReachesItsCalleesAndCallers) {
  Match(2, 7);
  const CodeEvidence evidence(target_);
  EXPECT_TRUE(evidence.any_changed());
  for (const char* callee : {"main", "edited", "below", "deep", "other"}) {
    EXPECT_FALSE(evidence.IsApart(ArcTo(callee, target_).caller)) << callee;
  }
  EXPECT_TRUE(evidence.IsApart(ArcTo("far", target_).caller)) << "only a sibling calls it";
}

TEST_F(CodeEvidenceTest, ChangedCodeMayStoreTheDataOfASibling) {
  Match(2, 7);
  EXPECT_EQ(BeliefIn("far", kOneRun), Belief::kUnconfirmed);
  EXPECT_EQ(BeliefIn("far", kExact), Belief::kUnconfirmed) << "only the base's runs agree";
  EXPECT_EQ(CodeEvidence(target_).JudgeApart(), Belief::kUnconfirmed);
  CountChange confirmed = Change(kExact);
  confirmed.confirmed = true;
  EXPECT_EQ(BeliefIn("far", confirmed), Belief::kAccepted);
  noisy_.suspected = {"far"};
  EXPECT_EQ(BeliefIn("far", confirmed), Belief::kUnconfirmed);
}

TEST_F(CodeEvidenceTest, ASiblingThatIsKnownToVaryDiffersByChance) {
  Match(2, 7);
  noisy_.varying = {"far"};
  EXPECT_EQ(BeliefIn("far", kOneRun), Belief::kChance);
  EXPECT_EQ(BeliefIn("far", kVaries), Belief::kUnconfirmed) << "beyond its variation";
}

TEST_F(CodeEvidenceTest, EditedFunctionsAreNamedTheNearestFirst) {
  Match(2, 7);
  for (FunctionPair& function : target_.functions) {
    if (function.name == "deep") function.code = CodeChange::kChanged;
  }
  const NearbyEdits edits(target_);
  const uint32_t far = ArcTo("far", target_).callee;
  EXPECT_EQ(edits.Of(far, 3), (std::vector<std::string>{"edited", "deep"}));
  EXPECT_EQ(edits.Of(far, 1), (std::vector<std::string>{"edited"}));
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
    EXPECT_EQ(evidence.IsApart(i), name == "other" || name == "far") << name;
  }
}

TEST_F(CodeEvidenceTest, OneRunIsBelievedOfChangedCode) {
  Match(2, 7);
  EXPECT_EQ(BeliefIn("below", kOneRun), Belief::kAccepted);
  EXPECT_EQ(BeliefIn("below", kOneRun, /*restless=*/true), Belief::kAccepted);
}

TEST_F(CodeEvidenceTest, OneRunIsBelievedOfReachedCodeOnlyWhereAllElseIsQuiet) {
  Match(2, 7);
  EXPECT_EQ(BeliefIn("deep", kOneRun), Belief::kAccepted);
  EXPECT_EQ(BeliefIn("deep", kOneRun, /*restless=*/true), Belief::kUnconfirmed);
  EXPECT_EQ(BeliefIn("deep", kExact, /*restless=*/true), Belief::kAccepted);
}

TEST_F(CodeEvidenceTest, OneRunSaysNothingOfANoisyFunction) {
  noisy_.varying = {"below"};
  Match(2, 7);
  EXPECT_EQ(BeliefIn("below", kOneRun), Belief::kUnconfirmed) << "the edit may be the reason";
  EXPECT_EQ(BeliefIn("below", kExact), Belief::kUnconfirmed)
      << "several runs of the base alone do not help";
  Match(2, 7, 2);
  EXPECT_EQ(BeliefIn("below", kVaries), Belief::kAccepted) << "its spread is known";
}

TEST_F(CodeEvidenceTest, RunsOfBothSidesThatAgreeAreBelievedWithoutAReasonInTheCode) {
  Match(2, 2, 2);
  EXPECT_EQ(BeliefIn("far", kExact), Belief::kAccepted) << "the data changed";
  EXPECT_EQ(BeliefIn("far", kVaries), Belief::kChance);
}

TEST_F(CodeEvidenceTest, InAnotherEnvironmentOnlyEditedFunctionsAreBelieved) {
  for (const size_t runs : {1, 3}) {
    Match(2, 7, runs);
    target_.other_environment = true;
    CountChange confirmed = Change(kExact);
    confirmed.confirmed = true;
    EXPECT_EQ(BeliefIn("below", confirmed), Belief::kAccepted) << "the edited function's own call";
    for (const char* callee : {"main", "edited", "deep", "far"}) {
      EXPECT_EQ(BeliefIn(callee, confirmed), Belief::kUnconfirmed) << callee;
    }
    EXPECT_EQ(CodeEvidence(target_).JudgeApart(), Belief::kUnconfirmed);
    Match(2, 2, runs);
    target_.other_environment = true;
    EXPECT_EQ(BeliefIn("below", confirmed), Belief::kChance);
    EXPECT_EQ(CodeEvidence(target_).JudgeApart(), Belief::kChance);
    for (FunctionPair& function : target_.functions) function.code = CodeChange::kUnknown;
    EXPECT_EQ(BeliefIn("below", confirmed), Belief::kUnconfirmed) << "no code is known";
  }
}

TEST_F(CodeEvidenceTest, WhereNoCodeIsKnownNothingIsAsked) {
  Match(2, 7);
  for (FunctionPair& function : target_.functions) function.code = CodeChange::kUnknown;
  const CodeEvidence evidence(target_);
  EXPECT_FALSE(evidence.known());
  EXPECT_FALSE(evidence.IsApart(ArcTo("far", target_).caller));
  EXPECT_EQ(BeliefIn("far", kOneRun, /*restless=*/true), Belief::kAccepted);
}

// main → loop → expired → now, which asks for the clock.
TEST(AskedNear, LooksTwoCallsAhead) {
  const profile::ComputedProfile profile = ProfileBuilder()
                                               .Function("main", 1)
                                               .Function("loop", 1)
                                               .Function("expired", 1)
                                               .Asks(profile::kAsksProcess)
                                               .Function("now", 1)
                                               .Asks(profile::kAsksClock)
                                               .Arc("", "main", 1)
                                               .Arc("main", "loop", 1)
                                               .Arc("loop", "expired", 9)
                                               .Arc("expired", "now", 9)
                                               .Build();
  const MatchedTarget target = MatchTarget({&profile, 1}, {&profile, 1});
  const std::vector<uint8_t> asked = AskedNear(target);
  std::map<std::string, std::vector<std::string>> names;
  for (size_t i = 0; i < asked.size(); ++i) {
    names[std::string(target.functions[i].name)] = NamesOfAsked(asked[i]);
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(names["main"], Names({"process"}));
  EXPECT_EQ(names["loop"], Names({"clock", "process"}));
  EXPECT_EQ(names["expired"], Names({"clock", "process"}));
  EXPECT_EQ(names["now"], Names({"clock"}));
}

}  // namespace

}  // namespace gprofhub::reporter
