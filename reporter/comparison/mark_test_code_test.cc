#include "reporter/comparison/mark_test_code.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

v1::Finding At(const std::string& file, v1::Finding finding) {
  finding.mutable_site()->set_file(file);
  return finding;
}

TEST(MarkTestCode, KnowsFilesOfTestsByTheirNames) {
  for (const char* file : {"a/b_test.cc", "b_unittest.cc", "test_b.c", "a/tests/b.cc",
                           "test/helpers.h", "BTest.cpp", "c_tests.cc"}) {
    std::vector<v1::Finding> findings = {At(file, Calls("f", "main"))};
    MarkTestCode(absl::MakeSpan(findings));
    EXPECT_TRUE(findings[0].in_test()) << file;
  }
  for (const char* file : {"a/b.cc", "testing.cc", "contest.cc", "attest/b.cc", ""}) {
    std::vector<v1::Finding> findings = {At(file, Calls("f", "main"))};
    MarkTestCode(absl::MakeSpan(findings));
    EXPECT_FALSE(findings[0].in_test()) << file;
  }
}

TEST(MarkTestCode, AFunctionIsTheTestsIfAllArcsAreOnWhichItsChangeBegan) {
  std::vector<v1::Finding> findings = {At("a_test.cc", Calls("f", "Case1")),
                                       At("a.cc", Calls("f"))};
  MarkTestCode(absl::MakeSpan(findings));
  EXPECT_TRUE(findings[1].in_test());
  findings = {At("a_test.cc", Calls("f", "Case1")), At("b.cc", Calls("f", "parse")),
              At("a.cc", Calls("f"))};
  MarkTestCode(absl::MakeSpan(findings));
  EXPECT_FALSE(findings[2].in_test());
}

TEST(MarkTestCode, TimesAreJudgedByTheirOwnFile) {
  std::vector<v1::Finding> findings = {At("a_test.cc", Calls("f", "Case1")),
                                       At("a.cc", MakeFinding("f", v1::Finding::SELF_TIME))};
  MarkTestCode(absl::MakeSpan(findings));
  EXPECT_FALSE(findings[1].in_test());
}

}  // namespace
}  // namespace gprofhub::reporter
