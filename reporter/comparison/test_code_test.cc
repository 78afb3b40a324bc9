#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reporter/comparison/compare_sides.h"
#include "reporter/comparison/match_target.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

v1::Finding At(const std::string& file, v1::Finding finding) {
  finding.mutable_site()->set_file(file);
  return finding;
}

void Mark(std::vector<v1::Finding>& findings) {
  TestCode(MatchedTarget(), "//a:test").Mark(absl::MakeSpan(findings));
}

TEST(TestCode, KnowsFilesOfTestsByTheirNames) {
  for (const char* file : {"a/b_test.cc", "b_unittest.cc", "test_b.c", "a/tests/b.cc",
                           "test/helpers.h", "BTest.cpp", "c_tests.cc"}) {
    std::vector<v1::Finding> findings = {At(file, Calls("f", "main"))};
    Mark(findings);
    EXPECT_TRUE(findings[0].in_test()) << file;
  }
  for (const char* file : {"a/b.cc", "testing.cc", "contest.cc", "attest/b.cc", ""}) {
    std::vector<v1::Finding> findings = {At(file, Calls("f", "main"))};
    Mark(findings);
    EXPECT_FALSE(findings[0].in_test()) << file;
  }
}

TEST(TestCode, AFunctionIsTheTestsIfAllArcsAreOnWhichItsChangeBegan) {
  std::vector<v1::Finding> findings = {At("a_test.cc", Calls("f", "Case1")),
                                       At("a.cc", Calls("f"))};
  Mark(findings);
  EXPECT_TRUE(findings[1].in_test());
  findings = {At("a_test.cc", Calls("f", "Case1")), At("b.cc", Calls("f", "parse")),
              At("a.cc", Calls("f"))};
  Mark(findings);
  EXPECT_FALSE(findings[2].in_test());
}

TEST(TestCode, TimesAreJudgedByTheirOwnFile) {
  std::vector<v1::Finding> findings = {At("a_test.cc", Calls("f", "Case1")),
                                       At("a.cc", MakeFinding("f", v1::Finding::SELF_TIME))};
  Mark(findings);
  EXPECT_FALSE(findings[1].in_test());
}

// main → parse → read, all in files of their own. Code digests of main and of parse.
profile::ComputedProfile Program(uint32_t main, uint32_t parse) {
  ProfileBuilder builder;
  builder.Function("main", 1, 0, "harness.cc").Code(main);
  builder.Function("parse", 1, 0, "parse.cc").Code(parse);
  builder.Function("read", 1, 0, "read.cc").Code(3);
  builder.Arc("", "main", 1).Arc("main", "parse", 2).Arc("parse", "read", 3);
  return builder.Build();
}

// The findings of a target whose read is called more often by parse, and parse at `file` by main.
std::vector<v1::Finding> MarkedGrowth(uint32_t main, uint32_t parse,
                                      const std::string& file = "harness.cc",
                                      const std::string& label = "//a:test") {
  const std::vector<profile::ComputedProfile> base = {Program(1, 2)}, head = {Program(main, parse)};
  const MatchedTarget target = MatchTarget(base, head, {});
  std::vector<v1::Finding> findings = {At("parse.cc", Calls("read", "parse")),
                                       At(file, Calls("parse", "main")),
                                       At("read.cc", MakeFinding("read", v1::Finding::SELF_TIME))};
  TestCode(target, label).Mark(absl::MakeSpan(findings));
  return findings;
}

TEST(TestCode, IfOnlyTheTestChangedLibrariesGotOtherInput) {
  const std::vector<v1::Finding> findings = MarkedGrowth(7, 2);
  for (const v1::Finding& finding : findings) EXPECT_TRUE(finding.in_test()) << finding.function();
  EXPECT_TRUE(findings[0].test_input());
  EXPECT_FALSE(findings[1].test_input()) << "the call is in the test";
  EXPECT_TRUE(findings[2].test_input());
}

TEST(TestCode, IfNoCodeChangedTheInputDid) { EXPECT_TRUE(MarkedGrowth(1, 2)[0].test_input()); }

TEST(TestCode, ChangedLibrariesAreToBlame) {
  EXPECT_FALSE(MarkedGrowth(1, 7)[0].in_test());
  EXPECT_FALSE(MarkedGrowth(7, 7)[0].in_test());
}

TEST(TestCode, LibraryCodeInlinedIntoTheTestIsNotTheTests) {
  const std::vector<v1::Finding> findings = MarkedGrowth(7, 2, "parse.h");
  EXPECT_FALSE(findings[0].in_test());
  EXPECT_FALSE(findings[1].in_test());
}

// main, whose code changed, calls parse more often from lines of a header.
bool IsInputOf(const std::vector<uint32_t>& base_lines, const std::vector<uint32_t>& head_lines) {
  const auto run = [](uint32_t main, const std::vector<uint32_t>& lines) {
    ProfileBuilder builder;
    builder.Function("main", 1, 0, "harness.cc").Code(main);
    builder.Function("parse", 1, 0, "parse.cc").Code(2).Function("read", 1, 0, "read.cc").Code(3);
    builder.Arc("", "main", 1).Arc("parse", "read", 3);
    uint64_t offset = 0;
    for (const uint32_t line : lines) {
      builder.Arc("main", "parse", 10 * main, line, ++offset).InlinedFrom("parse.h");
    }
    return std::vector<profile::ComputedProfile>{builder.Build()};
  };
  const auto base = run(1, base_lines), head = run(7, head_lines);
  const MatchedTarget target = MatchTarget(base, head, {});
  std::vector<v1::Finding> findings = {At("parse.h", Calls("parse", "main"))};
  TestCode(target, "//a:test").Mark(absl::MakeSpan(findings));
  return findings[0].test_input();
}

TEST(TestCode, InlinedLibraryCodeWhoseCallsKeepTheirLinesDidNotChange) {
  EXPECT_TRUE(IsInputOf({7}, {7}));
  EXPECT_TRUE(IsInputOf({7, 9}, {7, 9, 7})) << "inlined once more";
  EXPECT_FALSE(IsInputOf({7}, {8}));
  EXPECT_FALSE(IsInputOf({7}, {7, 8}));
  EXPECT_FALSE(IsInputOf({7, 9}, {7}));
}

TEST(TestCode, TheMainFileOfAProgramThatIsNoTestIsCodeLikeOthers) {
  EXPECT_FALSE(MarkedGrowth(7, 2, "harness.cc", "local")[0].in_test());
}

}  // namespace

}  // namespace gprofhub::reporter
