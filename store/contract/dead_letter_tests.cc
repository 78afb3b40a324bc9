// Contract tests: dead letters, and how their work is resumed.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/upkeep_helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kJobs = LetterKind::kJob;
constexpr auto kReports = LetterKind::kReport;

// Records a run whose job fails; returns the job's id.
int64_t FailedJob(const Store& store, const std::string& run_key,
                  const std::string& project = "sqlite") {
  NewExecution execution = MakeExecution(run_key);
  execution.run.project = project;
  Record(store, execution);
  const Job job = Claim(store);
  EXPECT_OK(store.jobs.Fail(job, "poison", JobQueue::Ending::kFailed, kNow));
  return job.id;
}

ReportJob ClaimReport(const Store& store, absl::Time now) {
  const auto job = store.reports.Claim(ReportKind::kBranch, "reporter", now, kLease);
  EXPECT_TRUE(job.ok() && job->has_value()) << job.status();
  return job.ok() && job->has_value() ? **job : ReportJob();
}

TEST_P(StoreContractTest, DeadLettersAreListedWithTheirReason) {
  EXPECT_THAT(*upkeep().dead_letters.List(kJobs, {}, 0, 10), IsEmpty());
  const int64_t job = FailedJob(*store_, "one");
  FailedJob(*store_, "two", "other");
  const auto letters = upkeep().dead_letters.List(kJobs, {"sqlite", {}}, 0, 10);
  ASSERT_TRUE(letters.ok()) << letters.status();
  ASSERT_THAT(*letters, SizeIs(1));
  EXPECT_EQ((*letters)[0].id, job);
  EXPECT_EQ((*letters)[0].project, "sqlite");
  EXPECT_EQ((*letters)[0].what, "//db:query_test");
  EXPECT_EQ((*letters)[0].attempts, 1u);
  EXPECT_EQ((*letters)[0].reason, "poison");
  EXPECT_THAT(*upkeep().dead_letters.List(kJobs, {}, 0, 10), SizeIs(2));
  EXPECT_THAT(*upkeep().dead_letters.List(kJobs, {}, job, 10), SizeIs(1));
}

TEST_P(StoreContractTest, ReportsWithoutSomePartsAreListed) {
  Record(*store_, MakeExecution());
  Analyze(*store_);
  const absl::Time due = kNow + absl::Minutes(1);
  ReportOutcome outcome;
  outcome.note = absl::StrCat(kIncompleteNote, "commit status (404); posted");
  EXPECT_OK(store_->reports.Finish(ClaimReport(*store_, due), outcome, due));
  const auto letters = upkeep().dead_letters.List(kReports, {}, 0, 10);
  ASSERT_TRUE(letters.ok()) << letters.status();
  ASSERT_THAT(*letters, SizeIs(1));
  EXPECT_EQ((*letters)[0].reason, outcome.note);
  EXPECT_EQ(*upkeep().dead_letters.Revive(kReports, {}, kOperator, due), 1u);
  EXPECT_OK(store_->reports.Finish(ClaimReport(*store_, due), {}, due));
  EXPECT_THAT(*upkeep().dead_letters.List(kReports, {}, 0, 10), IsEmpty());
}

// The only listed report.
DeadLetter OnlyReport(const Upkeep& upkeep) {
  const auto letters = upkeep.dead_letters.List(kReports, {}, 0, 10);
  EXPECT_TRUE(letters.ok() && letters->size() == 1) << letters.status();
  return letters.ok() && letters->size() == 1 ? letters->front() : DeadLetter();
}

ReportOutcome Outcome(ReportOutcome::Kind kind, const std::string& note, absl::Time due) {
  return {kind, note, due};
}

