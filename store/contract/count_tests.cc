// Contract tests: stored counts of a run's targets, correct at any time.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/upkeep_helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

// "pending/done/failed" of a run.
std::string CountsOf(const Store& store, int64_t run_id) {
  const absl::StatusOr<std::vector<TargetCounts>> counts = store.reading.CountTargets({run_id});
  EXPECT_TRUE(counts.ok()) << counts.status();
  if (!counts.ok() || counts->size() != 1) return "none";
  const TargetCounts& one = counts->front();
  return absl::StrCat(one.pending, "/", one.analyzed, "/", one.failed);
}

int64_t RecordTarget(const Store& store, const std::string& run_key, const std::string& target,
                     uint32_t shard = 1) {
  NewExecution execution = MakeExecution(run_key);
  execution.execution.target = target;
  execution.execution.shard = shard;
  return Record(store, execution).run_id;
}

void FailOne(const Store& store) {
  EXPECT_OK(store.jobs.Fail(Claim(store), "broken", JobQueue::Ending::kFailed, kNow));
}

uint64_t KeepCounts(const Upkeep& upkeep, uint32_t runs_at_once = 8) {
  CountOptions options;
  options.runs_at_once = runs_at_once;
  const absl::StatusOr<uint64_t> kept = upkeep.run_counts.Keep(options);
  EXPECT_TRUE(kept.ok()) << kept.status();
  return kept.ok() ? *kept : 0;
}

