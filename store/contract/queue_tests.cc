// Contract tests: the queue of analyses and the input of an analysis.
#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/helpers.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// ---- Target data ----

TEST_P(StoreContractTest, TargetDataHasTheLastAttemptOfEachRunNumberAndShard) {
  struct Execution {
    uint32_t run_number, shard, attempt;
  };
  int64_t run_id = 0;
  for (const Execution& each :
       {Execution{1, 1, 2}, {1, 1, 1}, {1, 2, 1}, {2, 1, 1}, {2, 1, 10}, {2, 1, 9}}) {
    NewExecution execution = MakeExecution();
    execution.execution.run_number = each.run_number;
    execution.execution.shard = each.shard;
    execution.execution.attempt = each.attempt;
    run_id = Record(*store_, execution).run_id;
  }
  const absl::StatusOr<TargetData> data = store_->reading.ReadTargetData(run_id, "//db:query_test");
  ASSERT_TRUE(data.ok()) << data.status();
  std::vector<std::string> found;
  for (const TargetData::Profile& profile : data->profiles) {
    found.push_back(absl::StrCat(profile.execution.run_number, "/", profile.execution.shard, "/",
                                 profile.execution.attempt));
  }
  EXPECT_THAT(found, ElementsAre("1/1/2", "1/2/1", "2/1/10"));
}

TEST_P(StoreContractTest, ALastAttemptWithoutProfilesHidesTheOneBefore) {
  NewExecution first = MakeExecution();
  Record(*store_, first);
  NewExecution second = MakeExecution();
  second.execution.attempt = 2;
  second.profiles.clear();
  second.images.clear();
  second.blobs.clear();
  const int64_t run_id = Record(*store_, second).run_id;
  EXPECT_THAT(store_->reading.ReadTargetData(run_id, "//db:query_test")->profiles, IsEmpty());
}

TEST_P(StoreContractTest, AnUnknownTargetIsNotFound) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  EXPECT_EQ(Code(store_->reading.ReadTargetData(run_id, "//db:other")),
            absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, TargetsAreListedByLabelWithTheirCounts) {
  NewExecution execution = MakeExecution();
  execution.execution.cached = true;
  execution.profiles.push_back({"gmon.2", "b1d1", execution.profiles[0].data});
  const int64_t run_id = Record(*store_, execution).run_id;
  execution.execution.shard = 2;
  Record(*store_, execution);
  execution.execution.target = "//a:partly_cached_test";
  Record(*store_, execution);
  execution.execution.shard = 1;
  execution.execution.cached = false;
  Record(*store_, execution);
  execution.execution.target = "//Z:test";
  Record(*store_, execution);

  const absl::StatusOr<std::vector<TargetRecord>> targets = store_->reading.ListTargets(run_id);
  ASSERT_TRUE(targets.ok()) << targets.status();
  ASSERT_THAT(*targets, SizeIs(3));
  EXPECT_EQ((*targets)[0].label, "//Z:test");
  EXPECT_EQ((*targets)[1].label, "//a:partly_cached_test");
  EXPECT_EQ((*targets)[1].executions, 2u);
  EXPECT_EQ((*targets)[1].profiles, 4u);
  EXPECT_FALSE((*targets)[1].cached);
  EXPECT_EQ((*targets)[2].label, "//db:query_test");
  EXPECT_TRUE((*targets)[2].cached);
  EXPECT_EQ((*targets)[2].state, TargetState::kPending);
  EXPECT_EQ((*targets)[2].computed, "");
}

// ---- Queue ----

TEST_P(StoreContractTest, JobsAreClaimedOldestFirst) {
  Record(*store_, MakeExecution("first"), kNow);
  Record(*store_, MakeExecution("second"), kNow);
  Record(*store_, MakeExecution("third"), kNow);
  std::vector<std::string> order;
  for (int i = 0; i < 3; ++i) {
    order.push_back(store_->reading.ReadRun(Claim(*store_).run_id)->run_key);
  }
  EXPECT_THAT(order, ElementsAre("first", "second", "third"));
  EXPECT_TRUE(NoJob(*store_));
}

// A run of the project with `targets` targets.
void RecordTargets(const Store& store, const std::string& project, int targets,
                   const std::string& prefix = "//db:test_") {
  for (int i = 0; i < targets; ++i) {
    NewExecution execution = MakeExecution();
    execution.run.project = project;
    execution.execution.target = absl::StrCat(prefix, i);
    Record(store, execution);
  }
}