TEST_P(StoreContractTest, AReportThatWaitsIsListedWithTheReason) {
  EXPECT_THAT(*upkeep().dead_letters.List(kReports, {}, 0, 10), IsEmpty());
  Record(*store_, MakeExecution());
  EXPECT_THAT(OnlyReport(upkeep()).reason, HasSubstr("the analysis of 1 target"));
  EXPECT_EQ(*upkeep().dead_letters.Revive(kReports, {}, kOperator, kNow), 0u);

  Analyze(*store_);
  EXPECT_THAT(OnlyReport(upkeep()).reason, HasSubstr("no server makes such reports"));
  EXPECT_LE(absl::AbsDuration(OnlyReport(upkeep()).due - (kNow + kReportDelay)), absl::Seconds(1));

  absl::Time now = kNow + kReportDelay;
  ReportJob job = ClaimReport(*store_, now);
  EXPECT_THAT(OnlyReport(upkeep()).reason, HasSubstr("worker 'reporter' makes it"));
  EXPECT_LE(absl::AbsDuration(OnlyReport(upkeep()).due - (now + kLease)), absl::Seconds(1));

  const absl::Time due = now + absl::Hours(1);
  EXPECT_OK(store_->reports.Finish(
      job, Outcome(ReportOutcome::Kind::kAgain, "the forge's rate limit", due), now));
  EXPECT_EQ(OnlyReport(upkeep()).reason, "the forge's rate limit");
  EXPECT_TRUE(OnlyReport(upkeep()).waits);
  EXPECT_LE(absl::AbsDuration(OnlyReport(upkeep()).due - due), absl::Seconds(1));
  EXPECT_EQ(*upkeep().dead_letters.Revive(kReports, {}, kOperator, due), 0u) << "it is retried";

  EXPECT_OK(store_->reports.Finish(ClaimReport(*store_, due), {}, due));
  EXPECT_THAT(*upkeep().dead_letters.List(kReports, {}, 0, 10), IsEmpty());
}

TEST_P(StoreContractTest, ReportsThatWaitForResultsForTheirTurnOrForAWorkerSaySo) {
  const RecordedExecution first = Record(*store_, MakeExecution("one"));
  Analyze(*store_);
  const absl::Time now = kNow + kReportDelay;
  const ReportJob under_way = ClaimReport(*store_, now);
  NewExecution second = MakeExecution("two");
  second.run.branch = "other";
  const RecordedExecution other = Record(*store_, second);
  Analyze(*store_);
  const auto of_second = [&] {
    const auto letters = upkeep().dead_letters.List(kReports, {}, first.run_id, 10);
    return letters.ok() && !letters->empty() ? letters->front().reason : "not listed";
  };
  EXPECT_THAT(of_second(), HasSubstr("more test results of the run"));
  EXPECT_THAT(of_second(), HasSubstr(absl::StrCat("the report on run ", first.run_id)));
  EXPECT_OK(store_->reports.Finish(under_way, {}, now));
  EXPECT_EQ(of_second(), "waits for more test results of the run");
  EXPECT_OK(store_->ingest.FinishRun("sqlite", other.run_id, kNow));
  EXPECT_EQ(of_second(), "waits for a worker");
}

TEST_P(StoreContractTest, ADisabledReportIsListedAndMayBePosted) {
  NewExecution execution = MakeExecution();
  execution.run.pull_request = "17";
  Record(*store_, execution);
  Analyze(*store_);
  const absl::Time now = kNow + kReportDelay;
  const auto job = store_->reports.Claim(ReportKind::kPullRequest, "reporter", now, kLease);
  ASSERT_TRUE(job.ok() && job->has_value());
  const std::string note = absl::StrCat(kDisabledNote, "no forge");
  EXPECT_OK(store_->reports.Finish(**job, Outcome(ReportOutcome::Kind::kDone, note, now), now));
  EXPECT_EQ(OnlyReport(upkeep()).reason, note);
  EXPECT_FALSE(OnlyReport(upkeep()).waits);
  EXPECT_EQ(*upkeep().dead_letters.Revive(kReports, {}, kOperator, now), 1u);
}

TEST_P(StoreContractTest, OfABranchWhoseReportsNoServerMakesOnlyTheNewestIsListed) {
  for (int i = 0; i < 3; ++i) {
    NewExecution execution = MakeExecution(absl::StrCat("run ", i));
    execution.run.profile_kind = ProfileKind::kCounted;
    Record(*store_, execution);
    Analyze(*store_);
  }
  EXPECT_THAT(OnlyReport(upkeep()).reason, HasSubstr("--notify"));
}

TEST_P(StoreContractTest, ARevivedJobIsTriedAsOftenAsANewOne) {
  Record(*store_, MakeExecution());
  absl::Time now = kNow;
  for (uint32_t i = 0; i < kAttempts; ++i, now += 2 * kLease) Claim(*store_, "vanishes", now);
  ASSERT_TRUE(NoJob(*store_, now));
  const auto letters = upkeep().dead_letters.List(kJobs, {}, 0, 10);
  ASSERT_THAT(*letters, SizeIs(1));
  EXPECT_THAT((*letters)[0].reason, HasSubstr("gave up after 3 attempts"));

  EXPECT_EQ(*upkeep().dead_letters.Revive(kJobs, {"", {(*letters)[0].id}}, kOperator, now), 1u);
  EXPECT_THAT(*upkeep().dead_letters.List(kJobs, {}, 0, 10), IsEmpty());
  for (uint32_t i = 1; i <= kAttempts; ++i, now += 2 * kLease) {
    EXPECT_EQ(Claim(*store_, "vanishes", now).attempts, i);
  }
  EXPECT_TRUE(NoJob(*store_, now));
  EXPECT_EQ(CountAudit(*store_, "job.requeue"), 1);
}

