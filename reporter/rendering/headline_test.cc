#include "reporter/rendering/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/testing/memory_history.h"

namespace gprofhub::reporter {

namespace {

TEST(Headline, CountsWhatCostsSavesAndCannotBeWeighed) {
  v1::Finding saves = Calls("saves"), unsampled = Calls("unsampled"), minor = Calls("minor");
  saves.set_verdict(v1::Finding::IMPROVED);
  saves.set_impact(0.02);
  unsampled.set_impact(0);
  unsampled.set_share_of_calls(0.5);
  minor.set_material(false);
  EXPECT_EQ(Headline(MakeReport({Calls("costs"), saves, minor})),
            "1 change costs about 10% of a test's CPU; 1 change saves about 2.0% of a test's CPU");
  EXPECT_EQ(Headline(MakeReport({unsampled})),
            "1 change of calls without a known share of CPU (no samples)");
  EXPECT_EQ(Headline(MakeReport({})),
            "every call count of code built with -pg is the same as before");
  EXPECT_EQ(Headline(v1::Report()), "nothing to compare with yet");
}

TEST(Headline, CountsWhatAllocatesOrWaits) {
  v1::Finding allocates = Calls("gprofhub_allocated_bytes", "f"), waits = Calls("fsync", "g");
  allocates.set_impact(0);
  allocates.set_share_of_bytes(0.5);
  waits.set_impact(0);
  waits.set_share_of_waits(0.5);
  EXPECT_EQ(Headline(MakeReport({allocates, waits})),
            "1 change allocates more; 1 change waits more often");
  waits.set_verdict(v1::Finding::IMPROVED);
  EXPECT_EQ(Headline(MakeReport({waits})), "1 change waits less often");
  waits.set_impact(0.02);
  EXPECT_EQ(Headline(MakeReport({waits})), "1 change saves about 2.0% of a test's CPU");
}

TEST(Headline, SaysThatTestsWereNotOptimised) {
  v1::Report report = MakeReport({Calls("costs")});
  for (const auto& [configuration, words] :
       {std::pair("k8-fastbuild-gprof",
                  "; the tests were built without optimisation (-c fastbuild)"),
        std::pair("aarch64-dbg-gprof_lines",
                  "; the tests were built without optimisation (-c dbg)"),
        std::pair("k8-opt-gprof", ""), std::pair("release-dbgsym", ""), std::pair("", "")}) {
    report.mutable_compared()->set_configuration(configuration);
    EXPECT_EQ(Headline(report), absl::StrCat("1 change costs about 10% of a test's CPU", words));
  }
}

TEST(Headline, SaysWhatWasNotCompared) {
  v1::Report report = MakeReport({Calls("costs")});
  report.mutable_compared()->add_targets("//a:compared");
  report.mutable_compared()->add_not_compared()->set_target("//a:unknown");
  EXPECT_EQ(Headline(report),
            "1 change costs about 10% of a test's CPU; 1 of 2 tests was not compared");
  report = MakeReport({});
  report.mutable_compared()->add_not_compared()->set_target("//a:unknown");
  EXPECT_EQ(Headline(report), "the test could not be compared");
  report = MakeReport({});
  report.mutable_compared()->add_unchanged_targets("//a:test");
  EXPECT_EQ(Headline(report), "the binary of every test is the base's");
}

TEST(Headline, CountsCauses) {
  v1::Finding f = Calls("f", "loop"), g = Calls("g", "loop");
  f.set_impact(0.12);
  EXPECT_EQ(Headline(MakeReport({f, g})), "1 change costs about 22% of a test's CPU");
}

// The total time of a test's entry, explained by its callees.
v1::Finding EntryTime(double effect_percent, const std::string& target = "//a:test") {
  v1::Finding entry = MakeFinding("main", v1::Finding::TOTAL_TIME, "", target);
  entry.set_verdict(effect_percent > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
  entry.set_effect_percent(effect_percent);
  entry.set_explained(true);
  entry.set_material(false);
  entry.set_weight(0.97);
  return entry;
}

TEST(Headline, SaysHowMuchATestsTimeChangedInAll) {
  v1::Finding cause = Calls("f", "main"), inner = EntryTime(80);
  cause.set_impact(0.13);
  inner.set_function("f");
  inner.set_weight(0.3);
  EXPECT_EQ(Headline(MakeReport({cause, inner, EntryTime(43)})),
            "1 change costs about 13% of a test's CPU; in all, a test's CPU time grew by 43%");
  EXPECT_EQ(Headline(MakeReport(
                {cause, EntryTime(7), EntryTime(43, "//b:test"), EntryTime(-12, "//c:test")})),
            "1 change costs about 13% of a test's CPU; in all, the CPU time of 2 tests grew, the "
            "most by 43%; in all, a test's CPU time fell by 12%");
  v1::Finding unclear = EntryTime(43);
  unclear.set_verdict(v1::Finding::CANNOT_TELL);
  EXPECT_EQ(Headline(MakeReport({cause, unclear})), "1 change costs about 13% of a test's CPU");
}

TEST(OtherRows, CountsEachKind) {
  EXPECT_EQ(OtherRows({}), "");
  v1::Finding saves = Calls("saves"), minor = Calls("minor"), moved = Calls("moved");
  v1::Finding unclear = MakeFinding("unclear", v1::Finding::SELF_TIME);
  saves.set_verdict(v1::Finding::IMPROVED);
  minor.set_material(false);
  moved.set_verdict(v1::Finding::SHIFTED);
  unclear.set_verdict(v1::Finding::CANNOT_TELL);
  v1::Finding unclear_too = unclear;
  unclear_too.set_function("unclear_too");
  v1::Finding cause = Calls("cause", "main");
  cause.add_follows("follower");
  const v1::Report report = MakeReport(
      {cause, Calls("costs"), saves, Calls("follower"), minor, moved, unclear, unclear_too});
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  std::vector<const FunctionRow*> others;
  for (size_t i = 1; i < rows.size(); ++i) others.push_back(&rows[i]);
  EXPECT_EQ(
      OtherRows(others),
      "1 further change that costs more, 1 change that costs less, 1 function that follows from "
      "the changes, 1 small change, 1 function that only moved, cannot tell about the time of "
      "2 functions");
}

TEST(OtherRows, SaysHowSmallAChangeOfTimeWouldHaveBeenSeen) {
  std::vector<v1::Finding> unclear;
  for (const double detectable : {230.0, 36.0, 12.0}) {
    unclear.push_back(MakeFinding(absl::StrCat("f", detectable), v1::Finding::SELF_TIME));
    unclear.back().set_verdict(v1::Finding::CANNOT_TELL);
    unclear.back().set_detectable_percent(detectable);
  }
  const auto words = [](const std::vector<v1::Finding>& findings) {
    const v1::Report report = MakeReport(findings);
    const std::vector<FunctionRow> rows = GroupByFunction(report);
    std::vector<const FunctionRow*> all;
    for (const FunctionRow& row : rows) all.push_back(&row);
    return OtherRows(all);
  };
  EXPECT_EQ(words(unclear),
            "cannot tell about the time of 3 functions (the least change that would have been "
            "seen: 12%)");
  EXPECT_EQ(words({unclear[0]}), "cannot tell about the time of 1 function")
      << "no figure to rely on";
}

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
