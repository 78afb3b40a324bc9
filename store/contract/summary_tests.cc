// Contract tests: summaries of days, and their deletion.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/upkeep_helpers.h"
#include "store/records/summaries.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const BranchKey kMain = {"sqlite", "main", "k8-opt"};
constexpr int64_t kSpan = 600;
const absl::Time kLong = StartOfSpan(kSpan + 3);  // after the end of all spans here

// An analysed run, ordered `hours` after the span began.
int64_t AnalyzedRun(const Store& store, const std::string& key, int64_t span, int hours,
                    const std::string& pull_request = "") {
  NewExecution execution = MakeExecution(key);
  execution.run.committed = execution.run.started = StartOfSpan(span) + absl::Hours(hours);
  execution.run.pull_request = pull_request;
  const int64_t run_id = Record(store, execution, kLong).run_id;
  Analyze(store, absl::StrCat("computed of ", key));
  return run_id;
}

std::vector<int64_t> DueSpans(const Upkeep& upkeep, absl::Time now, uint32_t least_runs) {
  const auto due = upkeep.summaries.FindDue(now, least_runs, 10);
  EXPECT_TRUE(due.ok()) << due.status();
  std::vector<int64_t> spans;
  for (const DueSpan& span : *due) {
    EXPECT_EQ(span.branch.project, kMain.project);
    EXPECT_EQ(span.branch.branch, kMain.branch);
    EXPECT_EQ(span.branch.configuration, kMain.configuration);
    spans.push_back(span.span);
  }
  return spans;
}

// Makes a summary with two functions of all targets, and one of a target.
bool Summarise(const Upkeep& upkeep, int64_t span) {
  const DueSpan due = {kMain, span};
  const auto opened = upkeep.summaries.Open(due);
  EXPECT_TRUE(opened.ok()) << opened.status();
  const std::vector<TargetSummary> targets = {{0, "", "days"},
                                              {1, "//db:query_test", std::string("d\0\xFF", 3)}};
  const std::vector<SummaryRow> rows = {
      {0, {5, "five"}}, {0, {7, "seven"}}, {1, {5, "five of it"}}};
  EXPECT_OK(upkeep.summaries.Add(*opened, targets, rows));
  const auto closed = upkeep.summaries.Close(due, *opened);
  EXPECT_TRUE(closed.ok()) << closed.status();
  return closed.ok() && *closed;
}

std::vector<SpanSummary> Read(const Store& store, const std::string& target = "",
                              const std::vector<int64_t>& functions = {5}) {
  const auto summaries = store.reading.ReadSummaries({kMain, 0, 10000, target, functions});
  EXPECT_TRUE(summaries.ok()) << summaries.status();
  return summaries.ok() ? *summaries : std::vector<SpanSummary>();
}

TEST_P(StoreContractTest, ASpanIsDueWhenItIsOverAndHasEnoughRuns) {
  for (int i = 0; i < 3; ++i) AnalyzedRun(*store_, absl::StrCat("a", i), kSpan, i);
  for (int i = 0; i < 2; ++i) AnalyzedRun(*store_, absl::StrCat("b", i), kSpan + 1, i);
  AnalyzedRun(*store_, "of a pull request", kSpan + 1, 3, "17");
  const absl::Time over = StartOfSpan(kSpan + 2) + absl::Hours(48);
  EXPECT_THAT(DueSpans(*upkeep_, over, 2), ElementsAre(kSpan, kSpan + 1));
  EXPECT_THAT(DueSpans(*upkeep_, over, 3), ElementsAre(kSpan));
  EXPECT_THAT(DueSpans(*upkeep_, over - absl::Seconds(1), 2), ElementsAre(kSpan));
  EXPECT_TRUE(Summarise(*upkeep_, kSpan));
  EXPECT_THAT(DueSpans(*upkeep_, over, 2), ElementsAre(kSpan + 1));
}

TEST_P(StoreContractTest, RunsOfASpanAreThoseOfItsBranchNewestFirst) {
  const int64_t first = AnalyzedRun(*store_, "a", kSpan, 0);
  const int64_t second = AnalyzedRun(*store_, "b", kSpan, 28 * 24 - 1);
  AnalyzedRun(*store_, "c", kSpan, 28 * 24);
  AnalyzedRun(*store_, "d", kSpan, 5, "17");
  const auto runs = store_->reading.ListSpanRuns(kMain, kSpan);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_THAT(*runs, SizeIs(2));
  EXPECT_EQ((*runs)[0].id, second);
  EXPECT_EQ((*runs)[1].id, first);
  EXPECT_EQ((*runs)[1].ordered, StartOfSpan(kSpan));
  EXPECT_EQ((*runs)[1].commit, std::string(40, '1'));
  EXPECT_TRUE((*runs)[1].is_mainline);
}

TEST_P(StoreContractTest, SpansWithoutRunsAreSkipped) {
  AnalyzedRun(*store_, "a", kSpan, 0);
  AnalyzedRun(*store_, "b", kSpan + 2, 1);
  AnalyzedRun(*store_, "of a pull request", kSpan + 3, 0, "17");
  const auto next = [&](int64_t span) {
    const auto found = store_->reading.NextSpanWithRuns(kMain, span);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? found->value_or(-1) : -2;
  };
  EXPECT_EQ(next(0), kSpan);
  EXPECT_EQ(next(kSpan), kSpan);
  EXPECT_EQ(next(kSpan + 1), kSpan + 2);
  EXPECT_EQ(next(kSpan + 2), kSpan + 2);
  EXPECT_EQ(next(kSpan + 3), -1);
}

