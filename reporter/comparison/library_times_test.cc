#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "reporter/comparison/compare_sides.h"
#include "reporter/testing/compared_profiles.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

// main → outer → parse → leaf. The functions libgcc and libc have no counts.
struct Program {
  uint32_t outer_code = 1, parse_code = 1, leaf_code = 1, steady_code = 1;  // digests
  uint64_t leaf_size = 0, steady_size = 0;                                  // of leaf and steady0
  double libgcc = 0, libc = 500;                                            // samples
  double outer_inherits = 0, parse_inherits = 0;
  bool has_stacks = false;
  uint64_t leaf_calls = 100;
  double leaf = 100;  // samples

  profile::ComputedProfile Build() const {
    ProfileBuilder builder;
    builder.Function("main", 10).Code(1).Arc("", "main", 1);
    builder.Function("outer", 10, outer_inherits, "outer.cc", 7).Code(outer_code);
    builder.Function("parse", 10, parse_inherits, "parse.cc", 5).Code(parse_code);
    builder.Function("leaf", leaf, 0, "leaf.cc").Code(leaf_code).Size(leaf_size);
    builder.Arc("main", "outer", 10).Arc("outer", "parse", 100).Arc("parse", "leaf", leaf_calls);
    for (int i = 0; i < 6; ++i) {
      const std::string name = "steady" + std::to_string(i);
      builder.Function(name, 1000).Code(1).Arc("main", name, 5);
      if (i == 0) builder.Code(steady_code).Size(steady_size);
    }
    builder.Function("libgcc", libgcc, 0, "").Function("libc", libc, 0, "");
    profile::ComputedProfile profile = builder.Build();
    if (has_stacks) profile.complete_stack_samples = profile.total_samples;
    return profile;
  }
};

v1::Report Compare(const Program& before, const Program& after) {
  ComparisonSide base, head;
  base.targets[kTarget].assign(4, before.Build());
  head.targets[kTarget].assign(4, after.Build());
  return CompareSides(base, head, CompareOptions());
}

const v1::Finding* LibraryTimeOf(const v1::Report& report, const std::string& function) {
  return Find(report, function, "", v1::Finding::LIBRARY_TIME);
}

TEST(LibraryTime, HasItsPlaceInTheChangedFunction) {
  Program head;
  head.parse_code = 2;
  head.libgcc = 3000;
  head.libc = 1500;
  const v1::Report report = Compare(Program(), head);
  const v1::Finding* const found = LibraryTimeOf(report, "parse");
  ASSERT_NE(found, nullptr) << report.DebugString();
  EXPECT_EQ(found->verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(found->material());
  EXPECT_FALSE(found->explained());
  EXPECT_EQ(found->site().file(), "parse.cc");
  EXPECT_EQ(found->before(), 5) << "seconds";
  EXPECT_EQ(found->after(), 45);
  EXPECT_TRUE(found->edited().empty());
  ASSERT_EQ(found->libraries_size(), 2);
  EXPECT_EQ(found->libraries(0).name(), "libgcc");
  EXPECT_EQ(found->libraries(0).after(), 30);
  EXPECT_EQ(report.findings(0).function(), "parse") << "leads";
  const v1::Finding* const library = Find(report, "libgcc", "", v1::Finding::SELF_TIME);
  ASSERT_NE(library, nullptr);
  EXPECT_TRUE(library->explained());
}

TEST(LibraryTime, ThatFellIsAnImprovement) {
  Program base, head;
  base.libgcc = 3000;
  head.parse_code = 2;
  const v1::Report report = Compare(base, head);
  const v1::Finding* const found = LibraryTimeOf(report, "parse");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->verdict(), v1::Finding::IMPROVED);
}

TEST(LibraryTime, OtherChangedFunctionsAreNamedAsPossible) {
  Program head;
  head.outer_code = head.parse_code = 2;
  head.libgcc = 3000;
  const v1::Report report = Compare(Program(), head);
  const v1::Finding* const found = LibraryTimeOf(report, "parse");
  ASSERT_NE(found, nullptr) << "outer calls parse";
  ASSERT_EQ(found->edited_size(), 1);
  EXPECT_EQ(found->edited(0), "outer");
  EXPECT_EQ(LibraryTimeOf(report, "outer"), nullptr);
}

TEST(LibraryTime, BelongsToTheCodeThatChangedInSize) {
  Program base, head;
  base.leaf_size = base.steady_size = 400;
  head.leaf_code = head.steady_code = 2;
  head.leaf_size = 416;
  head.steady_size = 900;
  head.libgcc = 3000;
  EXPECT_NE(LibraryTimeOf(Compare(base, head), "steady0"), nullptr) << "leaf has padding";
  head.leaf_size = 500;
  EXPECT_NE(LibraryTimeOf(Compare(base, head), "leaf"), nullptr) << "has more calls";
}

TEST(LibraryTime, BelongsToTheFunctionThatInheritedItOnStacks) {
  Program base, head;
  base.has_stacks = head.has_stacks = true;
  head.outer_code = head.parse_code = 2;
  head.libgcc = head.outer_inherits = 3000;
  const v1::Report report = Compare(base, head);
  EXPECT_NE(LibraryTimeOf(report, "outer"), nullptr);
  EXPECT_EQ(LibraryTimeOf(report, "parse"), nullptr);
}

TEST(LibraryTime, WithoutChangedCodeTheLibraryIsTheCause) {
  Program head;
  head.libgcc = 3000;
  const v1::Report report = Compare(Program(), head);
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_NE(finding.metric(), v1::Finding::LIBRARY_TIME) << finding.DebugString();
  }
  const v1::Finding* const library = Find(report, "libgcc", "", v1::Finding::SELF_TIME);
  ASSERT_NE(library, nullptr);
  EXPECT_FALSE(library->explained());
}

TEST(LibraryTime, ThatOnlyMovedToAnotherLibraryHasNoFinding) {
  Program base, head;
  base.libgcc = head.libc = 4000;
  base.libc = head.libgcc = 1000;
  head.parse_code = 2;
  EXPECT_EQ(LibraryTimeOf(Compare(base, head), "parse"), nullptr);
}

TEST(LibraryTime, IsExplainedByCallsThatCostHalfOfItOrMore) {
  for (const double leaf : {10.0, 4000.0}) {
    Program base, head;
    base.leaf = leaf;
    head.leaf = 2 * leaf;
    head.leaf_calls = 200;
    head.parse_code = 2;
    head.libgcc = 3000;
    const v1::Report report = Compare(base, head);
    const v1::Finding* const found = LibraryTimeOf(report, "parse");
    ASSERT_NE(found, nullptr) << leaf;
    EXPECT_EQ(found->explained(), leaf > 1000) << leaf;
  }
}

TEST(LibraryTime, BelongsToTheCallsThatBeganInItsFunction) {
  Program base, head;
  base.leaf = 200;
  head.leaf = 400;
  head.leaf_calls = 200;
  head.parse_code = 2;
  head.libgcc = 3000;
  const v1::Report report = Compare(base, head);
  const v1::Finding* const time = LibraryTimeOf(report, "parse");
  const v1::Finding* const calls = Find(report, "leaf", "parse", v1::Finding::CALLS);
  ASSERT_NE(time, nullptr);
  ASSERT_NE(calls, nullptr);
  EXPECT_TRUE(time->explained());
  EXPECT_GT(calls->impact(), time->impact()) << "has both costs";
  EXPECT_EQ(&report.findings(0), calls);
}

}  // namespace

}  // namespace gprofhub::reporter
