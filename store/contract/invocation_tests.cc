// Invocations: opened once, continued by the current owner; reports wait for their end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "store/contract/helpers.h"
#include "store/contract/suite.h"
#include "store/invocations.h"

namespace gprofhub::store {

namespace {

constexpr uint32_t kMostRunning = 2;

InvocationRecord Wanted(const std::string& id = "4f1c", const std::string& project = "sqlite") {
  InvocationRecord record;
  record.project = project;
  record.invocation_id = id;
  record.first_event = "event 1";
  record.sender = "ci";
  record.started = kNow;
  return record;
}

InvocationRecord Open(const Store& store, const InvocationRecord& wanted = Wanted()) {
  absl::StatusOr<InvocationRecord> opened =
      store.invocations.Open(wanted, "sender", kMostRunning, kNow);
  EXPECT_TRUE(opened.ok()) << opened.status();
  return opened.ok() ? *opened : InvocationRecord();
}

absl::Status Append(const Store& store, const InvocationSegment& segment) {
  const absl::StatusOr<std::vector<absl::Status>> words = store.invocations.Append({segment}, kNow);
  return words.ok() ? words->at(0) : words.status();
}

std::optional<ReportJob> ClaimReport(const Store& store, absl::Time now) {
  absl::StatusOr<std::optional<ReportJob>> job =
      store.reports.Claim(ReportKind::kBranch, "reporter", now, kLease);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() ? *job : std::nullopt;
}

void CompleteJob(const Store& store) {
  const Job job = Claim(store);
  EXPECT_OK(store.jobs.Complete(job, MakeResult(job), kNow));
}

TEST_P(StoreContractTest, AnInvocationIsOpenedOnceAndFoundAgainAsItWas) {
  const InvocationRecord opened = Open(*store_);
  EXPECT_GT(opened.id, 0);
  EXPECT_EQ(opened.state, InvocationState::kRunning);
  EXPECT_EQ(opened.last_sequence, 0);
  EXPECT_OK(Append(*store_, {opened.id, 3, 0, "abc"}));
  EXPECT_OK(Append(*store_, {opened.id, 7, 3, ""}));
  const InvocationRecord again = Open(*store_);
  EXPECT_EQ(again.id, opened.id);
  EXPECT_EQ(again.last_sequence, 7);
  EXPECT_EQ(again.stored_bytes, 9u);
  EXPECT_EQ(*store_->invocations.ReadRecords(opened.id), "senderabc");
  EXPECT_NE(Open(*store_, Wanted("4f1c", "other")).id, opened.id) << "another project's is another";
  EXPECT_EQ(store_->invocations.Find("4f1c")->size(), 2u);
}

TEST_P(StoreContractTest, InvocationOfAnotherBuildIsReturnedUnchanged) {
  const InvocationRecord opened = Open(*store_);
  EXPECT_OK(store_->invocations.Finish(opened.id, InvocationState::kInterrupted, kNow));
  InvocationRecord other = Wanted();
  other.first_event = "event 1 of another build";
  const InvocationRecord found = Open(*store_, other);
  EXPECT_EQ(found.id, opened.id);
  EXPECT_EQ(found.state, InvocationState::kInterrupted);
  EXPECT_FALSE(IsSameBuild(found, other));
  EXPECT_TRUE(IsSameBuild(found, Wanted()));
  EXPECT_EQ(Open(*store_).state, InvocationState::kInterrupted);
}

TEST_P(StoreContractTest, InvocationBeginsWithItsFirstEvent) {
  InvocationRecord continued = Wanted();
  continued.first_event.clear();
  EXPECT_EQ(Code(store_->invocations.Open(continued, "", kMostRunning, kNow)),
            absl::StatusCode::kNotFound);
  const InvocationRecord opened = Open(*store_);
  EXPECT_EQ(Open(*store_, continued).id, opened.id);
  EXPECT_EQ(Open(*store_, continued).first_event, "event 1");
}

TEST_P(StoreContractTest, OneProcessGoesOnWithAnInvocation) {
  const InvocationRecord opened = Open(*store_);
  EXPECT_OK(Append(*store_, {opened.id, 5, 0, "a"}));
  EXPECT_EQ(Append(*store_, {opened.id, 4, 0, "b"}).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(*store_->invocations.ReadRecords(opened.id), "sendera");
}

TEST_P(StoreContractTest, AProjectHasSoManyInvocationsUnderWay) {
  Open(*store_, Wanted("1"));
  Open(*store_, Wanted("2"));
  EXPECT_EQ(Code(store_->invocations.Open(Wanted("3"), "", kMostRunning, kNow)),
            absl::StatusCode::kResourceExhausted);
  EXPECT_OK(store_->invocations.Open(Wanted("3", "other"), "", kMostRunning, kNow));
  EXPECT_OK(store_->invocations.Open(Wanted("1"), "", kMostRunning, kNow));
}

TEST_P(StoreContractTest, TheReportOnAnInvocationsRunWaitsForItsEnd) {
  const InvocationRecord opened = Open(*store_);
  const int64_t run = Record(*store_, MakeExecution()).run_id;
  EXPECT_OK(store_->invocations.SetRun(opened.id, run));
  CompleteJob(*store_);
  EXPECT_FALSE(ClaimReport(*store_, kNow + absl::Hours(48)).has_value());
  EXPECT_OK(store_->invocations.Finish(opened.id, InvocationState::kEnded, kNow));
  const std::optional<ReportJob> job = ClaimReport(*store_, kNow);
  ASSERT_TRUE(job.has_value()) << "it is due at once";
  EXPECT_EQ(job->run_id, run);
  EXPECT_EQ(*store_->invocations.ReadRecords(opened.id), "") << "nobody needs them any more";
}

TEST_P(StoreContractTest, TheLastAnalysisAfterAnInvocationsEndMakesTheReportDueAtOnce) {
  const InvocationRecord opened = Open(*store_);
  EXPECT_OK(store_->invocations.SetRun(opened.id, Record(*store_, MakeExecution()).run_id));
  EXPECT_OK(store_->invocations.Finish(opened.id, InvocationState::kEnded, kNow));
  EXPECT_FALSE(ClaimReport(*store_, kNow).has_value());
  CompleteJob(*store_);
  EXPECT_TRUE(ClaimReport(*store_, kNow).has_value());
}

TEST_P(StoreContractTest, AnAnalysisThatWasQuickerThanTheRunsNumberReportsNothing) {
  const InvocationRecord opened = Open(*store_);
  const int64_t run = Record(*store_, MakeExecution()).run_id;
  CompleteJob(*store_);
  EXPECT_OK(store_->invocations.SetRun(opened.id, run));
  EXPECT_FALSE(ClaimReport(*store_, kNow + absl::Hours(1)).has_value());
}

TEST_P(StoreContractTest, InterruptedInvocationLosesItsEventsAndHasNoReport) {
  const InvocationRecord opened = Open(*store_);
  EXPECT_OK(store_->invocations.SetRun(opened.id, Record(*store_, MakeExecution()).run_id));
  EXPECT_OK(Append(*store_, {opened.id, 3, 0, std::string(5000, 'x')}));
  const uint64_t with_events = *store_->ingest.SentBytes("sqlite");
  EXPECT_OK(store_->invocations.PutTargets(opened.id, {{"//b:€"}}));
  EXPECT_OK(store_->invocations.Finish(opened.id, InvocationState::kInterrupted, kNow));
  EXPECT_EQ(*store_->invocations.ReadRecords(opened.id), "");
  EXPECT_EQ(with_events - *store_->ingest.SentBytes("sqlite"), 5006u - 107u);
  CompleteJob(*store_);
  EXPECT_FALSE(ClaimReport(*store_, kNow + absl::Hours(1)).has_value());
  EXPECT_EQ(Open(*store_).state, InvocationState::kInterrupted);
  EXPECT_EQ(Append(*store_, {opened.id, 4, 3, "a"}).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_P(StoreContractTest, SilentInvocationsTakeTurnsByProjectCompleteOnesFirst) {
  const auto open = [&](const std::string& id, const std::string& project, bool complete,
                        absl::Time touched) {
    const absl::StatusOr<InvocationRecord> opened =
        store_->invocations.Open(Wanted(id, project), "", 10, touched);
    ASSERT_TRUE(opened.ok()) << opened.status();
    const InvocationSegment segment = {opened->id, 1, 0, "event", complete};
    EXPECT_OK(store_->invocations.Append({segment}, touched));
  };
  for (int i = 0; i < 4; ++i) {
    open("greedy" + std::to_string(i), "greedy", true, kNow + absl::Seconds(i));
  }
  open("old", "greedy", false, kNow);
  open("ended", "other", true, kNow + absl::Seconds(9));
  open("silent", "other", false, kNow + absl::Seconds(9));
  const absl::Time later = kNow + absl::Minutes(1);
  const auto ids = [&](absl::Time incomplete_before, uint32_t limit) {
    std::vector<std::string> found;
    const auto silent = store_->invocations.ListSilent(later, incomplete_before, limit);
    for (const InvocationRecord& one : *silent) {
      found.push_back(one.invocation_id);
    }
    return found;
  };
  EXPECT_THAT(ids(kNow, 2), testing::ElementsAre("greedy0", "ended"));
  EXPECT_THAT(ids(kNow + absl::Seconds(5), 9),
              testing::ElementsAre("greedy0", "ended", "greedy1", "greedy2", "greedy3", "old"));
  EXPECT_THAT(ids(later, 9), testing::ElementsAre("greedy0", "ended", "greedy1", "greedy2",
                                                  "greedy3", "old", "silent"));
}

TEST_P(StoreContractTest, ASilentInvocationIsTakenOverByOneProcess) {
  Open(*store_);
  EXPECT_TRUE(store_->invocations.ListSilent(kNow, kNow, 10)->empty());
  const absl::Time later = kNow + absl::Minutes(5);
  const std::vector<InvocationRecord> silent = *store_->invocations.ListSilent(later, later, 10);
  ASSERT_EQ(silent.size(), 1u);
  EXPECT_TRUE(*store_->invocations.TakeOver(silent[0], later));
  EXPECT_FALSE(*store_->invocations.TakeOver(silent[0], later));
  EXPECT_OK(store_->invocations.Touch({silent[0].id}, later + absl::Minutes(1)));
  EXPECT_TRUE(
      store_->invocations.ListSilent(later + absl::Minutes(1), later + absl::Minutes(1), 10)
          ->empty());
}

TEST_P(StoreContractTest, AnInvocationKeepsItsTargetsAndWhatIsKnownOfTheCommit) {
  const InvocationRecord opened = Open(*store_);
  EXPECT_OK(store_->invocations.Describe(opened.id, "c0ffee", "main", "17"));
  EXPECT_OK(
      store_->invocations.PutTargets(opened.id, {{"//b:t"}, {"//a:t", "PASSED", 1, 1, kNow}}));
  EXPECT_OK(
      store_->invocations.PutTargets(opened.id, {{"//b:t", "FAILED", 2, 1, kNow, "why\xff"}}));
  EXPECT_OK(store_->invocations.PutTargets(
      opened.id,
      {{.label = "//c:t", .log_end = std::string("is\0 4\n", 6) + std::string(9000, 'x')}}));
  EXPECT_OK(store_->invocations.PutTargets(
      opened.id, {{.label = "//d:t", .started = kNow, .duration_ms = 1500}}));
  EXPECT_OK(store_->invocations.SetNote(opened.id, "no commit"));
  EXPECT_OK(store_->invocations.SetCommandLine(opened.id, "bazel test " + std::string(9000, 'x')));
  const std::vector<InvocationTarget> targets = *store_->invocations.ListTargets(opened.id);
  ASSERT_EQ(targets.size(), 4u);
  EXPECT_EQ(targets[0].label, "//a:t");
  EXPECT_EQ(targets[0].log_end, "");
  EXPECT_EQ(targets[0].started, absl::UnixEpoch());
  EXPECT_EQ(targets[3].started, kNow);
  EXPECT_EQ(targets[3].duration_ms, 1500u);
  EXPECT_EQ(targets[2].log_end.substr(0, 6), "is? 4\n");
  EXPECT_EQ(targets[2].log_end.size(), InvocationTarget::kMostLogBytes);
  EXPECT_EQ(targets[0].ended, kNow);
  EXPECT_EQ(targets[1].attempts, 2u);
  EXPECT_EQ(targets[1].note, "why?");
  const InvocationRecord found = store_->invocations.List("sqlite", 5)->at(0);
  EXPECT_EQ(found.commit, "c0ffee");
  EXPECT_EQ(found.pull_request, "17");
  EXPECT_EQ(found.note, "no commit");
  EXPECT_EQ(found.command_line.substr(0, 13), "bazel test xx");
  EXPECT_EQ(found.command_line.size(), InvocationRecord::kMostCommandBytes);
}

TEST_P(StoreContractTest, OldInvocationsGoWithAllTheirRows) {
  const InvocationRecord opened = Open(*store_);
  EXPECT_OK(store_->invocations.PutTargets(opened.id, {{"//b:t"}}));
  EXPECT_EQ(*store_->invocations.RemoveOld(kNow + absl::Hours(1), 10), 0) << "it runs";
  EXPECT_OK(store_->invocations.Finish(opened.id, InvocationState::kInterrupted, kNow));
  EXPECT_EQ(*store_->invocations.RemoveOld(kNow + absl::Hours(1), 10), 1);
  EXPECT_TRUE(store_->invocations.ListTargets(opened.id)->empty());
  EXPECT_TRUE(store_->invocations.Find("4f1c")->empty());
}

TEST_P(StoreContractTest, LogsOfARunAreFoundThroughTheNewestInvocationThatHasThem) {
  const int64_t run = Record(*store_, MakeExecution()).run_id;
  for (const char* id : {"first", "second"}) {
    const InvocationRecord opened = Open(*store_, Wanted(id));
    EXPECT_OK(store_->invocations.SetRun(opened.id, run));
    InvocationTarget both = {.label = "//b:test", .log_end = "it failed"};
    InvocationTarget silent = {.label = "//c:test"};
    EXPECT_OK(store_->invocations.PutTargets(opened.id, {both, silent}));
    if (id == std::string("first")) {
      const InvocationTarget own = {.label = "//a:test", .log_end = "it failed, too"};
      EXPECT_OK(store_->invocations.PutTargets(opened.id, {own}));
    }
  }
  const auto logs = store_->invocations.ListLogs(run);
  ASSERT_TRUE(logs.ok()) << logs.status();
  ASSERT_EQ(logs->size(), 2u);
  EXPECT_EQ(logs->at(0).label, "//a:test");
  EXPECT_EQ(logs->at(0).invocation_id, "first");
  EXPECT_EQ(logs->at(1).label, "//b:test");
  EXPECT_EQ(logs->at(1).invocation_id, "second");
  EXPECT_EQ(store_->invocations.ListLogs(4711)->size(), 0u);
  EXPECT_THAT(*store_->invocations.ListOfRun(run, 10), testing::ElementsAre("second", "first"));
  EXPECT_THAT(*store_->invocations.ListOfRun(run, 1), testing::ElementsAre("second"));
  EXPECT_THAT(*store_->invocations.ListOfRun(0, 10), testing::IsEmpty());
}

TEST_P(StoreContractTest, AnInvocationWithoutARunHasNoLogsOfRuns) {
  const InvocationRecord opened = Open(*store_);
  EXPECT_OK(store_->invocations.PutTargets(opened.id, {{.label = "//a:test", .log_end = "no"}}));
  EXPECT_EQ(store_->invocations.ListLogs(0)->size(), 0u);
}

}  // namespace

}  // namespace gprofhub::store
