#include "reporter/comparison/note_varying_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

using ::testing::HasSubstr;

v1::Finding ByChance(const std::string& function, const std::string& target) {
  v1::Finding finding = Calls(function, "main");
  finding.set_function_display(function);
  finding.set_target(target);
  finding.set_exact(false);
  finding.set_unexplained(true);
  finding.set_verdict(v1::Finding::CANNOT_TELL);
  return finding;
}

std::vector<std::string> Notes(const std::vector<v1::Finding>& findings) {
  v1::Report report;
  NoteVaryingCounts(findings, report);
  return {report.warnings().begin(), report.warnings().end()};
}

TEST(NoteVaryingCounts, ExactCountsAreNotMentioned) {
  v1::Finding exact = Calls("f", "main");
  exact.set_exact(true);
  EXPECT_TRUE(Notes({exact}).empty());
}

TEST(NoteVaryingCounts, SaysEachSourceOnceTheOneOfMostTestsFirst) {
  const std::vector<std::string> notes =
      Notes({ByChance("rare", "//a"), ByChance("spin", "//a"), ByChance("spin", "//b")});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("the calls of spin (in 2 tests), rare (in 1 test) differ"));
}

TEST(NoteVaryingCounts, NamesThreeAndCountsTheOthers) {
  std::vector<v1::Finding> findings;
  for (const char* name : {"a", "b", "c", "d", "e"}) findings.push_back(ByChance(name, "//t"));
  ASSERT_EQ(Notes(findings).size(), 1u);
  EXPECT_THAT(Notes(findings)[0], HasSubstr("of 2 more functions"));
}

TEST(NoteVaryingCounts, ACountThatRepeatedUntilNowIsNews) {
  v1::Finding flipped = ByChance("f", "//t");
  flipped.set_no_longer_exact(true);
  const std::vector<std::string> notes = Notes({flipped});
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_THAT(notes[0], HasSubstr("f repeated from run to run until now"));
}

}  // namespace
}  // namespace gprofhub::reporter
