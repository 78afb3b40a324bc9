// Contract tests: reports on pull requests.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/helpers.h"

namespace gprofhub::store {

namespace {

const absl::Time kDue = kNow + kReportDelay;
constexpr char kProject[] = "sqlite";  // MakeExecution's

NewExecution OfPullRequest(const std::string& run_key = "run-1") {
  NewExecution execution = MakeExecution(run_key);
  execution.run.pull_request = "17";
  return execution;
}

std::optional<ReportJob> ClaimReport(const Store& store, absl::Time now,
                                     absl::string_view worker = "reporter",
                                     ReportKind kind = ReportKind::kPullRequest) {
  absl::StatusOr<std::optional<ReportJob>> job = store.reports.Claim(kind, worker, now, kLease);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() ? *job : std::nullopt;
}

void Analyze(const Store& store, absl::Time now = kNow) {
  const Job job = Claim(store, "worker", now);
  EXPECT_OK(store.jobs.Complete(job, MakeResult(job), now));
}

ReportOutcome Outcome(ReportOutcome::Kind kind, absl::Time due = kNow) { return {kind, "", due}; }

TEST_P(StoreContractTest, AReportIsDueAWhileAfterTheLastTargetOfARunIsAnalyzed) {
  const int64_t run_id = Record(*store_, OfPullRequest()).run_id;
  NewExecution second = OfPullRequest();
  second.execution.target = "//db:other_test";
  Record(*store_, second);
  Analyze(*store_);
  EXPECT_FALSE(ClaimReport(*store_, kNow + absl::Hours(1)).has_value()) << "a target is pending";
  Analyze(*store_);
  EXPECT_FALSE(ClaimReport(*store_, kDue - absl::Seconds(1)).has_value());
  const std::optional<ReportJob> job = ClaimReport(*store_, kDue);
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->run_id, run_id);
  EXPECT_EQ(job->attempts, 1u);
  EXPECT_EQ(job->worker, "reporter");
  EXPECT_EQ(job->queued, kNow);
}

// The clock was hours ahead while the report was queued, then while it was retried.
TEST_P(StoreContractTest, AReportQueuedOrDelayedInTheFutureIsNotWaitedFor) {
  Record(*store_, OfPullRequest());
  const absl::Time ahead = kNow + absl::Hours(3);
  Analyze(*store_, ahead);
  EXPECT_FALSE(ClaimReport(*store_, kNow).has_value()) << "at first it is only found out";
  std::optional<ReportJob> job = ClaimReport(*store_, kNow + absl::Seconds(1));
  ASSERT_TRUE(job.has_value());
  EXPECT_LE(job->queued, kNow + absl::Seconds(1)) << "what waits since then ends";
  EXPECT_OK(store_->reports.Finish(
      *job, Outcome(ReportOutcome::Kind::kAgain, ahead + absl::Minutes(10)), ahead));
  const absl::Time later = kNow + absl::Minutes(2);
  EXPECT_FALSE(ClaimReport(*store_, later).has_value());
  job = ClaimReport(*store_, later + absl::Seconds(1));
  ASSERT_TRUE(job.has_value());
  // An hour is a valid wait.
  const absl::Time due = later + absl::Hours(1);
  EXPECT_OK(store_->reports.Finish(*job, Outcome(ReportOutcome::Kind::kAgain, due), later));
  const absl::Time early = later + absl::Minutes(2);
  EXPECT_FALSE(ClaimReport(*store_, early).has_value());
  EXPECT_FALSE(ClaimReport(*store_, early + absl::Seconds(1)).has_value());
  EXPECT_TRUE(ClaimReport(*store_, due).has_value());
}

// A report that watches comments for a week waits for hours.
TEST_P(StoreContractTest, AnOldReportsLongWaitIsKept) {
  Record(*store_, OfPullRequest());
  Analyze(*store_);
  const absl::Time now = kNow + absl::Hours(24 * 7);
  const std::optional<ReportJob> job = ClaimReport(*store_, now);
  ASSERT_TRUE(job.has_value());
  EXPECT_OK(store_->reports.Finish(*job, Outcome(ReportOutcome::Kind::kAgain, now + absl::Hours(8)),
                                   now));
  EXPECT_FALSE(ClaimReport(*store_, now).has_value());
  EXPECT_FALSE(ClaimReport(*store_, now + absl::Hours(1)).has_value());
  EXPECT_TRUE(ClaimReport(*store_, now + absl::Hours(8)).has_value());
}

TEST_P(StoreContractTest, ARunOfABranchHasAReportOfItsOwnKind) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  Analyze(*store_);
  EXPECT_FALSE(ClaimReport(*store_, kNow + absl::Hours(1)).has_value());
  const auto job = ClaimReport(*store_, kDue, "reporter", ReportKind::kBranch);
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->run_id, run_id);
}

