// Contract tests: retention.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/upkeep_helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr absl::Duration kDay = absl::Hours(24);
// A Wednesday, at noon in UTC.
const absl::Time kToday = absl::FromCivil(absl::CivilHour(2023, 11, 15, 12), absl::UTCTimeZone());

// Profiles for 10 days, every run for 30 days, then one run a day until day 90.
RetentionPolicy SomePolicy() {
  RetentionPolicy policy;
  policy.project = "sqlite";
  policy.raw_days = 10;
  policy.full_days = 30;
  policy.daily_days = 90;
  policy.keep_branches = {"v[0-9]*"};
  return policy;
}

// A run with these times of arrival and order. Its analysis and its report are done.
int64_t RunAt(
    const Store& store, const std::string& key, absl::Time time,
    void (*change)(RunRecord&) = [](RunRecord&) {}) {
  NewExecution execution = MakeExecution(key);
  execution.run.started = time;
  execution.run.committed = time;
  change(execution.run);
  const int64_t run_id = Record(store, execution, time).run_id;
  const Job job = Claim(store, "worker", time);
  EXPECT_OK(store.jobs.Complete(job, MakeResult(job, "computed of " + key), time));
  for (const ReportKind kind : {ReportKind::kBranch, ReportKind::kPullRequest}) {
    const auto report = store.reports.Claim(kind, "reporter", time + kDay, kLease);
    if (report.ok() && report->has_value()) {
      EXPECT_OK(store.reports.Finish(**report, {}, time));
    }
  }
  return run_id;
}

RetentionOptions Options(absl::Time now = kToday) {
  RetentionOptions options;
  options.now = [now] { return now; };
  return options;
}

Freed Apply(const Upkeep& upkeep, const RetentionOptions& options) {
  const absl::StatusOr<Freed> freed = upkeep.retention.Apply("", options, kOperator);
  EXPECT_TRUE(freed.ok()) << freed.status();
  return freed.ok() ? *freed : Freed();
}

std::vector<std::string> KeysOf(const Store& store) {
  RunFilter filter;
  filter.project = "sqlite";
  filter.limit = 1000;
  return RunKeys(store.reading.ListRuns(filter));
}