std::string ProjectOf(const Store& store, const Job& job) {
  return store.reading.ReadRun(job.run_id)->project;
}

TEST_P(StoreContractTest, AProjectWithManyJobsDoesNotDelayAnothersSingleOne) {
  RecordTargets(*store_, "large", 60);
  RecordTargets(*store_, "small", 1);
  EXPECT_EQ(ProjectOf(*store_, Claim(*store_)), "large");
  EXPECT_EQ(ProjectOf(*store_, Claim(*store_)), "small");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ProjectOf(*store_, Claim(*store_)), "large");
  // A new project that arrives long after the queue began has a short wait, too.
  RecordTargets(*store_, "new", 1);
  EXPECT_EQ(ProjectOf(*store_, Claim(*store_)), "large");
  EXPECT_EQ(ProjectOf(*store_, Claim(*store_)), "new");
}

TEST_P(StoreContractTest, ProjectsWithManyJobsTakeTurns) {
  RecordTargets(*store_, "one", 6);
  RecordTargets(*store_, "two", 6);
  // An idle project earns no claim to the time that other projects used before.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ProjectOf(*store_, Claim(*store_)), "one");
    EXPECT_EQ(ProjectOf(*store_, Claim(*store_)), "two");
  }
  RecordTargets(*store_, "three", 3);
  std::map<std::string, int> served;
  for (int i = 0; i < 6; ++i) ++served[ProjectOf(*store_, Claim(*store_))];
  EXPECT_EQ(served["one"], 2);
  EXPECT_EQ(served["two"], 2);
  EXPECT_EQ(served["three"], 2);
}

TEST_P(StoreContractTest, JobsThatAreTriedAgainDoNotDelayOtherProjects) {
  RecordTargets(*store_, "poison", 3);
  RecordTargets(*store_, "good", 3);
  int good = 0;
  for (int i = 0; i < 7; ++i) {
    const Job job = Claim(*store_);
    if (ProjectOf(*store_, job) == "good") {
      ++good;
      EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), kNow));
    } else {
      EXPECT_OK(store_->jobs.Fail(job, "it broke down", JobQueue::Ending::kAgain, kNow));
    }
  }
  EXPECT_EQ(good, 3);
}

TEST_P(StoreContractTest, AClaimedJobSaysWhatToDo) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  const Job job = Claim(*store_, "worker-7");
  EXPECT_GT(job.id, 0);
  EXPECT_EQ(job.run_id, run_id);
  EXPECT_EQ(job.target, "//db:query_test");
  EXPECT_EQ(job.attempts, 1u);
  EXPECT_EQ(job.worker, "worker-7");
}

TEST_P(StoreContractTest, AJobWhoseLeaseRanOutIsGivenToAnother) {
  Record(*store_, MakeExecution());
  const Job lost = Claim(*store_, "lost");
  EXPECT_TRUE(NoJob(*store_, kNow + kLease - absl::Seconds(1)));
  const Job job = Claim(*store_, "next", kNow + kLease);
  EXPECT_EQ(job.id, lost.id);
  EXPECT_EQ(job.attempts, 2u);
}

TEST_P(StoreContractTest, AnExtendedLeaseKeepsTheJob) {
  Record(*store_, MakeExecution());
  const Job job = Claim(*store_);
  EXPECT_OK(store_->jobs.ExtendLease(job, kNow + absl::Seconds(50), kLease));
  EXPECT_TRUE(NoJob(*store_, kNow + absl::Seconds(109)));
  EXPECT_FALSE(NoJob(*store_, kNow + absl::Seconds(110)));
}

TEST_P(StoreContractTest, AWorkerThatLostItsJobIsRefused) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  const Job stale = Claim(*store_, "worker");
  // The same worker's second claim is another claim.
  const Job job = Claim(*store_, "worker", kNow + kLease);
  const absl::Time later = kNow + kLease;
  constexpr absl::StatusCode kRefused = absl::StatusCode::kFailedPrecondition;
  EXPECT_EQ(Code(store_->jobs.ExtendLease(stale, later, kLease)), kRefused);
  EXPECT_EQ(Code(store_->jobs.Complete(stale, MakeResult(stale, "stale"), later)), kRefused);
  EXPECT_EQ(Code(store_->jobs.Fail(stale, "stale", JobQueue::Ending::kFailed, later)), kRefused);
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending);
  EXPECT_EQ(Code(store_->blobs.Read(NameBlob("stale"))), absl::StatusCode::kNotFound);

  Job other = job;
  other.worker = "somebody else";
  EXPECT_EQ(Code(store_->jobs.Complete(other, MakeResult(other), later)), kRefused);
  EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), later));
  EXPECT_EQ(Code(store_->jobs.Complete(job, MakeResult(job), later)), kRefused);
  EXPECT_EQ(Code(store_->jobs.ExtendLease(job, later, kLease)), kRefused);
}

