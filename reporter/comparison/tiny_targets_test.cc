#include "reporter/comparison/tiny_targets.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "reporter/matching/match_target.h"
#include "reporter/testing/made_findings.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

// Targets that all run `f`.
class Targets {
 public:
  // With a finding about f's calls whose cost is `cost` samples.
  v1::Finding& Add(const std::string& label, double samples, double cost) {
    const profile::ComputedProfile profile =
        ProfileBuilder().Function("f", samples).Arc("", "f", 1).Build();
    Kept& kept = kept_.emplace_back();
    kept.label = label;
    kept.matched = MatchTarget({&profile, 1}, {&profile, 1}, {});
    JudgedTarget target{&kept.label, &kept.matched, {samples, samples}, 100, &kept.findings};
    v1::Finding finding = Calls("f", "main");
    finding.set_impact(cost / target.totals.OfTiny());
    kept.findings.push_back(std::move(finding));
    targets_.push_back(target);
    return kept.findings.front();
  }

  void Judge() { JudgeTinyTargets(targets_, 0.005); }

 private:
  struct Kept {
    std::string label;
    MatchedTarget matched;
    std::vector<v1::Finding> findings;
  };
  std::deque<Kept> kept_;
  std::vector<JudgedTarget> targets_;
};

TEST(JudgeTinyTargets, AShareIsOfAllTestsThatRunTheFunction) {
  Targets targets;
  const v1::Finding& tiny = targets.Add("//a:tiny", 1, 0.5);
  targets.Add("//b:large", 999, 0);
  targets.Judge();
  EXPECT_NEAR(tiny.impact(), 0.5 / 1000, 1e-9);
  EXPECT_FALSE(tiny.material());
}

TEST(JudgeTinyTargets, TheSameChangeInManyTinyTestsAddsUp) {
  Targets targets;
  const v1::Finding& first = targets.Add("//a:t0", 10, 5);
  for (int i = 1; i < 20; ++i) targets.Add("//a:t" + std::to_string(i), 10, 5);
  targets.Judge();
  EXPECT_NEAR(first.impact(), 100.0 / 200, 1e-9);
  EXPECT_TRUE(first.material());
}

TEST(JudgeTinyTargets, LessThanAMillisecondNeverMatters) {
  Targets targets;
  const v1::Finding& finding = targets.Add("//a:tiny", 5, 0.09);  // at 100 samples a second
  targets.Judge();
  EXPECT_FALSE(finding.material());
  Targets more;
  const v1::Finding& larger = more.Add("//a:tiny", 5, 2);
  more.Judge();
  EXPECT_TRUE(larger.material());
}

TEST(JudgeTinyTargets, ATestWithEnoughSamplesKeepsItsOwnShare) {
  Targets targets;
  v1::Finding& large = targets.Add("//b:large", 999, 0);
  large.set_impact(0.25);
  targets.Judge();
  EXPECT_EQ(large.impact(), 0.25);
}

TEST(JudgeTinyTargets, WithoutAnySampleSharesOfCallsStay) {
  Targets targets;
  v1::Finding& finding = targets.Add("//a:tiny", 0, 0);
  finding.set_share_of_calls(0.5);
  finding.set_material(true);
  targets.Judge();
  EXPECT_EQ(finding.share_of_calls(), 0.5);
  EXPECT_TRUE(finding.material());
}

}  // namespace
}  // namespace gprofhub::reporter
