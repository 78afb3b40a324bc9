#include "reporter/matching/match_target.h"

#include <gtest/gtest.h>

#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

const FunctionPair* Find(const MatchedTarget& matched, const std::string& name) {
  const FunctionPair* found = nullptr;
  for (const FunctionPair& pair : matched.functions) {
    if (pair.name != name || !(pair.before.present() || pair.after.present())) continue;
    EXPECT_EQ(found, nullptr) << name << " is there twice";
    found = &pair;
  }
  return found;
}

MatchedTarget MatchTwo(const profile::ComputedProfile& before,
                       const profile::ComputedProfile& after) {
  return MatchTarget({&before, 1}, {&after, 1});
}

TEST(MatchTarget, StaticFunctionsOfOneNameAreToldApartByFile) {
  ProfileBuilder builder;
  builder.Function("helper", 1, 0, "a.c", 1, true);
  profile::ComputedProfile profile = builder.Build();
  profile.functions.push_back(profile.functions[0]);
  profile.functions[1].file = static_cast<uint32_t>(profile.strings.size());
  profile.strings.push_back("b.c");
  profile.functions[1].self_samples = 5;
  const MatchedTarget matched = MatchTarget({&profile, 1}, {&profile, 1});
  ASSERT_EQ(matched.functions.size(), 2u);
  for (const FunctionPair& pair : matched.functions) {
    EXPECT_EQ(pair.before.self_samples, pair.after.self_samples);
    EXPECT_EQ(pair.before.file, pair.after.file);
  }
}

TEST(MatchTarget, AStaticFunctionWhoseFileMovedIsTheSame) {
  ProfileBuilder before, after;
  before.Function("main").Function("helper", 1, 0, "old/a.c", 1, true).Arc("main", "helper", 3);
  after.Function("main").Function("helper", 2, 0, "new/a.c", 9, true).Arc("main", "helper", 3);
  const MatchedTarget matched = MatchTwo(before.Build(), after.Build());
  const FunctionPair* helper = Find(matched, "helper");
  ASSERT_NE(helper, nullptr);
  EXPECT_EQ(helper->before.calls.sum, 3u);
  EXPECT_EQ(helper->after.calls.sum, 3u);
  ASSERT_EQ(matched.arcs.size(), 1u);
  EXPECT_TRUE(matched.arcs[0].before.present && matched.arcs[0].after.present);
}

TEST(MatchTarget, AFunctionThatLostItsStaticIsTheSame) {
  ProfileBuilder before, after;
  before.Function("helper", 1, 0, "a.c", 1, true);
  after.Function("helper", 1, 0, "a.c", 1, false);
  EXPECT_NE(Find(MatchTwo(before.Build(), after.Build()), "helper"), nullptr);
}

TEST(MatchTarget, EqualFunctionsOfSeveralImagesAreSummed) {
  ProfileBuilder builder;
  builder.Function("inline_function", 2).Arc("", "inline_function", 7);
  profile::ComputedProfile one = builder.Build();
  profile::ComputedProfile two = one;
  two.functions.push_back(two.functions[0]);
  two.arcs[0].caller = 2;
  const MatchedTarget matched = MatchTarget({&one, 1}, {&two, 1});
  ASSERT_EQ(matched.functions.size(), 1u);
  EXPECT_EQ(matched.functions[0].after.calls.sum, 14u);
}

TEST(MatchTarget, SitesAreMatchedByPlaceWhenLinesShift) {
  ProfileBuilder before, after;
  before.Function("f").Function("g").Arc("f", "g", 5, 10, 16).Arc("f", "g", 7, 20, 32);
  after.Function("f").Function("g").Arc("f", "g", 5, 13, 16).Arc("f", "g", 9, 23, 40);
  const MatchedTarget matched = MatchTwo(before.Build(), after.Build());
  ASSERT_EQ(matched.arcs.size(), 1u);
  EXPECT_EQ(matched.arcs[0].before.sum, 12u);
  EXPECT_EQ(matched.arcs[0].after.sum, 14u);
  ASSERT_EQ(matched.arcs[0].sites.size(), 2u);
  EXPECT_EQ(matched.arcs[0].sites[1].line_before, 20u);
  EXPECT_EQ(matched.arcs[0].sites[1].line_after, 23u);
  EXPECT_EQ(matched.arcs[0].sites[1].before, 7u);
  EXPECT_EQ(matched.arcs[0].sites[1].after, 9u);
}

TEST(MatchTarget, ANewSiteIsFoundByItsLine) {
  ProfileBuilder before, after;
  before.Function("f").Function("g").Arc("f", "g", 5, 10, 16);
  after.Function("f").Function("g").Arc("f", "g", 5, 10, 16).Arc("f", "g", 4, 12, 32);
  const MatchedTarget matched = MatchTwo(before.Build(), after.Build());
  ASSERT_EQ(matched.arcs[0].sites.size(), 2u);
  EXPECT_EQ(matched.arcs[0].sites[0].after, 5u);
  EXPECT_EQ(matched.arcs[0].sites[1].line_after, 12u);
  EXPECT_EQ(matched.arcs[0].sites[1].before, 0u);
}

TEST(MatchTarget, OfEqualSitesTheNewOneIsWhereLinesBeginToShift) {
  ProfileBuilder before, after;
  before.Function("f").Function("g");
  before.Arc("f", "g", 1, 10, 16).Arc("f", "g", 5, 20, 32).Arc("f", "g", 5, 25, 48);
  after.Function("f").Function("g");
  after.Arc("f", "g", 1, 10, 16).Arc("f", "g", 5, 20, 32).Arc("f", "g", 5, 21, 48);
  after.Arc("f", "g", 5, 26, 64);
  const MatchedTarget matched = MatchTwo(before.Build(), after.Build());
  for (const CallSitePair& site : matched.arcs[0].sites) {
    if (site.before == 0) {
      EXPECT_EQ(site.line_after, 21u);
    } else {
      EXPECT_EQ(site.before, site.after) << site.line_after;
    }
  }
}

}  // namespace
}  // namespace gprofhub::reporter
