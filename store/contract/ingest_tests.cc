// Contract tests: effects of an upload.
#include <gmock/gmock.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "store/contract/helpers.h"
#include "store/records/run_columns.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// ---- Ingest ----

TEST_P(StoreContractTest, KeepsEveryFieldOfARun) {
  NewExecution execution = MakeExecution();
  int64_t number = absl::ToUnixMicros(kNow);
  for (const RunColumn& column : RunColumns()) {
    switch (column.type) {
      case RunColumn::Type::kText:
        column.write(column.name, execution.run);
        break;
      case RunColumn::Type::kNumber:
        column.write(++number, execution.run);
        break;
      case RunColumn::Type::kName:
        column.write(column.names.back(), execution.run);
        break;
    }
  }
  execution.run.ancestors = {"33", "44"};
  const RecordedExecution recorded = Record(*store_, execution);
  EXPECT_FALSE(recorded.already_present);

  const absl::StatusOr<RunRecord> run = store_->reading.ReadRun(recorded.run_id);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->id, recorded.run_id);
  for (const RunColumn& column : RunColumns()) {
    EXPECT_TRUE(column.read(*run) == column.read(execution.run)) << column.name;
  }
  EXPECT_THAT(run->ancestors, ElementsAre("33", "44"));
  EXPECT_EQ(run->received, kNow);
}

TEST_P(StoreContractTest, AnUnknownRunIsNotFound) {
  EXPECT_EQ(Code(store_->reading.ReadRun(4711)), absl::StatusCode::kNotFound);
  EXPECT_EQ(Code(store_->reading.ListTargets(4711)), absl::StatusCode::kNotFound);
  EXPECT_EQ(Code(store_->reading.ReadTargetData(4711, "//a:b")), absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, KeepsEveryFieldOfAnExecution) {
  NewExecution execution = MakeExecution();
  execution.execution.run_number = 2;
  execution.execution.shard = 3;
  execution.execution.attempt = 4;
  execution.execution.cached = true;
  execution.execution.test_binary_digest = "abcd";
  execution.execution.duration_ms = 4'000'000'000;
  const RecordedExecution recorded = Record(*store_, execution);

  const absl::StatusOr<TargetData> data =
      store_->reading.ReadTargetData(recorded.run_id, "//db:query_test");
  ASSERT_TRUE(data.ok()) << data.status();
  ASSERT_THAT(data->profiles, SizeIs(1));
  const TargetData::Profile& profile = data->profiles[0];
  EXPECT_GT(profile.execution.id, 0);
  EXPECT_EQ(profile.execution.target, "//db:query_test");
  EXPECT_EQ(profile.execution.run_number, 2u);
  EXPECT_EQ(profile.execution.shard, 3u);
  EXPECT_EQ(profile.execution.attempt, 4u);
  EXPECT_TRUE(profile.execution.cached);
  EXPECT_EQ(profile.execution.status, "PASSED");
  EXPECT_EQ(profile.execution.test_binary_digest, "abcd");
  EXPECT_EQ(profile.execution.duration_ms, 4'000'000'000u);
  EXPECT_EQ(profile.profile.process, "gmon.1");
  EXPECT_EQ(profile.profile.build_id, "b1d1");
  EXPECT_EQ(profile.profile.data, execution.profiles[0].data);
  EXPECT_EQ(profile.bundle, execution.images[0].bundle);
}

TEST_P(StoreContractTest, TheSameExecutionAgainIsOneRecordAndOneJob) {
  const NewExecution execution = MakeExecution();
  const RecordedExecution first = Record(*store_, execution);
  const Job job = Claim(*store_);
  EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), kNow));

  const RecordedExecution again = Record(*store_, execution, kNow + absl::Hours(1));
  EXPECT_TRUE(again.already_present);
  EXPECT_EQ(again.run_id, first.run_id);
  EXPECT_EQ(OnlyTarget(*store_, first.run_id).executions, 1u);
  EXPECT_TRUE(NoJob(*store_));
}

TEST_P(StoreContractTest, TheSameExecutionAgainNeedsNoBlobs) {
  NewExecution execution = MakeExecution();
  Record(*store_, execution);
  execution.blobs.clear();
  EXPECT_TRUE(Record(*store_, execution).already_present);
}