TEST_P(StoreContractTest, AForksRunWithoutAPullRequestHasNoReport) {
  NewExecution execution = MakeExecution();
  execution.run.from_fork = true;
  Record(*store_, execution);
  Analyze(*store_);
  for (const ReportKind kind : {ReportKind::kPullRequest, ReportKind::kBranch}) {
    EXPECT_FALSE(ClaimReport(*store_, kNow + absl::Hours(1), "reporter", kind).has_value());
  }
}

TEST_P(StoreContractTest, AReportOfAPullRequestIsWoken) {
  Record(*store_, OfPullRequest("older"));
  Analyze(*store_);
  EXPECT_OK(store_->reports.Finish(*ClaimReport(*store_, kDue), Outcome(ReportOutcome::Kind::kDone),
                                   kDue));
  const int64_t newest = Record(*store_, OfPullRequest("newest")).run_id;
  Analyze(*store_);
  EXPECT_OK(store_->reports.Finish(*ClaimReport(*store_, kDue), Outcome(ReportOutcome::Kind::kDone),
                                   kDue));
  EXPECT_FALSE(*store_->reports.Wake("sqlite", {"18", "#18"}, kDue));
  EXPECT_FALSE(*store_->reports.Wake("other", {"17", "#17"}, kDue));
  EXPECT_FALSE(ClaimReport(*store_, kDue + absl::Hours(1)).has_value());
  EXPECT_TRUE(*store_->reports.Wake("sqlite", {"#17", "17"}, kDue + absl::Hours(2)));
  EXPECT_FALSE(ClaimReport(*store_, kDue + absl::Hours(1)).has_value());
  const auto job = ClaimReport(*store_, kDue + absl::Hours(2));
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->run_id, newest);
  EXPECT_EQ(job->queued, kNow) << "how long comments are waited for does not change";
  EXPECT_FALSE(ClaimReport(*store_, kDue + absl::Hours(2)).has_value()) << "the older run is past";
}

TEST_P(StoreContractTest, AReportUnderWayThatIsWokenIsMadeOnceMore) {
  Record(*store_, OfPullRequest());
  Analyze(*store_);
  const ReportJob job = *ClaimReport(*store_, kDue);
  EXPECT_TRUE(*store_->reports.Wake("sqlite", {"17"}, kDue + absl::Seconds(5)));
  EXPECT_FALSE(ClaimReport(*store_, kDue + absl::Seconds(5)).has_value()) << "it is leased";
  EXPECT_OK(store_->reports.Finish(job, Outcome(ReportOutcome::Kind::kDone), kDue));
  EXPECT_TRUE(ClaimReport(*store_, kDue + absl::Seconds(5)).has_value());
}

TEST_P(StoreContractTest, WakingAReportThatIsDueSoonerDoesNotDelayIt) {
  Record(*store_, OfPullRequest());
  Analyze(*store_);
  EXPECT_TRUE(*store_->reports.Wake("sqlite", {"17"}, kDue + absl::Hours(1)));
  EXPECT_TRUE(ClaimReport(*store_, kDue).has_value());
}

TEST_P(StoreContractTest, ARunOfSampledProfilesHasNoReport) {
  NewExecution execution = OfPullRequest();
  execution.run.profile_kind = ProfileKind::kSampled;
  Record(*store_, execution);
  Analyze(*store_);
  EXPECT_FALSE(ClaimReport(*store_, kNow + absl::Hours(1)).has_value());
}

