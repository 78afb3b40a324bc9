#include "reporter/rendering/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reporter/findings/function_rows.h"
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
            "1 regression (+10%), 1 improvement (−2.0%)");
  EXPECT_EQ(Headline(MakeReport({unsampled})),
            "1 change of calls without a known share of CPU (no samples)");
  EXPECT_EQ(Headline(MakeReport({})),
            "No significant change; every call count of code built with -pg is the same as "
            "before");
  EXPECT_EQ(Headline(v1::Report()), "No baseline: nothing to compare with yet");
}

TEST(Headline, CountsUnconfirmedChangesAndThoseOfTheTestItself) {
  v1::Finding unconfirmed = Calls("f", "main");
  unconfirmed.set_verdict(v1::Finding::CANNOT_TELL);
  unconfirmed.set_unconfirmed(true);
  v1::Report report = MakeReport({unconfirmed});
  EXPECT_EQ(Headline(report), "1 unconfirmed change");
  unconfirmed.set_material(false);
  report = MakeReport({unconfirmed});
  EXPECT_EQ(Headline(report), "No significant change");
  v1::Finding in_test = Calls("g", "main");
  in_test.set_in_test(true);
  report = MakeReport({in_test});
  EXPECT_EQ(Headline(report), "1 change (+10%) of the tests' own code or input");
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
  EXPECT_EQ(Headline(MakeReport({waits})), "1 improvement (−2.0%)");
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
    EXPECT_EQ(Headline(report), absl::StrCat("1 regression (+10%)", words));
  }
}

TEST(Headline, SaysWhatWasNotCompared) {
  v1::Report report = MakeReport({Calls("costs")});
  report.mutable_compared()->add_targets("//a:compared");
  report.mutable_compared()->add_not_compared()->set_target("//a:unknown");
  EXPECT_EQ(Headline(report), "1 regression (+10%); 1 of 2 tests was not compared");
  report = MakeReport({});
  report.mutable_compared()->add_not_compared()->set_target("//a:unknown");
  EXPECT_EQ(Headline(report), "The test could not be compared");
  report = MakeReport({});
  report.mutable_compared()->add_unchanged_targets("//a:test");
  EXPECT_EQ(Headline(report), "The binary of every test is the base's");
}

TEST(Headline, CountsCauses) {
  v1::Finding f = Calls("f", "loop"), g = Calls("g", "loop");
  f.set_impact(0.12);
  EXPECT_EQ(Headline(MakeReport({f, g})), "1 regression (+22%)");
}

void AddTotal(const std::string& target, double effect_percent, v1::Finding::Verdict verdict,
              v1::Report& report) {
  report.mutable_compared()->add_targets(target);
  v1::TargetTotal& total = *report.add_totals();
  total.set_target(target);
  total.set_dimension("seconds");
  total.set_before(1);
  total.set_after(1 + effect_percent / 100);
  total.set_effect_percent(effect_percent);
  total.set_interval_low_percent(effect_percent - 5);
  total.set_interval_high_percent(effect_percent + 5);
  total.set_verdict(verdict);
  SetTestEffects(report);
}

TEST(Headline, BeginsWithTheNetChange) {
  v1::Finding slower = Calls("f", "main"), faster = Calls("g", "other");
  slower.set_impact(0.05);
  faster.set_impact(0.25);
  faster.set_verdict(v1::Finding::IMPROVED);
  v1::Report report = MakeReport({slower, faster});
  AddTotal("//a:test", -20, v1::Finding::IMPROVED, report);
  EXPECT_EQ(Headline(report), "−20% CPU: 1 improvement (−25%), 1 regression (+4.0%)");
  AddTotal("//b:test", 7, v1::Finding::REGRESSED, report);
  AddTotal("//c:test", 43, v1::Finding::REGRESSED, report);
  EXPECT_EQ(Headline(report),
            "2 tests slower (largest +43%), 1 test faster (−20%): 1 regression (+4.0%), 1 "
            "improvement (−25%)");
}

TEST(Headline, OfOneTestIncludesAnInconclusiveChangeOnlyWithCauses) {
  v1::Report report = MakeReport({});
  AddTotal("//a:test", 8, v1::Finding::CANNOT_TELL, report);
  EXPECT_EQ(Headline(report),
            "No significant change; every call count of code built with -pg is the same as before");
  *report.add_findings() = Calls("f", "main");
  SetTestEffects(report);
  EXPECT_EQ(Headline(report), "CPU inconclusive (+8.0%): 1 regression (+11%)");
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
      "1 further regression, 1 improvement, 1 side effect, 1 small change, 1 function moved, same "
      "cost, 2 inconclusive times");
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
  EXPECT_EQ(words(unclear), "3 inconclusive times (smallest detectable change: 12%)");
  EXPECT_EQ(words({unclear[0]}), "1 inconclusive time") << "no figure to rely on";
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

TEST(NotesOf, EndWithAWholeClause) {
  const std::string first = "the calls of Kernel (in 3 tests) differ from run to run";
  const std::string reason = "nothing that changed in the code is the reason";
  v1::Report report;
  report.add_warnings(absl::StrCat(first, "; ", reason));
  report.add_warnings(
      absl::StrCat(first, "; ", reason, ". Usual reasons are ", std::string(150, 't')));
  EXPECT_THAT(NotesOf(report, Angled, 3),
              testing::Each(absl::StrCat("note: <", first, "; ", reason, ">")));
}

TEST(NotesOf, AreFewAndShort) {
  v1::Report report;
  for (int i = 0; i < 50; ++i) report.add_warnings(std::string(5000, 'w'));
  const std::vector<std::string> notes = NotesOf(report, Angled, 3);
  ASSERT_THAT(notes, SizeIs(3));
  EXPECT_LT(notes.front().size(), 250u);
  EXPECT_EQ(notes.back(), "and 48 more notes");
  EXPECT_THAT(NotesOf(report, Angled, 1), ElementsAre("50 notes"));
}

}  // namespace

}  // namespace gprofhub::reporter