TEST_P(StoreContractTest, ASummaryGivesWhatWasWritten) {
  AnalyzedRun(*store_, "a", kSpan, 0);
  ASSERT_TRUE(Summarise(*upkeep_, kSpan));
  ASSERT_TRUE(Summarise(*upkeep_, kSpan)) << "and again in its place";
  const auto all = Read(*store_, "", {5, 7, 9});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].span, kSpan);
  EXPECT_EQ(all[0].days, "days");
  ASSERT_THAT(all[0].functions, SizeIs(2));
  const auto one = Read(*store_, "//db:query_test");
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_EQ(one[0].days, std::string("d\0\xFF", 3));
  ASSERT_THAT(one[0].functions, SizeIs(1));
  EXPECT_EQ(one[0].functions[0].payload, "five of it");
  const auto none = Read(*store_, "", {9});
  ASSERT_THAT(none, SizeIs(1)) << "the function does not appear: that is an answer";
  EXPECT_THAT(none[0].functions, IsEmpty());
  EXPECT_THAT(Read(*store_, "//other:test"), IsEmpty());
}

TEST_P(StoreContractTest, WhatIsNotClosedIsNotRead) {
  AnalyzedRun(*store_, "a", kSpan, 0);
  const DueSpan due = {kMain, kSpan};
  const auto opened = upkeep_->summaries.Open(due);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_OK(upkeep_->summaries.Add(*opened, std::vector<TargetSummary>{{0, "", "days"}}, {}));
  EXPECT_THAT(Read(*store_), IsEmpty());
  EXPECT_THAT(DueSpans(*upkeep_, kLong, 1), ElementsAre(kSpan));
  EXPECT_TRUE(Summarise(*upkeep_, kSpan)) << "whoever comes next begins anew";
  EXPECT_EQ(Code(upkeep_->summaries.Add(*opened, {}, {})), absl::StatusCode::kFailedPrecondition);
  const auto closed = upkeep_->summaries.Close(due, *opened);
  EXPECT_TRUE(closed.ok() && !*closed) << closed.status();
  EXPECT_THAT(Read(*store_), SizeIs(1));
}

TEST_P(StoreContractTest, ASummaryGoesWithTheFirstOfItsRunsThatChanges) {
  const int64_t run_id = AnalyzedRun(*store_, "a", kSpan, 0);
  AnalyzedRun(*store_, "b", kSpan + 1, 0);
  ASSERT_TRUE(Summarise(*upkeep_, kSpan));
  ASSERT_TRUE(Summarise(*upkeep_, kSpan + 1));
  // More data of a run.
  NewExecution execution = MakeExecution("a");
  execution.run.committed = execution.run.started = StartOfSpan(kSpan);
  execution.execution.shard = 2;
  Record(*store_, execution, kLong);
  Analyze(*store_);
  EXPECT_THAT(Read(*store_), SizeIs(1));
  ASSERT_TRUE(Summarise(*upkeep_, kSpan));
  // A late run.
  AnalyzedRun(*store_, "c", kSpan, 100);
  EXPECT_THAT(Read(*store_), SizeIs(1));
  ASSERT_TRUE(Summarise(*upkeep_, kSpan));
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kLong));
  EXPECT_THAT(Read(*store_), SizeIs(1));
  EXPECT_EQ(NumberOf(*engine_->database, "SELECT count(*) FROM summary_points"), 3)
      << "nothing is left of the one that went";
  // Runs that belong to no summary.
  AnalyzedRun(*store_, "d", kSpan + 2, 0);
  EXPECT_THAT(Read(*store_), SizeIs(1));
}

TEST_P(StoreContractTest, ASpanIsNotClosedIfOneOfItsRunsChangedMeanwhile) {
  AnalyzedRun(*store_, "a", kSpan, 0);
  const DueSpan due = {kMain, kSpan};
  const auto opened = upkeep_->summaries.Open(due);
  ASSERT_TRUE(opened.ok()) << opened.status();
  // Simulates a concurrent change that began before the span was opened, and so was not seen.
  Do(*engine_->database, "UPDATE run SET revision = revision + 1");
  const auto closed = upkeep_->summaries.Close(due, *opened);
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_FALSE(*closed);
  EXPECT_THAT(Read(*store_), IsEmpty());
  EXPECT_EQ(NumberOf(*engine_->database, "SELECT count(*) FROM summary_span"), 0);
}

TEST_P(StoreContractTest, AProjectThatGoesTakesItsSummariesAlong) {
  const int64_t run_id = AnalyzedRun(*store_, "a", kSpan, 0);
  const auto opened = upkeep_->summaries.Open({kMain, kSpan + 1});  // without a run
  ASSERT_TRUE(opened.ok()) << opened.status();
  ASSERT_TRUE(Summarise(*upkeep_, kSpan));
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kLong));
  EXPECT_OK(store_->removal.DeleteRestOfProject("sqlite", kOperator, kLong));
  EXPECT_EQ(NumberOf(*engine_->database, "SELECT count(*) FROM summary_span"), 0);
  EXPECT_EQ(NumberOf(*engine_->database, "SELECT count(*) FROM summary_target"), 0);
}

}  // namespace

}  // namespace gprofhub::store