TEST_P(StoreContractTest, AnExecutionWithOtherProfilesAlreadyExists) {
  NewExecution execution = MakeExecution();
  const RecordedExecution recorded = Record(*store_, execution);
  NewExecution other = execution;
  const Blob other_gmon = MakeBlob("other gmon");
  other.profiles[0].data = other_gmon.name;
  other.blobs = {other_gmon};
  EXPECT_EQ(Code(store_->ingest.RecordExecution(other, kNow)), absl::StatusCode::kAlreadyExists);
  NewExecution more = execution;
  more.profiles.push_back({"gmon.2", "b1d1", execution.profiles[0].data});
  EXPECT_EQ(Code(store_->ingest.RecordExecution(more, kNow)), absl::StatusCode::kAlreadyExists);
  NewExecution none = execution;
  none.profiles.clear();
  none.blobs.clear();
  EXPECT_EQ(Code(store_->ingest.RecordExecution(none, kNow)), absl::StatusCode::kAlreadyExists);

  EXPECT_THAT(*store_->blobs.FindMissing("sqlite", {other_gmon.name}),
              ElementsAre(other_gmon.name));
  EXPECT_EQ(OnlyTarget(*store_, recorded.run_id).profiles, 1u);
}

TEST_P(StoreContractTest, ExecutionWithAnotherResultAlreadyExists) {
  NewExecution failed = MakeExecution();
  failed.profiles.clear();
  failed.images.clear();
  failed.blobs.clear();
  failed.execution.status = "FAILED";
  failed.execution.duration_ms = 1200;
  Record(*store_, failed);
  NewExecution other = failed;
  other.execution.status = "PASSED";
  const absl::Status status = store_->ingest.RecordExecution(other, kNow).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("FAILED after 1200 ms is stored, PASSED after 1200 ms was given"));
  other = failed;
  other.execution.duration_ms = 1300;
  EXPECT_EQ(Code(store_->ingest.RecordExecution(other, kNow)), absl::StatusCode::kAlreadyExists);
  other.execution.duration_ms = 0;
  other.execution.status = "NO_STATUS";
  EXPECT_TRUE(Record(*store_, other).already_present) << "neither is known";
}

TEST_P(StoreContractTest, AnExecutionWithoutProfilesIsRecordedAndHasAJob) {
  NewExecution execution = MakeExecution();
  execution.profiles.clear();
  execution.images.clear();
  execution.blobs.clear();
  const RecordedExecution recorded = Record(*store_, execution);
  const Job job = Claim(*store_);
  EXPECT_EQ(job.run_id, recorded.run_id);
  const absl::StatusOr<TargetData> data = store_->reading.ReadTargetData(job.run_id, job.target);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->profiles, IsEmpty());
}

TEST_P(StoreContractTest, AMissingBlobIsRefusedAndNothingIsKept) {
  NewExecution execution = MakeExecution();
  const Blob gmon = execution.blobs[0];
  const Blob bundle = execution.blobs[1];
  execution.blobs = {gmon};
  const absl::Status status = store_->ingest.RecordExecution(execution, kNow).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr(bundle.name));

  EXPECT_THAT(*store_->blobs.FindMissing("sqlite", {gmon.name, bundle.name}),
              ElementsAre(gmon.name, bundle.name));
  EXPECT_EQ(Code(store_->blobs.Read(gmon.name)), absl::StatusCode::kNotFound);
  RunFilter filter;
  filter.project = "sqlite";
  EXPECT_THAT(RunKeys(store_->reading.ListRuns(filter)), IsEmpty());
  EXPECT_TRUE(NoJob(*store_));
}

TEST_P(StoreContractTest, AHeldBlobNeedNotBeSentAgain) {
  const NewExecution first = MakeExecution("run-1");
  Record(*store_, first);
  NewExecution second = MakeExecution("run-2");
  std::swap(second.blobs[0], second.blobs[1]);
  second.blobs.erase(second.blobs.begin());  // the bundle is held
  EXPECT_FALSE(Record(*store_, second).already_present);
  EXPECT_EQ(*store_->blobs.Read(first.images[0].bundle), "symbols");
}