TEST_P(StoreContractTest, ARunIsCountedOnceWhenAllOfItsAnalysesHaveEnded) {
  RecordTarget(*store_, "run", "//a:test");
  const int64_t run_id = RecordTarget(*store_, "run", "//b:test");
  EXPECT_EQ(KeepCounts(upkeep()), 0u);
  Analyze(*store_);
  const Job job = Claim(*store_);
  EXPECT_EQ(KeepCounts(upkeep()), 0u) << "one is under way";
  EXPECT_EQ(CountsOf(*store_, run_id), "1/1/0");
  EXPECT_OK(store_->jobs.Fail(job, "broken", JobQueue::Ending::kFailed, kNow));
  EXPECT_EQ(CountsOf(*store_, run_id), "0/1/1");
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
  EXPECT_EQ(KeepCounts(upkeep()), 0u);
  EXPECT_EQ(CountsOf(*store_, run_id), "0/1/1");
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

TEST_P(StoreContractTest, WhatIsKeptIsReadAndAnInspectionFindsItWrong) {
  const int64_t run_id = RecordTarget(*store_, "run", "//a:test");
  Analyze(*store_);
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
  for (const char* damage :
       {"UPDATE run SET jobs_done = 41", "UPDATE run SET jobs_failed = 2",
        "UPDATE job SET state = 'failed'", "UPDATE job SET state = 'leased'"}) {
    home_->DamageRows(damage);
    EXPECT_THAT(Kinds(upkeep()), Contains("run.miscounted")) << damage;
  }
  EXPECT_EQ(CountsOf(*store_, run_id), "0/41/2");
}

TEST_P(StoreContractTest, CountsAreRightWhenMoreOfTheRunComes) {
  const int64_t run_id = RecordTarget(*store_, "run", "//a:test");
  Analyze(*store_);
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
  RecordTarget(*store_, "run", "//a:test");  // the same again
  EXPECT_EQ(CountsOf(*store_, run_id), "0/1/0");
  EXPECT_EQ(KeepCounts(upkeep()), 0u) << "nothing has changed";
  RecordTarget(*store_, "run", "//a:test", /*shard=*/2);
  EXPECT_EQ(CountsOf(*store_, run_id), "1/0/0");
  Analyze(*store_, "again");
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
  EXPECT_OK(store_->ingest.FinishRun("sqlite", run_id, kNow));
  RecordTarget(*store_, "run", "//b:test");
  RecordTarget(*store_, "run", "//c:test");
  EXPECT_EQ(CountsOf(*store_, run_id), "2/1/0");
  Analyze(*store_, "b");
  FailOne(*store_);
  EXPECT_EQ(CountsOf(*store_, run_id), "0/2/1");
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
  EXPECT_EQ(CountsOf(*store_, run_id), "0/2/1");
}

TEST_P(StoreContractTest, CountsAreRightWhenAFailedAnalysisIsMadeAgain) {
  const int64_t one = RecordTarget(*store_, "one", "//a:test");
  FailOne(*store_);
  const int64_t two = RecordTarget(*store_, "two", "//a:test");
  FailOne(*store_);
  EXPECT_EQ(KeepCounts(upkeep()), 2u);
  EXPECT_OK(upkeep().dead_letters.Revive(LetterKind::kJob, {"", {1}}, kOperator, kNow));
  EXPECT_EQ(CountsOf(*store_, one), "1/0/0");
  EXPECT_EQ(CountsOf(*store_, two), "0/0/1");
  EXPECT_OK(upkeep().dead_letters.Revive(LetterKind::kJob, {}, kOperator, kNow));
  EXPECT_EQ(CountsOf(*store_, two), "1/0/0");
  Analyze(*store_);
  Analyze(*store_);
  EXPECT_EQ(KeepCounts(upkeep()), 2u);
  EXPECT_EQ(CountsOf(*store_, one), "0/1/0");
}

TEST_P(StoreContractTest, CountsAreRightWhenAnAnalysisIsGivenUp) {
  const int64_t run_id = RecordTarget(*store_, "run", "//a:test");
  absl::Time now = kNow;
  for (uint32_t i = 0; i < kAttempts; ++i, now += 2 * kLease) Claim(*store_, "vanishes", now);
  EXPECT_EQ(KeepCounts(upkeep()), 0u);
  EXPECT_TRUE(NoJob(*store_, now));
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
  EXPECT_EQ(CountsOf(*store_, run_id), "0/0/1");
}

TEST_P(StoreContractTest, CountsAreRightWhenACachedResultLosesItsRun) {
  NewExecution measured = MakeExecution("measured");
  measured.execution.test_binary_digest = "build-id:0a";
  const int64_t source = Record(*store_, measured).run_id;
  NewExecution cached = measured;
  cached.run.run_key = "cached";
  cached.execution.cached = true;
  cached.profiles.clear();
  cached.images.clear();
  cached.blobs.clear();
  const int64_t run_id = Record(*store_, cached).run_id;
  Analyze(*store_);
  Analyze(*store_);
  EXPECT_EQ(KeepCounts(upkeep()), 2u);
  EXPECT_OK(store_->removal.DeleteRun("sqlite", source, kOperator, kNow));
  EXPECT_EQ(CountsOf(*store_, source), "none");
  EXPECT_EQ(CountsOf(*store_, run_id), "1/0/0");
  Analyze(*store_, "anew");
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
  EXPECT_EQ(CountsOf(*store_, run_id), "0/1/0");
}

TEST_P(StoreContractTest, CountsAreRightWhileARunIsBeingRemoved) {
  RecordTarget(*store_, "old", "//a:test");
  const int64_t old = RecordTarget(*store_, "old", "//b:test");
  Analyze(*store_, "a");
  Analyze(*store_, "b");
  NewExecution newest = MakeExecution("newest");
  newest.run.committed = kNow + absl::Hours(1);
  Record(*store_, newest, kNow + absl::Hours(1));
  Analyze(*store_, "newest");
  EXPECT_EQ(KeepCounts(upkeep()), 2u);
  RetentionPolicy policy;
  policy.project = "sqlite";
  policy.full_days = 1;
  policy.daily_days = 2;
  EXPECT_OK(upkeep().retention.Set(policy, kOperator, kNow));
  RetentionOptions options;
  options.now = [] { return kNow + absl::Hours(24 * 100); };
  options.targets_at_once = 1;
  options.pause = [] { return absl::CancelledError("the process ends"); };
  EXPECT_EQ(Code(upkeep().retention.Apply("", options, kOperator)), absl::StatusCode::kCancelled);
  EXPECT_EQ(CountsOf(*store_, old), "0/1/0") << "one of two is gone";
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
  EXPECT_EQ(CountsOf(*store_, old), "0/1/0");
  EXPECT_THAT(Kinds(upkeep(), /*damages_only=*/true), IsEmpty());
}

TEST_P(StoreContractTest, RunsThatAreNotDoneHoldUpNoOthers) {
  std::vector<int64_t> runs = {RecordTarget(*store_, "busy", "//a:test")};
  const Job busy = Claim(*store_);
  for (const char* key : {"a", "b", "c"}) {
    runs.push_back(RecordTarget(*store_, key, "//a:test"));
    Analyze(*store_, key);
  }
  EXPECT_EQ(KeepCounts(upkeep(), /*runs_at_once=*/1), 3u);
  const auto counts = store_->reading.CountTargets({runs[3], 4711, runs[0], runs[1]});
  ASSERT_TRUE(counts.ok()) << counts.status();
  ASSERT_EQ(counts->size(), 3u) << "of those that are there";
  EXPECT_EQ(counts->at(0).run_id, runs[3]);
  EXPECT_EQ(counts->at(0).analyzed, 1u);
  EXPECT_EQ(counts->at(1).run_id, runs[0]);
  EXPECT_EQ(counts->at(1).pending, 1u);
  EXPECT_EQ(counts->at(2).run_id, runs[1]);
  EXPECT_OK(store_->jobs.Complete(busy, MakeResult(busy), kNow));
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
}

TEST_P(StoreContractTest, WhatWasCountedBeforeAnErrorStaysCounted) {
  for (const char* key : {"a", "b"}) {
    RecordTarget(*store_, key, "//a:test");
    Analyze(*store_, key);
  }
  CountOptions options;
  options.runs_at_once = 1;
  options.pause = [] { return absl::CancelledError("the process ends"); };
  EXPECT_EQ(Code(upkeep().run_counts.Keep(options)), absl::StatusCode::kCancelled);
  EXPECT_EQ(KeepCounts(upkeep()), 1u);
}

}  // namespace

}  // namespace gprofhub::store