TEST_P(StoreContractTest, DeadLettersAreRevivedByProjectOrAllTogether) {
  for (int i = 0; i < 3; ++i) FailedJob(*store_, absl::StrCat("run ", i));
  FailedJob(*store_, "theirs", "other");
  EXPECT_EQ(*upkeep().dead_letters.Revive(kJobs, {"other", {}}, kOperator, kNow), 1u);
  EXPECT_EQ(*upkeep().dead_letters.Revive(kJobs, {}, kOperator, kNow), 3u);
  EXPECT_EQ(*upkeep().dead_letters.Revive(kJobs, {}, kOperator, kNow), 0u);
  EXPECT_EQ(CountAudit(*store_, "job.requeue"), 4);
  for (int i = 0; i < 4; ++i) Claim(*store_);
  EXPECT_TRUE(NoJob(*store_));
}

TEST_P(StoreContractTest, WhatIsNotADeadLetterIsNotRevived) {
  Record(*store_, MakeExecution());
  EXPECT_EQ(Code(upkeep().dead_letters.Revive(kJobs, {"", {1}}, kOperator, kNow)),
            absl::StatusCode::kNotFound);
  const Job job = Claim(*store_);
  EXPECT_OK(store_->jobs.Fail(job, "poison", JobQueue::Ending::kFailed, kNow));
  EXPECT_EQ(Code(upkeep().dead_letters.Revive(kJobs, {"other", {job.id}}, kOperator, kNow)),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(*upkeep().dead_letters.List(kJobs, {}, 0, 10), SizeIs(1)) << "nothing happened";
  EXPECT_EQ(CountAudit(*store_, "job.requeue"), 0);
}

TEST_P(StoreContractTest, AFailedReportIsPostedAgain) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  Analyze(*store_);
  const absl::Time due = kNow + absl::Minutes(1);
  ReportOutcome failed;
  failed.kind = ReportOutcome::Kind::kFailed;
  failed.note = "the forge said 403";
  EXPECT_OK(store_->reports.Finish(ClaimReport(*store_, due), failed, due));
  const auto letters = upkeep().dead_letters.List(kReports, {}, 0, 10);
  ASSERT_TRUE(letters.ok()) << letters.status();
  ASSERT_THAT(*letters, SizeIs(1));
  EXPECT_EQ((*letters)[0].id, run_id);
  EXPECT_EQ((*letters)[0].what, "branch main");
  EXPECT_EQ((*letters)[0].reason, "the forge said 403");

  const absl::Time later = due + absl::Hours(48);
  EXPECT_EQ(*upkeep().dead_letters.Revive(kReports, {}, kOperator, later), 1u);
  const ReportJob again = ClaimReport(*store_, later);
  EXPECT_EQ(again.run_id, run_id);
  EXPECT_EQ(again.attempts, 1u);
  EXPECT_EQ(again.queued, later) << "it is tried for as long as a new one";
  EXPECT_OK(store_->reports.Finish(again, {}, later));

  EXPECT_EQ(*upkeep().dead_letters.Revive(kReports, {}, kOperator, later), 0u);
  EXPECT_EQ(*upkeep().dead_letters.Revive(kReports, {"", {run_id}}, kOperator, later), 1u)
      << "named by its run, it is posted once more";
  EXPECT_EQ(ClaimReport(*store_, later).run_id, run_id);
  EXPECT_EQ(CountAudit(*store_, "report.repost"), 2);
}