TEST_P(StoreContractTest, ACompletedJobLeavesItsResult) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  const Job job = Claim(*store_);
  const AnalysisResult result = MakeResult(job);
  EXPECT_OK(store_->jobs.Complete(job, result, kNow));
  const TargetRecord target = OnlyTarget(*store_, run_id);
  EXPECT_EQ(target.state, TargetState::kAnalyzed);
  EXPECT_EQ(target.error, "");
  EXPECT_EQ(target.computed, result.computed.name);
  EXPECT_EQ(*store_->blobs.Read(target.computed), "computed");
  EXPECT_TRUE(NoJob(*store_, kNow + absl::Hours(1)));
}

TEST_P(StoreContractTest, AResultThatIsNotTheJobsIsAnInvalidArgument) {
  Record(*store_, MakeExecution());
  const Job job = Claim(*store_);
  AnalysisResult foreign = MakeResult(job);
  foreign.segments[0].target = "//db:other";
  AnalysisResult doubled = MakeResult(job);
  doubled.segments[1].bucket = doubled.segments[0].bucket;
  AnalysisResult unnamed = MakeResult(job);
  unnamed.computed.name = "computed";
  for (const AnalysisResult& result : {foreign, doubled, unnamed}) {
    EXPECT_EQ(Code(store_->jobs.Complete(job, result, kNow)), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), kNow));
}

TEST_P(StoreContractTest, MoreDataForAnAnalyzedTargetQueuesItAgain) {
  NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job first = Claim(*store_);
  EXPECT_OK(store_->jobs.Complete(first, MakeResult(first), kNow));
  execution.execution.shard = 2;
  Record(*store_, execution);
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending);
  EXPECT_EQ(OnlyTarget(*store_, run_id).computed, NameBlob("computed"));
  const Job second = Claim(*store_);
  EXPECT_GT(second.generation, first.generation);
  EXPECT_EQ(second.attempts, 1u);
}

TEST_P(StoreContractTest, DataThatArrivesDuringAnAnalysisQueuesItAgainAndKeepsTheResult) {
  NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job first = Claim(*store_);
  execution.execution.shard = 2;
  Record(*store_, execution);
  EXPECT_TRUE(NoJob(*store_));  // still leased

  EXPECT_OK(store_->jobs.Complete(first, MakeResult(first), kNow));
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending);
  EXPECT_EQ(OnlyTarget(*store_, run_id).computed, NameBlob("computed"));
  const Job second = Claim(*store_);
  EXPECT_EQ(second.attempts, 1u);
  EXPECT_THAT(store_->reading.ReadTargetData(second.run_id, second.target)->profiles, SizeIs(2));
  EXPECT_OK(store_->jobs.Complete(second, MakeResult(second), kNow));
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kAnalyzed);
}

TEST_P(StoreContractTest, AFailedJobSaysWhyUntilMoreDataArrives) {
  NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job job = Claim(*store_);
  EXPECT_OK(store_->jobs.Fail(job, std::string("gmon.1: byte 20: '\0\xFF'", 21),
                              JobQueue::Ending::kFailed, kNow));
  const TargetRecord failed = OnlyTarget(*store_, run_id);
  EXPECT_EQ(failed.state, TargetState::kFailed);
  EXPECT_EQ(failed.error,
            "gmon.1: byte 20: '?"
            "?'");
  EXPECT_TRUE(NoJob(*store_, kNow + absl::Hours(1)));

  execution.execution.shard = 2;
  Record(*store_, execution);
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending);
  EXPECT_EQ(OnlyTarget(*store_, run_id).error, "");
  EXPECT_EQ(Claim(*store_).attempts, 1u);
}

