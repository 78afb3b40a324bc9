#include "reporter/rendering/notes.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Angled(absl::string_view text) { return absl::StrCat("<", text, ">"); }

TEST(NotesOf, NamesWhatWasNotComparedAndThenWarns) {
  v1::Report report;
  EXPECT_THAT(NotesOf(report, Angled, 3), IsEmpty());
  for (const char* target : {"//a:one", "//a:two"}) {
    v1::NotCompared& left_out = *report.mutable_compared()->add_not_compared();
    left_out.set_target(target);
    left_out.set_reason("out of a cache");
  }
  report.add_warnings("odd");
  EXPECT_THAT(NotesOf(report, Angled, 3),
              ElementsAre("not compared: <//a:one> and 1 more: <out of a cache>", "note: <odd>"));
}

TEST(NotesOf, SayHowManyTestsMoreRunsWouldDecide) {
  v1::Report report;
  report.add_reruns()->set_runs(2);
  report.mutable_compared()->mutable_head()->set_run_id("17");
  EXPECT_THAT(NotesOf(report, Angled, 3),
              ElementsAre("1 test would be decided by 2 more runs: <gprofhub rerun-list 17>"));
}

TEST(NotesOf, AreFewAndShort) {
  v1::Report report;
  for (int i = 0; i < 50; ++i) report.add_warnings(std::string(5000, 'w'));
  const std::vector<std::string> notes = NotesOf(report, Angled, 3);
  ASSERT_THAT(notes, SizeIs(3));
  EXPECT_LT(notes.front().size(), 140u);
  EXPECT_EQ(notes.back(), "and 48 more notes");
  EXPECT_THAT(NotesOf(report, Angled, 1), ElementsAre("50 notes"));
}

}  // namespace
}  // namespace gprofhub::reporter