TEST_P(StoreContractTest, AFailedNotificationIsToldAgain) {
  NotificationRecord record;
  record.key = "event 1";
  record.channel = "chat";
  record.project = "sqlite";
  record.series = "main";
  record.content = "slower";
  EXPECT_OK(store_->notifications.Put({record}, /*deliver=*/true, kNow));
  const auto claimed = store_->notifications.Claim("chat", "teller", kNow, kLease);
  ASSERT_TRUE(claimed.ok() && claimed->has_value());
  NotificationOutcome failed;
  failed.kind = NotificationOutcome::Kind::kFailed;
  failed.note = "no such channel";
  EXPECT_OK(store_->notifications.Finish(**claimed, failed, kNow));
  const auto letters = upkeep().dead_letters.List(LetterKind::kNotification, {}, 0, 10);
  ASSERT_TRUE(letters.ok()) << letters.status();
  ASSERT_THAT(*letters, SizeIs(1));
  EXPECT_EQ((*letters)[0].what, "chat");
  EXPECT_EQ((*letters)[0].reason, "no such channel");
  EXPECT_EQ(*upkeep().dead_letters.Revive(LetterKind::kNotification, {}, kOperator, kNow), 1u);
  const auto again = store_->notifications.Claim("chat", "teller", kNow, kLease);
  ASSERT_TRUE(again.ok() && again->has_value());
  EXPECT_EQ((*again)->content, "slower");
  EXPECT_EQ(CountAudit(*store_, "notification.repost"), 1);
}

// ---- Projects being removed ----

TEST_P(StoreContractTest, ADeletedProjectLeavesItsAuditLogAndRevokedTokens) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  NewExecution other = MakeExecution();
  other.run.project = "other";
  const int64_t others_run = Record(*store_, other).run_id;
  EXPECT_OK(store_->tokens.Create(MakeToken("sqlite", "ci", "hash"), kOperator));
  EXPECT_OK(store_->tokens.Create(MakeToken("other", "ci", "their hash"), kOperator));
  AcknowledgementRecord record;
  record.project = "sqlite";
  record.function = "f";
  record.author = "alice";
  record.reason = "meant";
  record.created = kNow;
  record.source = "somewhere";
  EXPECT_OK(store_->gate.AddAcknowledgement(record, kOperator));

  EXPECT_THAT(*store_->removal.RunsOfProject("sqlite"), ElementsAre(run_id));
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kNow));
  EXPECT_OK(store_->removal.DeleteRestOfProject("sqlite", kOperator, kNow));

  EXPECT_THAT(*store_->gate.ListAllAcknowledgements("sqlite"), IsEmpty());
  EXPECT_THAT(*store_->blobs.FindMissing("sqlite", {other.images[0].bundle}), SizeIs(1));
  EXPECT_THAT(*store_->blobs.FindMissing("other", {other.images[0].bundle}), IsEmpty());
  ASSERT_THAT(*store_->tokens.List("sqlite"), SizeIs(1));
  EXPECT_TRUE(store_->tokens.List("sqlite")->front().revoked);
  EXPECT_TRUE(*store_->tokens.WereCreated()) << "the server is not open to everybody";
  EXPECT_OK(store_->tokens.Find("their hash"));
  EXPECT_OK(store_->reading.ReadRun(others_run));
  EXPECT_GE(CountAudit(*store_, "project.delete"), 3);
  EXPECT_THAT(Kinds(upkeep(), /*damages_only=*/true), IsEmpty());
}

TEST_P(StoreContractTest, ResultsOutOfACacheGoWithTheRunThatTheyTook) {
  NewExecution measured = MakeExecution("measured");
  measured.execution.test_binary_digest = "build-id:0a";
  const int64_t wrong = Record(*store_, measured).run_id;
  const auto cached = [&](const std::string& key) {
    NewExecution execution = measured;
    execution.run.run_key = key;
    execution.execution.cached = true;
    execution.profiles.clear();
    execution.images.clear();
    execution.blobs.clear();
    return Record(*store_, execution);
  };
  const RecordedExecution first = cached("cached");
  const RecordedExecution second = cached("cached again, from the cached one");
  ASSERT_EQ(second.profiles, 1u);
  for (int i = 0; i < 3; ++i) Analyze(*store_);
  ASSERT_TRUE(NoJob(*store_));

  EXPECT_OK(store_->removal.DeleteRun("sqlite", wrong, kOperator, kNow));
  for (const int64_t run_id : {first.run_id, second.run_id}) {
    EXPECT_EQ(OnlyTarget(*store_, run_id).profiles, 0u);
    EXPECT_EQ(OnlyTarget(*store_, run_id).without_profiles, 1u);
    EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending) << "analysed anew";
  }
  EXPECT_THAT(Kinds(upkeep(), /*damages_only=*/true), IsEmpty());
}

}  // namespace

}  // namespace gprofhub::store