TEST_P(StoreContractTest, AFailedTargetDoesNotKeepTheReportBack) {
  Record(*store_, OfPullRequest());
  const Job job = Claim(*store_);
  EXPECT_OK(store_->jobs.Fail(job, "bad data", JobQueue::Ending::kFailed, kNow));
  EXPECT_TRUE(ClaimReport(*store_, kDue).has_value());
}

TEST_P(StoreContractTest, ATargetThatIsTriedAgainKeepsTheReportBack) {
  Record(*store_, OfPullRequest());
  EXPECT_OK(store_->jobs.Fail(Claim(*store_), "out of memory", JobQueue::Ending::kAgain, kNow));
  EXPECT_FALSE(ClaimReport(*store_, kNow + absl::Hours(1)).has_value());
}

TEST_P(StoreContractTest, ADeadLetterDoesNotKeepTheReportBack) {
  Record(*store_, OfPullRequest());
  for (uint32_t attempt = 1; attempt <= kAttempts; ++attempt) {
    EXPECT_OK(store_->jobs.Fail(Claim(*store_), "out of memory", JobQueue::Ending::kAgain, kNow));
  }
  EXPECT_TRUE(NoJob(*store_));
  EXPECT_TRUE(ClaimReport(*store_, kDue).has_value());
}

TEST_P(StoreContractTest, AReportWhoseLeaseRanOutIsGivenToAnother) {
  Record(*store_, OfPullRequest());
  Analyze(*store_);
  const ReportJob lost = *ClaimReport(*store_, kDue, "lost");
  EXPECT_FALSE(ClaimReport(*store_, kDue + kLease - absl::Seconds(1)).has_value());
  EXPECT_OK(store_->reports.ExtendLease(lost, kDue + absl::Seconds(30), kLease));
  EXPECT_FALSE(ClaimReport(*store_, kDue + kLease).has_value());
  const std::optional<ReportJob> job = ClaimReport(*store_, kDue + 2 * kLease, "next");
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->attempts, 2u);
  EXPECT_EQ(job->queued, kNow);
  constexpr absl::StatusCode kRefused = absl::StatusCode::kFailedPrecondition;
  EXPECT_EQ(Code(store_->reports.ExtendLease(lost, kDue, kLease)), kRefused);
  EXPECT_EQ(Code(store_->reports.Finish(lost, Outcome(ReportOutcome::Kind::kDone), kDue)),
            kRefused);
  EXPECT_OK(store_->reports.Finish(*job, Outcome(ReportOutcome::Kind::kDone), kDue));
}

TEST_P(StoreContractTest, AReportThatEndsWhoeverMakesItIsGivenUp) {
  Record(*store_, OfPullRequest());
  Analyze(*store_);
  EXPECT_OK(store_->reports.Finish(*ClaimReport(*store_, kDue),
                                   {ReportOutcome::Kind::kAgain, "the forge is down", kDue}, kDue));
  absl::Time now = kDue;
  for (int64_t lost = 0; lost < kMostLostLeases; ++lost) {
    EXPECT_TRUE(ClaimReport(*store_, now).has_value()) << lost;
    now += kLease;
  }
  EXPECT_FALSE(ClaimReport(*store_, now).has_value());
  EXPECT_FALSE(ClaimReport(*store_, now + absl::Hours(100)).has_value());
  // New data is a new report.
  NewExecution more = OfPullRequest();
  more.execution.shard = 2;
  Record(*store_, more, now);
  Analyze(*store_, now);
  EXPECT_TRUE(ClaimReport(*store_, now + kReportDelay).has_value());
}

TEST_P(StoreContractTest, ReportsThatAreWaitedForAreNoLostLeases) {
  Record(*store_, OfPullRequest());
  Analyze(*store_);
  for (int64_t times = 0; times < 3 * kMostLostLeases; ++times) {
    const auto job = ClaimReport(*store_, kDue);
    ASSERT_TRUE(job.has_value()) << times;
    EXPECT_OK(store_->reports.Finish(*job, Outcome(ReportOutcome::Kind::kAgain, kDue), kDue));
  }
}