TEST_P(StoreContractTest, AFailureBeforeTheNewestDataQueuesTheJobAgain) {
  NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job job = Claim(*store_);
  execution.execution.shard = 2;
  Record(*store_, execution);
  EXPECT_OK(store_->jobs.Fail(job, "a shard is missing", JobQueue::Ending::kFailed, kNow));
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending);
  EXPECT_EQ(Claim(*store_).attempts, 1u);
}

TEST_P(StoreContractTest, ARetriedJobGoesToTheEndOfTheQueue) {
  Record(*store_, MakeExecution("first"), kNow);
  Record(*store_, MakeExecution("second"), kNow + absl::Seconds(1));
  const Job first = Claim(*store_);
  const absl::Time later = kNow + absl::Seconds(2);
  EXPECT_OK(store_->jobs.Fail(first, "try again", JobQueue::Ending::kAgain, later));
  EXPECT_NE(Claim(*store_, "worker", later).id, first.id);
  const Job again = Claim(*store_, "worker", later);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.attempts, 2u);
}

TEST_P(StoreContractTest, TooManyAttemptsMakeADeadLetter) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  absl::Time now = kNow;
  for (uint32_t attempt = 1; attempt <= kAttempts; ++attempt) {
    const Job job = Claim(*store_, "worker", now);
    EXPECT_EQ(job.attempts, attempt);
    now += kLease;
  }
  EXPECT_TRUE(NoJob(*store_, now));
  const TargetRecord target = OnlyTarget(*store_, run_id);
  EXPECT_EQ(target.state, TargetState::kFailed);
  EXPECT_THAT(target.error, HasSubstr("3 attempts"));
}

TEST_P(StoreContractTest, AnAttemptThatTheStoreEndedDoesNotCount) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  for (uint32_t attempt = 1; attempt <= 2 * kAttempts; ++attempt) {
    const Job job = Claim(*store_);
    EXPECT_EQ(job.attempts, 1u);
    EXPECT_OK(store_->jobs.Fail(job, "the disk is full", JobQueue::Ending::kNotCounted, kNow));
  }
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending);
}

// The clock of the worker's machine was ahead at the claim. PostgreSQL's store uses the database's
// clock, and so is not affected.
TEST_P(StoreContractTest, ALeaseFromTheFutureEnds) {
  for (const absl::Duration ahead : {absl::Hours(24 * 365), absl::Hours(2)}) {
    Record(*store_, MakeExecution(absl::FormatDuration(ahead)));
    const Job lost = Claim(*store_, "lost", kNow + ahead);
    // Each look is a minute after the last.
    const absl::Time now = kNow - ahead;
    EXPECT_TRUE(NoJob(*store_, now)) << "at first it is only found out";
    const Job job = Claim(*store_, "worker", now + absl::Seconds(1));
    EXPECT_EQ(job.id, lost.id);
    EXPECT_OK(store_->jobs.Complete(job, MakeResult(job, "computed"), now));
  }
}

TEST_P(StoreContractTest, DataThatArrivedInTheFutureIsNotWaitedFor) {
  Record(*store_, MakeExecution());
  const Job first = Claim(*store_);
  EXPECT_OK(store_->jobs.Complete(first, MakeResult(first, "computed"), kNow));
  NewExecution second = MakeExecution();
  second.execution.shard = 2;
  Record(*store_, second, kNow + absl::Hours(3));
  EXPECT_EQ(Claim(*store_, "worker", kNow).id, first.id);
}

TEST_P(StoreContractTest, ADeadLetterTellsTheLastErrorAndLetsOthersPass) {
  const int64_t run_id = Record(*store_, MakeExecution("bad"), kNow).run_id;
  for (uint32_t attempt = 1; attempt <= kAttempts; ++attempt) {
    EXPECT_OK(store_->jobs.Fail(Claim(*store_), "out of memory", JobQueue::Ending::kAgain, kNow));
  }
  const int64_t good = Record(*store_, MakeExecution("good"), kNow + absl::Seconds(1)).run_id;
  EXPECT_EQ(Claim(*store_, "worker", kNow + absl::Seconds(1)).run_id, good);
  EXPECT_THAT(OnlyTarget(*store_, run_id).error, HasSubstr("out of memory"));
}