TEST_P(StoreContractTest, PoliciesAreSetListedAndRemoved) {
  EXPECT_THAT(*upkeep().retention.List(), IsEmpty());
  EXPECT_OK(upkeep().retention.Set(SomePolicy(), kOperator, kNow));
  RetentionPolicy others = SomePolicy();
  others.project = "*";
  others.raw_days = 5;
  EXPECT_OK(upkeep().retention.Set(others, kOperator, kNow));
  const auto policies = upkeep().retention.List();
  ASSERT_TRUE(policies.ok()) << policies.status();
  ASSERT_THAT(*policies, SizeIs(2));
  EXPECT_EQ((*policies)[0].project, "*");
  EXPECT_EQ((*policies)[1].raw_days, 10);
  EXPECT_THAT((*policies)[1].keep_branches, ElementsAre("v[0-9]*"));
  EXPECT_OK(upkeep().retention.Remove("*", kOperator, kNow));
  EXPECT_EQ(Code(upkeep().retention.Remove("*", kOperator, kNow)), absl::StatusCode::kNotFound);
  EXPECT_EQ(CountAudit(*store_, "retention.set"), 2);
  EXPECT_EQ(CountAudit(*store_, "retention.remove"), 1);
  for (void (*spoil)(RetentionPolicy&) : {+[](RetentionPolicy& policy) { policy.raw_days = -1; },
                                          +[](RetentionPolicy& policy) { policy.daily_days = 20; },
                                          +[](RetentionPolicy& policy) { policy.full_days = 0; },
                                          +[](RetentionPolicy& policy) { policy.project = ""; }}) {
    RetentionPolicy policy = SomePolicy();
    spoil(policy);
    EXPECT_EQ(Code(upkeep().retention.Set(policy, kOperator, kNow)),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_P(StoreContractTest, WithoutAPolicyEverythingStays) {
  RunAt(*store_, "very old", kToday - 3000 * kDay);
  const Freed freed = Apply(upkeep(), Options());
  EXPECT_EQ(freed.runs + freed.profiles, 0u);
  EXPECT_THAT(KeysOf(*store_), SizeIs(1));
}

TEST_P(StoreContractTest, RunsThinOutWithAge) {
  RunAt(*store_, "today, first", kToday - absl::Hours(2));
  RunAt(*store_, "today, second", kToday - absl::Hours(1));
  RunAt(*store_, "daily, first", kToday - 40 * kDay - absl::Hours(2));
  RunAt(*store_, "daily, last of its day", kToday - 40 * kDay);
  RunAt(*store_, "daily, the day after", kToday - 39 * kDay);
  // 98 days before is a Wednesday, too.
  RunAt(*store_, "weekly, Wednesday", kToday - 98 * kDay);
  RunAt(*store_, "weekly, Sunday", kToday - 94 * kDay);
  RunAt(*store_, "weekly, Monday after", kToday - 93 * kDay);
  EXPECT_OK(upkeep().retention.Set(SomePolicy(), kOperator, kNow));

  RetentionOptions dry = Options();
  dry.dry_run = true;
  const Freed would = Apply(upkeep(), dry);
  EXPECT_EQ(would.runs, 2u);
  EXPECT_THAT(KeysOf(*store_), SizeIs(8)) << "nothing went";
  const Freed freed = Apply(upkeep(), Options());
  EXPECT_EQ(freed.runs, 2u);
  EXPECT_EQ(freed.targets, 2u);
  EXPECT_EQ(freed.profiles, would.profiles);
  EXPECT_EQ(freed.profiles, 6u) << "of the two, and of the four that stay and are old";
  EXPECT_THAT(
      KeysOf(*store_),
      UnorderedElementsAre("today, first", "today, second", "daily, last of its day",
                           "daily, the day after", "weekly, Sunday", "weekly, Monday after"));
  EXPECT_EQ(CountAudit(*store_, "run.delete"), 2);
  const Freed again = Apply(upkeep(), Options());
  EXPECT_EQ(again.runs + again.profiles, 0u) << "there is nothing left to do";
  EXPECT_THAT(Kinds(upkeep(), /*damages_only=*/true), IsEmpty());
}

TEST_P(StoreContractTest, EachSeriesThinsOutByItself) {
  const absl::Time old = kToday - 40 * kDay;
  RunAt(*store_, "one", old);
  RunAt(*store_, "another branch", old, [](RunRecord& run) { run.branch = "next"; });
  RunAt(*store_, "another configuration", old,
        [](RunRecord& run) { run.configuration = "arm-opt"; });
  RunAt(*store_, "another machine", old, [](RunRecord& run) { run.machine = "6502"; });
  EXPECT_OK(upkeep().retention.Set(SomePolicy(), kOperator, kNow));
  EXPECT_EQ(Apply(upkeep(), Options()).runs, 0u);
}

TEST_P(StoreContractTest, WhatOthersNeedStays) {
  const absl::Time old = kToday - 40 * kDay;
  RunAt(*store_, "release", old, [](RunRecord& run) { run.branch = "v1.2"; });
  RunAt(*store_, "release, later", old + absl::Hours(1),
        [](RunRecord& run) { run.branch = "v1.2"; });
  RunAt(*store_, "base", old, [](RunRecord& run) { run.commit = std::string(40, 'b'); });
  const int64_t acknowledged = RunAt(*store_, "acknowledged", old + absl::Minutes(1));
  const int64_t taken_back = RunAt(*store_, "taken back", old + absl::Minutes(2));
  RunAt(*store_, "of an old pull request", old, [](RunRecord& run) { run.pull_request = "1"; });
  RunAt(*store_, "of a fork", old, [](RunRecord& run) { run.from_fork = true; });
  RunAt(*store_, "last of the day", old + absl::Hours(2));
  RunAt(*store_, "of a pull request", kToday, [](RunRecord& run) {
    run.pull_request = "2";
    run.base_commit = std::string(40, 'b');
  });
  int said = 0;
  for (const auto& [run_id, function] :
       {std::pair(acknowledged, "good*"), std::pair(taken_back, "bad")}) {
    const std::string name = function == std::string("bad") ? "bad" : "good_one";
    EXPECT_OK(store_->gate.AddGated({{"sqlite", "", "rule", "//t", name, name, run_id}}));
    AcknowledgementRecord record;
    record.project = "sqlite";
    record.function = function;
    record.author = "alice";
    record.reason = "meant";
    record.created = kNow;
    record.source = absl::StrCat("said ", ++said);
    EXPECT_OK(store_->gate.AddAcknowledgement(record, kOperator));
  }
  EXPECT_OK(store_->gate.TakeBackAcknowledgement("sqlite", 2, kOperator, kNow));
  const int64_t pinned = RunAt(*store_, "pinned", old + absl::Minutes(4));
  const int64_t unpinned = RunAt(*store_, "unpinned", old + absl::Minutes(5));
  for (const int64_t run : {pinned, unpinned}) {
    EXPECT_OK(upkeep().retention.Pin("sqlite", run, "", kOperator, kNow));
  }
  EXPECT_OK(upkeep().retention.Unpin("sqlite", unpinned, kOperator, kNow));
  NewExecution busy = MakeExecution("busy");
  busy.run.started = busy.run.committed = old + absl::Minutes(3);
  Record(*store_, busy, old);  // its analysis is pending

  EXPECT_OK(upkeep().retention.Set(SomePolicy(), kOperator, kNow));
  const Freed freed = Apply(upkeep(), Options());
  EXPECT_EQ(freed.runs, 4u);
  EXPECT_EQ(freed.kept, 5u);
  EXPECT_THAT(KeysOf(*store_),
              UnorderedElementsAre("release", "release, later", "base", "acknowledged", "pinned",
                                   "busy", "last of the day", "of a pull request"));
}

TEST_P(StoreContractTest, RunsOfTagsStay) {
  const absl::Time first = kToday - 400 * kDay;
  const absl::Time last = first + absl::Hours(1);
  const auto tag = [](RunRecord& run) { run.branch = "refs/tags/v1"; };
  const auto nested_tag = [](RunRecord& run) { run.branch = "refs/tags/server/v2"; };
  const auto branch = [](RunRecord& run) { run.branch = "tags/v1"; };
  RunAt(*store_, "first of a tag", first, tag);
  RunAt(*store_, "last of a tag", last, tag);
  RunAt(*store_, "first of a nested tag", first, nested_tag);
  RunAt(*store_, "last of a nested tag", last, nested_tag);
  RunAt(*store_, "first of a branch", first, branch);
  RunAt(*store_, "last of a branch", last, branch);
  RetentionPolicy policy = SomePolicy();
  policy.keep_branches = {"refs/tags/*"};
  EXPECT_OK(upkeep().retention.Set(policy, kOperator, kNow));
  EXPECT_EQ(Apply(upkeep(), Options()).runs, 1u);
  EXPECT_THAT(KeysOf(*store_),
              UnorderedElementsAre("first of a tag", "last of a tag", "first of a nested tag",
                                   "last of a nested tag", "last of a branch"));
}

TEST_P(StoreContractTest, PinsAreOfAProjectAndHaveAReason) {
  const int64_t run = RunAt(*store_, "run", kToday);
  const Retention& retention = upkeep().retention;
  EXPECT_OK(retention.Pin("sqlite", run, "a paper", kOperator, kNow));
  EXPECT_OK(retention.Pin("sqlite", run, "two papers", kOperator, kNow + kDay));
  const auto pins = retention.ListPinned("");
  ASSERT_TRUE(pins.ok()) << pins.status();
  ASSERT_THAT(*pins, SizeIs(1));
  EXPECT_EQ((*pins)[0].id, run);
  EXPECT_EQ((*pins)[0].project, "sqlite");
  EXPECT_EQ((*pins)[0].pinned, kNow) << "it was pinned all the time";
  EXPECT_EQ((*pins)[0].reason, "two papers");
  EXPECT_THAT(*retention.ListPinned("other"), IsEmpty());
  for (const absl::Status& status : {retention.Pin("other", run, "", kOperator, kNow),
                                     retention.Pin("sqlite", run + 1, "", kOperator, kNow),
                                     retention.Unpin("other", run, kOperator, kNow)}) {
    EXPECT_TRUE(absl::IsNotFound(status)) << status;
  }
  EXPECT_EQ(Code(retention.Pin("sqlite", run, "\xff", kOperator, kNow)),
            absl::StatusCode::kInvalidArgument);
  EXPECT_OK(retention.Unpin("sqlite", run, kOperator, kNow));
  EXPECT_TRUE(absl::IsNotFound(retention.Unpin("sqlite", run, kOperator, kNow)));
  EXPECT_THAT(*retention.ListPinned("sqlite"), IsEmpty());
  EXPECT_EQ(CountAudit(*store_, "run.pin"), 2);
  EXPECT_EQ(CountAudit(*store_, "run.unpin"), 1);
}

// Time passes between the selection of data and its deletion.
TEST_P(StoreContractTest, ARunThatIsPinnedMeanwhileStays) {
  const absl::Time old = kToday - 40 * kDay;
  RunAt(*store_, "first", old);
  const int64_t second = RunAt(*store_, "second", old + absl::Hours(1));
  RunAt(*store_, "last of the day", old + absl::Hours(2));
  EXPECT_OK(upkeep().retention.Set(SomePolicy(), kOperator, kNow));
  RetentionOptions options = Options();
  options.pause = [&] { return upkeep().retention.Pin("sqlite", second, "", kOperator, kNow); };
  EXPECT_EQ(Apply(upkeep(), options).runs, 1u);
  EXPECT_THAT(KeysOf(*store_), UnorderedElementsAre("second", "last of the day"));
}

TEST_P(StoreContractTest, OldProfilesGoAndTheirResultsStay) {
  const int64_t run_id = RunAt(*store_, "old", kToday - 11 * kDay);
  const int64_t young = RunAt(*store_, "young", kToday - 9 * kDay);
  EXPECT_OK(upkeep().retention.Set(SomePolicy(), kOperator, kNow));
  EXPECT_EQ(Apply(upkeep(), Options()).profiles, 1u);

  const TargetRecord target = OnlyTarget(*store_, run_id);
  EXPECT_EQ(target.state, TargetState::kAnalyzed);
  EXPECT_EQ(target.profiles, 1u) << "they were part of the sum";
  EXPECT_EQ(target.without_profiles, 0u) << "the sum is whole";
  EXPECT_EQ(*store_->blobs.Read(target.computed), "computed of old");
  EXPECT_THAT(OpenPoints(*store_, run_id), SizeIs(1));
  EXPECT_THAT(store_->reading.ReadTargetData(run_id, "//db:query_test")->profiles, IsEmpty());
  EXPECT_THAT(store_->reading.ReadTargetData(young, "//db:query_test")->profiles, SizeIs(1));

  // The same upload is recognised; a different one cannot be added to deleted data.
  NewExecution again = MakeExecution("old");
  EXPECT_TRUE(Record(*store_, again).already_present);
  again.execution.attempt = 2;
  EXPECT_EQ(Code(store_->ingest.RecordExecution(again, kToday)),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Kinds(upkeep(), /*damages_only=*/true), IsEmpty());
  EXPECT_THAT(Kinds(upkeep()), ElementsAre("blob.unused")) << "what the second one sent is gone";
}

TEST_P(StoreContractTest, ADeadLetterWhoseProfilesAreGoneStaysOne) {
  NewExecution execution = MakeExecution("old");
  execution.run.started = execution.run.committed = kToday - 11 * kDay;
  Record(*store_, execution, kToday - 11 * kDay);
  const Job job = Claim(*store_);
  EXPECT_OK(store_->jobs.Fail(job, "poison", JobQueue::Ending::kFailed, kNow));
  const auto report = store_->reports.Claim(ReportKind::kBranch, "reporter", kNow + kDay, kLease);
  ASSERT_TRUE(report.ok() && report->has_value());
  EXPECT_OK(store_->reports.Finish(**report, {}, kNow));
  EXPECT_OK(upkeep().retention.Set(SomePolicy(), kOperator, kNow));
  EXPECT_EQ(Apply(upkeep(), Options()).profiles, 1u);
  EXPECT_EQ(*upkeep().dead_letters.Revive(LetterKind::kJob, {}, kOperator, kToday), 0u);
  EXPECT_EQ(Code(upkeep().dead_letters.Revive(LetterKind::kJob, {"", {job.id}}, kOperator, kToday)),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(StoreContractTest, RetentionThatIsCutGoesOnWhereItWas) {
  const absl::Time old = kToday - 40 * kDay;
  NewExecution large = MakeExecution("large");
  large.run.started = large.run.committed = old;
  for (int target = 0; target < 7; ++target) {
    large.execution.target = absl::StrCat("//db:test_", target);
    Record(*store_, large, old);
    const Job job = Claim(*store_, "worker", old);
    EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), old));
  }
  const auto report = store_->reports.Claim(ReportKind::kBranch, "reporter", kToday, kLease);
  ASSERT_TRUE(report.ok() && report->has_value());
  EXPECT_OK(store_->reports.Finish(**report, {}, kToday));
  RunAt(*store_, "last of the day", old + absl::Hours(1));
  EXPECT_OK(upkeep().retention.Set(SomePolicy(), kOperator, kNow));
  RetentionOptions options = Options();
  options.targets_at_once = 2;
  int pauses = 0;
  options.pause = [&pauses] {
    return ++pauses < 3 ? absl::OkStatus() : absl::CancelledError("the server ends");
  };
  EXPECT_EQ(Code(upkeep().retention.Apply("", options, kOperator)), absl::StatusCode::kCancelled);
  EXPECT_THAT(KeysOf(*store_), SizeIs(2));
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM target"), 2);
  EXPECT_THAT(Kinds(upkeep(), /*damages_only=*/true), IsEmpty()) << "half way is consistent";
  options.pause = [] { return absl::OkStatus(); };
  EXPECT_EQ(Apply(upkeep(), options).runs, 1u);
  EXPECT_THAT(KeysOf(*store_), ElementsAre("last of the day"));
}

TEST_P(StoreContractTest, AProjectsOwnPolicyGoesBeforeThatOfAll) {
  const absl::Time old = kToday - 40 * kDay;
  for (const char* project : {"sqlite", "other"}) {
    for (int hour = 0; hour < 2; ++hour) {
      NewExecution execution = MakeExecution(absl::StrCat(project, hour));
      execution.run.project = project;
      execution.run.started = execution.run.committed = old + absl::Hours(hour);
      Record(*store_, execution, old);
      const Job job = Claim(*store_, "worker", old);
      EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), old));
    }
  }
  Do(database(), "UPDATE report_job SET state = 'done'");
  RetentionPolicy others = SomePolicy();
  others.project = "*";
  EXPECT_OK(upkeep().retention.Set(others, kOperator, kNow));
  RetentionPolicy own;
  own.project = "sqlite";  // everything stays
  EXPECT_OK(upkeep().retention.Set(own, kOperator, kNow));
  EXPECT_EQ(upkeep().retention.Apply("sqlite", Options(), kOperator)->runs, 0u);
  EXPECT_EQ(Apply(upkeep(), Options()).runs, 1u);
  EXPECT_THAT(KeysOf(*store_), SizeIs(2));
}

}  // namespace

}  // namespace gprofhub::store