TEST_P(StoreContractTest, AProjectHasOneReportUnderWayAndProjectsTakeTurns) {
  for (const char* run : {"1", "2", "3"}) {
    NewExecution execution = OfPullRequest(run);
    execution.run.project = "large";
    Record(*store_, execution);
  }
  NewExecution small = OfPullRequest();
  small.run.project = "small";
  Record(*store_, small);
  for (int i = 0; i < 4; ++i) Analyze(*store_);
  const auto project_of = [this](const ReportJob& job) {
    return store_->reading.ReadRun(job.run_id)->project;
  };
  const auto first = ClaimReport(*store_, kDue, "one");
  const auto second = ClaimReport(*store_, kDue, "two");
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(project_of(*first), "large");
  EXPECT_EQ(project_of(*second), "small");
  EXPECT_FALSE(ClaimReport(*store_, kDue, "three").has_value()) << "large's is under way";
  EXPECT_OK(store_->reports.Finish(*second, Outcome(ReportOutcome::Kind::kAgain, kDue), kDue));
  EXPECT_OK(store_->reports.Finish(*first, Outcome(ReportOutcome::Kind::kDone), kDue));
  // Both were claimed at the same time; then the other project is next.
  const absl::Time later = kDue + absl::Seconds(1);
  const auto third = ClaimReport(*store_, later);
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(project_of(*third), "large");
  EXPECT_OK(store_->reports.Finish(*third, Outcome(ReportOutcome::Kind::kDone), later));
  EXPECT_EQ(project_of(*ClaimReport(*store_, later)), "small");
}

TEST_P(StoreContractTest, ConcurrentClaimsGiveAProjectOneReport) {
  constexpr int kRuns = 8;
  for (int i = 0; i < kRuns; ++i) Record(*store_, OfPullRequest(absl::StrCat("run ", i)));
  for (int i = 0; i < kRuns; ++i) Analyze(*store_);
  std::atomic<int> claimed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kRuns; ++i) {
    threads.emplace_back([this, i, &claimed] {
      if (ClaimReport(*store_, kDue, absl::StrCat("worker ", i)).has_value()) ++claimed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(claimed, 1);
}

TEST_P(StoreContractTest, AReportThatIsDoneOrFailedStaysSo) {
  for (const auto kind : {ReportOutcome::Kind::kDone, ReportOutcome::Kind::kFailed}) {
    Record(*store_, OfPullRequest(absl::StrCat("run ", static_cast<int>(kind))));
    Analyze(*store_);
    EXPECT_OK(store_->reports.Finish(*ClaimReport(*store_, kDue), Outcome(kind), kDue));
    EXPECT_FALSE(ClaimReport(*store_, kDue + absl::Hours(1)).has_value());
  }
}

TEST_P(StoreContractTest, AReportIsDoneAgainWhenItIsDue) {
  Record(*store_, OfPullRequest());
  Analyze(*store_);
  const absl::Time later = kDue + absl::Minutes(5);
  EXPECT_OK(store_->reports.Finish(*ClaimReport(*store_, kDue),
                                   Outcome(ReportOutcome::Kind::kAgain, later), kDue));
  EXPECT_FALSE(ClaimReport(*store_, later - absl::Seconds(1)).has_value());
  const std::optional<ReportJob> again = ClaimReport(*store_, later);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->attempts, 2u);
}

TEST_P(StoreContractTest, MoreDataMakesAReportDueOnceMore) {
  NewExecution execution = OfPullRequest();
  Record(*store_, execution);
  Analyze(*store_);
  EXPECT_OK(store_->reports.Finish(*ClaimReport(*store_, kDue), Outcome(ReportOutcome::Kind::kDone),
                                   kDue));
  execution.execution.shard = 2;
  Record(*store_, execution, kDue);
  Analyze(*store_, kDue);
  const std::optional<ReportJob> again = ClaimReport(*store_, kDue + kReportDelay);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->attempts, 1u);
  EXPECT_EQ(again->queued, kDue);
}

