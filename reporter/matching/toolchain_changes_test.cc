#include "reporter/matching/toolchain_changes.h"

#include <gtest/gtest.h>

#include <string>

#include "reporter/matching/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

const char kO2[] = "gcc 12.2.0 -O2";
const char kO3[] = "gcc 12.2.0 -O3";

MatchedTarget Match(const ProfileBuilder& before, const ProfileBuilder& after) {
  return MatchTarget({before.Build()}, {after.Build()});
}

const FunctionPair& Named(const MatchedTarget& target, const std::string& name) {
  for (const FunctionPair& function : target.functions) {
    if (function.name == name) return function;
  }
  ADD_FAILURE() << "no function " << name;
  return target.functions.front();
}

uint32_t IndexOf(const MatchedTarget& target, const std::string& name) {
  return static_cast<uint32_t>(&Named(target, name) - target.functions.data());
}

TEST(DifferentToolchains, AreCompilersVersionsAndKnownOptions) {
  EXPECT_TRUE(DifferentToolchains(kO2, kO3));
  EXPECT_TRUE(DifferentToolchains("gcc 12.2.0", "gcc 12.3.0"));
  EXPECT_TRUE(DifferentToolchains(kO2, "clang 14.0.6"));
  EXPECT_FALSE(DifferentToolchains(kO2, kO2));
  // Unrecorded options are not a difference.
  EXPECT_FALSE(DifferentToolchains("clang 14.0.6", "clang 14.0.6 -O3"));
  EXPECT_FALSE(DifferentToolchains("", kO2));
}

TEST(ToolchainChanges, AreOfTheFunctionsThatWereCompiledOtherwise) {
  ProfileBuilder before, after;
  before.Function("a", 0, 0, "a.cc").Toolchain(kO2).Function("b", 0, 0, "b.cc").Toolchain(kO2);
  after.Function("a", 0, 0, "a.cc").Toolchain(kO3).Function("b", 0, 0, "b.cc").Toolchain(kO2);
  const MatchedTarget target = Match(before, after);
  ASSERT_EQ(target.toolchain_changes.size(), 1u);
  EXPECT_EQ(target.toolchain_changes[0].before, kO2);
  EXPECT_EQ(target.toolchain_changes[0].after, kO3);
  EXPECT_EQ(target.toolchain_changes[0].functions, 1u);
  EXPECT_EQ(target.toolchain_changes[0].files, 1u);
  EXPECT_EQ(target.files_of_known_toolchain, 2u);
  EXPECT_EQ(Named(target, "a").toolchain_change, 0);
  EXPECT_LT(Named(target, "b").toolchain_change, 0);
}

TEST(ToolchainChanges, NothingIsClaimedWhereASideDoesNotKnow) {
  ProfileBuilder before, after;
  before.Function("a");
  after.Function("a").Toolchain(kO3);
  EXPECT_TRUE(Match(before, after).toolchain_changes.empty());
}

TEST(ToolchainChanges, FunctionsOfOneSideGoWithTheirFile) {
  ProfileBuilder before, after;
  before.Function("a", 0, 0, "a.cc").Toolchain(kO2).Function("b", 0, 0, "b.cc").Toolchain(kO2);
  before.Function("gone", 0, 0, "a.cc").Toolchain(kO2).Size(10);
  after.Function("a", 0, 0, "a.cc").Toolchain(kO3).Function("b", 0, 0, "b.cc").Toolchain(kO2);
  after.Function("came", 0, 0, "b.cc").Toolchain(kO2).Size(1000);
  const MatchedTarget target = Match(before, after);
  EXPECT_EQ(Named(target, "gone").toolchain_change, 0);
  EXPECT_LT(Named(target, "came").toolchain_change, 0);
}

// libc's allocator and the program's own: which of them a run has seen is chance.
TEST(ToolchainChanges, FunctionsOfOneNameInTwoObjectsAreNotCompared) {
  const auto program = [](bool has_own, bool has_libc) {
    ProfileBuilder builder;
    builder.Function("a", 0, 0, "a.cc").Object("test").Toolchain(kO2);
    if (has_libc) builder.Function("malloc", 0, 0, "malloc.c").Object("libc").Toolchain(kO3);
    if (has_own) builder.Function("malloc", 0, 0, "own.cc").Object("test").Toolchain(kO2);
    return builder;
  };
  for (const int before : {1, 2, 3}) {
    for (const int after : {1, 2, 3}) {
      const MatchedTarget target =
          Match(program(before & 1, before & 2), program(after & 1, after & 2));
      EXPECT_TRUE(target.toolchain_changes.empty()) << before << " " << after;
    }
  }
}

TEST(ToolchainChanges, AreSeenWhereAFunctionMovedToAnotherObject) {
  ProfileBuilder before, after;
  before.Function("a", 0, 0, "a.cc").Object("test").Toolchain(kO2);
  after.Function("a", 0, 0, "a.cc").Object("liba.so").Toolchain(kO3);
  EXPECT_EQ(Match(before, after).toolchain_changes.size(), 1u);
}

TEST(ToolchainChanges, AreSeenWhereAFileWasRenamed) {
  ProfileBuilder before, after;
  before.Function("a", 0, 0, "a.cc").Object("test").Toolchain(kO2);
  after.Function("a", 0, 0, "b.cc").Object("test").Toolchain(kO3);
  EXPECT_EQ(Match(before, after).toolchain_changes.size(), 1u);
}

TEST(CallsAreTheSources, WhereNoCallWasInlinedOnEitherSide) {
  ProfileBuilder before, after;
  for (const auto& [builder, is_after] : {std::pair(&before, false), std::pair(&after, true)}) {
    builder->Function("never").Toolchain(kO2, true);
    builder->Function("now").Toolchain(kO2, !is_after);
    builder->Function("_ZN4ListC2Ev").Toolchain(kO2, true);
    builder->Function("recursive").Toolchain(kO2, true);
    builder->Arc("recursive", "recursive", 3);
  }
  const MatchedTarget target = Match(before, after);
  EXPECT_TRUE(CallsAreTheSources(target, IndexOf(target, "never")));
  EXPECT_FALSE(CallsAreTheSources(target, IndexOf(target, "now")));
  EXPECT_FALSE(CallsAreTheSources(target, IndexOf(target, "_ZN4ListC2Ev")));
  EXPECT_FALSE(CallsAreTheSources(target, IndexOf(target, "recursive")));
}

}  // namespace
}  // namespace gprofhub::reporter