TEST_P(StoreContractTest, ARunOfAnotherCommitConfigurationOrKindIsRefused) {
  Record(*store_, MakeExecution());
  NewExecution other = MakeExecution();
  other.execution.target = "//db:other_test";
  other.run.commit = "2222222222222222222222222222222222222222";
  EXPECT_EQ(Code(store_->ingest.RecordExecution(other, kNow)),
            absl::StatusCode::kFailedPrecondition);
  other.run.commit = MakeExecution().run.commit;
  other.run.configuration = "k8-dbg";
  EXPECT_EQ(Code(store_->ingest.RecordExecution(other, kNow)),
            absl::StatusCode::kFailedPrecondition);
  other.run.configuration = "k8-opt";
  other.run.profile_kind = ProfileKind::kSampled;
  const absl::Status kind = store_->ingest.RecordExecution(other, kNow).status();
  EXPECT_EQ(Code(kind), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(kind.message()), HasSubstr("profiles of kind 'counted', not 'sampled'"));
  other.run.profile_kind = ProfileKind::kWindow;
  const absl::Status window = store_->ingest.RecordExecution(other, kNow).status();
  EXPECT_THAT(std::string(window.message()), HasSubstr("profiles of kind 'counted', not 'window'"));
  other.run.profile_kind = ProfileKind::kCounted;
  EXPECT_OK(store_->ingest.RecordExecution(other, kNow));
}

TEST_P(StoreContractTest, OneRunKeyInTwoProjectsIsTwoRuns) {
  NewExecution other = MakeExecution();
  other.run.project = "leveldb";
  other.run.commit = "2222222222222222222222222222222222222222";
  EXPECT_NE(Record(*store_, MakeExecution()).run_id, Record(*store_, other).run_id);
}

TEST_P(StoreContractTest, AnImageBelongsToItsExecution) {
  Record(*store_, MakeExecution("run-1"));
  NewExecution forged = MakeExecution("run-2");
  const Blob bundle = MakeBlob("forged symbols of the same build-id");
  forged.images[0].bundle = bundle.name;
  forged.blobs[1] = bundle;
  const RecordedExecution recorded = Record(*store_, forged);
  EXPECT_EQ(store_->reading.ReadTargetData(1, "//db:query_test")->profiles[0].bundle,
            NameBlob("symbols"));
  EXPECT_EQ(store_->reading.ReadTargetData(recorded.run_id, "//db:query_test")->profiles[0].bundle,
            bundle.name);
}

TEST_P(StoreContractTest, ConcurrentRecordingOfTheSameThingIsOneRecord) {
  constexpr int kThreads = 8;
  const NewExecution execution = MakeExecution();
  std::vector<absl::StatusOr<RecordedExecution>> results(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { results[i] = store_->ingest.RecordExecution(execution, kNow); });
  }
  for (std::thread& thread : threads) thread.join();
  int added = 0;
  std::set<int64_t> run_ids;
  for (const auto& result : results) {
    ASSERT_TRUE(result.ok()) << result.status();
    added += result->already_present ? 0 : 1;
    run_ids.insert(result->run_id);
  }
  EXPECT_EQ(added, 1);
  EXPECT_THAT(run_ids, SizeIs(1));
  const TargetRecord target = OnlyTarget(*store_, *run_ids.begin());
  EXPECT_EQ(target.executions, 1u);
  EXPECT_EQ(target.profiles, 1u);
}

TEST_P(StoreContractTest, ConcurrentShardsOfOneRunAllArrive) {
  constexpr int kShards = 16;
  const std::optional<Store> second = OpenAgain();
  ASSERT_TRUE(second.has_value());
  std::vector<absl::Status> results(kShards);
  std::vector<std::thread> threads;
  for (int i = 0; i < kShards; ++i) {
    threads.emplace_back([&, i] {
      NewExecution execution = MakeExecution();
      execution.execution.shard = static_cast<uint32_t>(i + 1);
      const Store& store = i % 2 == 0 ? *store_ : *second;
      results[i] = store.ingest.RecordExecution(execution, kNow).status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : results) EXPECT_TRUE(status.ok()) << status;
  const Job job = Claim(*store_);
  EXPECT_EQ(job.generation, kShards);
  EXPECT_THAT(store_->reading.ReadTargetData(job.run_id, job.target)->profiles, SizeIs(kShards));
  EXPECT_TRUE(NoJob(*store_));
}

}  // namespace

}  // namespace gprofhub::store
