#include "reporter/history/resolve_function.h"

#include <gtest/gtest.h>

#include "profile/codec/series.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

profile::ComputedProfile Names() {
  ProfileBuilder builder;
  builder.Function("_ZN6Parser4NextEi").Function("_ZN6Parser4NextEv").Function("_Z5parsei");
  builder.Function("jsonAppendChar").Function("jsonAppend").Function("main");
  return builder.Build();
}

TEST(ResolveFunction, StaticFunctionsOfOneNameAreSummed) {
  ProfileBuilder one, two;
  one.Function("helper", 1, 0, "a.c", 1, true);
  two.Function("helper", 1, 0, "b.c", 1, true);
  const auto identity = ResolveFunction({one.Build(), two.Build()}, "helper");
  ASSERT_TRUE(identity.ok()) << identity.status();
  EXPECT_EQ(identity->hashes, (std::set<uint64_t>{profile::FunctionHash("helper", "a.c"),
                                                  profile::FunctionHash("helper", "b.c")}));
}

TEST(AddHashes, KnowsAStaticFunctionWhoseFileMoved) {
  ProfileBuilder before;
  before.Function("helper", 1, 0, "old/a.c", 1, true).Function("other", 1, 0, "old/a.c", 2, true);
  SeriesIdentity identity{"helper", {profile::FunctionHash("helper", "new/a.c")}};
  AddHashes(before.Build(), identity);
  EXPECT_EQ(identity.hashes, (std::set<uint64_t>{profile::FunctionHash("helper", "new/a.c"),
                                                 profile::FunctionHash("helper", "old/a.c")}));
}

struct ResolveCase {
  const char* text;
  const char* linkage;
};

class ResolveName : public testing::TestWithParam<ResolveCase> {};

TEST_P(ResolveName, ToTheOnlyFunction) {
  const auto name = ResolveFunction({Names()}, GetParam().text);
  ASSERT_TRUE(name.ok()) << name.status();
  EXPECT_EQ(name->function, GetParam().linkage);
  EXPECT_EQ(name->hashes, std::set<uint64_t>{profile::FunctionHash(GetParam().linkage, "")});
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ResolveName,
    testing::Values(ResolveCase{"_ZN6Parser4NextEi", "_ZN6Parser4NextEi"},
                    ResolveCase{"Parser::Next(int)", "_ZN6Parser4NextEi"},
                    ResolveCase{"parse", "_Z5parsei"},        // without parameters
                    ResolveCase{"jsonAppend", "jsonAppend"},  // not jsonAppendChar
                    ResolveCase{"AppendCh", "jsonAppendChar"}, ResolveCase{"mai", "main"}));

TEST(ResolveFunction, ListsTheCandidatesOfAnAmbiguousName) {
  const auto name = ResolveFunction({Names()}, "Parser::Next");
  EXPECT_EQ(name.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(name.status().message(),
            "function \"Parser::Next\" is ambiguous: 2 fit. Give the whole name of one, a longer "
            "part of it, or a --target; the likeliest are\n"
            "  Parser::Next()\n  Parser::Next(int)");
}

// Order: exact name, not in a test file, then cost and calls.
TEST(ResolveFunction, ListsTheLikeliestCandidatesFirst) {
  ProfileBuilder builder;
  builder.Function("_ZN11NextFixtureC2Ev", 900, 0, "parser/next_test.cc");
  builder.Function("_ZN6Reader4NextEv", 5, 0, "reader_test.cc");
  builder.Function("NextOften", 0).Function("NextSeldom", 0);
  builder.Function("_ZN6Parser4NextEi", 10, 20).Function("_ZN5Lexer4NextIiEEvT_", 10, 80);
  builder.Arc("", "NextSeldom", 1).Arc("", "NextOften", 2);
  const auto name = ResolveFunction({builder.Build()}, "Next");
  EXPECT_EQ(
      name.status().message(),
      "function \"Next\" is ambiguous: 6 fit. Give the whole name of one, a longer part of it, "
      "or a --target; the likeliest are\n"
      "  void Lexer::Next<int>(int)\n  Parser::Next(int)\n  Reader::Next()\n"
      "  NextOften\n  NextSeldom\n  NextFixture::NextFixture()");
}

TEST(ResolveFunction, SaysHowManyItDoesNotList) {
  ProfileBuilder builder;
  for (int i = 0; i < 48; ++i) builder.Function("step" + std::to_string(i));
  const std::string message(ResolveFunction({builder.Build()}, "step").status().message());
  EXPECT_NE(message.find("ambiguous: 48 fit."), std::string::npos) << message;
  EXPECT_NE(message.find("\n  … and 38 more"), std::string::npos) << message;
}

TEST(ResolveFunction, UnknownNamesAreNotFound) {
  EXPECT_EQ(ResolveFunction({Names()}, "nothing").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ResolveFunction({}, "main").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ResolveFunction({Names()}, "").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gprofhub::reporter