TEST_P(StoreContractTest, ConcurrentClaimsNeverGiveAJobTwice) {
  constexpr int kJobs = 40;
  constexpr int kThreads = 8;
  for (int i = 0; i < kJobs; ++i) Record(*store_, MakeExecution(absl::StrCat("run ", i)));
  const std::optional<Store> second = OpenAgain();
  ASSERT_TRUE(second.has_value());
  std::vector<std::vector<int64_t>> claimed(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const Store& store = i % 2 == 0 ? *store_ : *second;
      while (true) {
        const absl::StatusOr<std::optional<Job>> job =
            store.jobs.Claim(absl::StrCat("worker ", i), kNow, kLease, kAttempts);
        ASSERT_TRUE(job.ok()) << job.status();
        if (!job->has_value()) return;
        claimed[i].push_back((*job)->id);
        ASSERT_EQ(Code(store.jobs.Complete(**job, MakeResult(**job), kNow)), absl::StatusCode::kOk);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int64_t> all;
  for (const auto& ids : claimed) all.insert(all.end(), ids.begin(), ids.end());
  EXPECT_THAT(all, SizeIs(kJobs));
  EXPECT_THAT(std::set<int64_t>(all.begin(), all.end()), SizeIs(kJobs));
}

TEST_P(StoreContractTest, ATargetOfManyShardsIsGivenAgainWhenNothingMoreComes) {
  constexpr absl::Duration kQuiet = absl::Seconds(5);
  const auto claim = [this](absl::Time now) {
    absl::StatusOr<std::optional<Job>> job =
        store_->jobs.Claim("worker", now, kLease, kAttempts, kQuiet);
    EXPECT_OK(job);
    return job.ok() ? *job : std::nullopt;
  };
  NewExecution execution = MakeExecution();
  Record(*store_, execution);
  const std::optional<Job> first = claim(kNow);
  ASSERT_TRUE(first.has_value()) << "the first analysis waits for nothing";
  absl::Time now = kNow;
  for (uint32_t shard = 2; shard <= 4; ++shard) {
    now += absl::Seconds(4);
    execution.execution.shard = shard;
    Record(*store_, execution, now);
    if (shard == 2) {
      EXPECT_OK(store_->jobs.Complete(*first, MakeResult(*first), now));
    }
    EXPECT_FALSE(claim(now + absl::Seconds(3)).has_value()) << shard;
  }
  const std::optional<Job> second = claim(now + kQuiet);
  ASSERT_TRUE(second.has_value());
  EXPECT_OK(store_->jobs.Complete(*second, MakeResult(*second), now));
  EXPECT_FALSE(claim(now + absl::Hours(1)).has_value());
}

TEST_P(StoreContractTest, ATargetOfWhichMoreComesForeverIsGivenAgainAllTheSame) {
  constexpr absl::Duration kQuiet = absl::Seconds(5);
  NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  for (uint32_t shard = 2;; ++shard) {
    const Job job = **store_->jobs.Claim("worker", kNow, kLease, kAttempts, kQuiet);
    execution.execution.shard = shard;
    Record(*store_, execution);
    EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), kNow));
    EXPECT_FALSE(store_->jobs.Claim("worker", kNow, kLease, kAttempts, kQuiet)->has_value());
    // The run is finished: the job is due at once.
    EXPECT_OK(store_->ingest.FinishRun("sqlite", run_id, kNow));
    if (shard == 3) break;
  }
  EXPECT_TRUE(store_->jobs.Claim("worker", kNow, kLease, kAttempts, kQuiet)->has_value());
  // An execution arrives every second, for ten times the debounce time.
  NewExecution endless = MakeExecution("endless");
  Record(*store_, endless);
  const Job job = **store_->jobs.Claim("worker", kNow, kLease, kAttempts, kQuiet);
  endless.execution.shard = 2;
  Record(*store_, endless);
  EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), kNow));
  endless.execution.shard = 3;
  const absl::Time later = kNow + 10 * kQuiet;
  Record(*store_, endless, later);
  EXPECT_TRUE(store_->jobs.Claim("worker", later, kLease, kAttempts, kQuiet)->has_value());
}

TEST_P(StoreContractTest, AJobThatIsTriedAgainDoesNotWaitForQuiet) {
  Record(*store_, MakeExecution());
  const Job job = **store_->jobs.Claim("worker", kNow, kLease, kAttempts, absl::Hours(1));
  EXPECT_OK(store_->jobs.Fail(job, "the disk was full", JobQueue::Ending::kNotCounted, kNow));
  EXPECT_TRUE(store_->jobs.Claim("worker", kNow, kLease, kAttempts, absl::Hours(1))->has_value());
}

}  // namespace

}  // namespace gprofhub::store