TEST_P(StoreContractTest, DataAnalyzedWhileAReportIsMadeMakesItDueOnceMore) {
  NewExecution execution = OfPullRequest();
  Record(*store_, execution);
  Analyze(*store_);
  const ReportJob job = *ClaimReport(*store_, kDue);
  execution.execution.shard = 2;
  Record(*store_, execution, kDue);
  Analyze(*store_, kDue);
  EXPECT_OK(store_->reports.Finish(job, Outcome(ReportOutcome::Kind::kFailed), kDue));
  EXPECT_TRUE(ClaimReport(*store_, kDue + kReportDelay).has_value());
}

TEST_P(StoreContractTest, TargetsThatEndAtOnceMakeOneReport) {
  constexpr int kTargets = 8;
  for (int i = 0; i < kTargets; ++i) {
    NewExecution execution = OfPullRequest();
    execution.execution.target = absl::StrCat("//db:test_", i);
    Record(*store_, execution);
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < kTargets; ++i) {
    threads.emplace_back([this] { Analyze(*store_); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(ClaimReport(*store_, kDue).has_value());
  EXPECT_FALSE(ClaimReport(*store_, kDue).has_value());
}

TEST_P(StoreContractTest, ARunThatIsSentWholeIsReportedOnAtOnce) {
  const int64_t run_id = Record(*store_, OfPullRequest()).run_id;
  EXPECT_OK(store_->ingest.FinishRun(kProject, run_id, kNow));
  EXPECT_FALSE(ClaimReport(*store_, kNow).has_value()) << "it is not analysed";
  Analyze(*store_);
  const auto job = ClaimReport(*store_, kNow);
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->run_id, run_id);
}

TEST_P(StoreContractTest, TheReportOnAnAnalysedRunIsDueOnceAllOfTheRunIsSent) {
  const int64_t run_id = Record(*store_, OfPullRequest()).run_id;
  Analyze(*store_);
  EXPECT_FALSE(ClaimReport(*store_, kNow).has_value());
  EXPECT_OK(store_->ingest.FinishRun(kProject, run_id, kNow));
  EXPECT_OK(store_->ingest.FinishRun(kProject, run_id, kNow)) << "saying it again changes nothing";
  ASSERT_TRUE(ClaimReport(*store_, kNow).has_value());
  EXPECT_FALSE(ClaimReport(*store_, kDue).has_value());
}

TEST_P(StoreContractTest, WhatComesAfterTheEndOfARunIsWaitedForAgain) {
  const int64_t run_id = Record(*store_, OfPullRequest()).run_id;
  EXPECT_OK(store_->ingest.FinishRun(kProject, run_id, kNow));
  NewExecution late = OfPullRequest();
  late.execution.shard = 2;
  Record(*store_, late);
  Analyze(*store_);
  EXPECT_FALSE(ClaimReport(*store_, kDue - absl::Seconds(1)).has_value());
  EXPECT_TRUE(ClaimReport(*store_, kDue).has_value());
}

TEST_P(StoreContractTest, AReportThatWaitsForSomethingElseIsNotDueForTheEndOfItsRun) {
  const int64_t run_id = Record(*store_, OfPullRequest()).run_id;
  Analyze(*store_);
  const absl::Time later = kDue + absl::Minutes(5);
  EXPECT_OK(store_->reports.Finish(*ClaimReport(*store_, kDue),
                                   Outcome(ReportOutcome::Kind::kAgain, later), kDue));
  EXPECT_OK(store_->ingest.FinishRun(kProject, run_id, kDue));
  EXPECT_FALSE(ClaimReport(*store_, later - absl::Seconds(1)).has_value());
}

TEST_P(StoreContractTest, OnlyARunOfTheProjectCanBeFinished) {
  const int64_t run_id = Record(*store_, OfPullRequest()).run_id;
  EXPECT_EQ(store_->ingest.FinishRun("other", run_id, kNow).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->ingest.FinishRun(kProject, run_id + 1, kNow).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->ingest.FinishRun("", run_id, kNow).code(), absl::StatusCode::kInvalidArgument);
  Analyze(*store_);
  EXPECT_FALSE(ClaimReport(*store_, kNow).has_value());
}

}  // namespace

}  // namespace gprofhub::store
