#include "store/contract_test_suite.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/blob_name.h"

namespace gprofhub {

void StoreContractTest::SetUp() {
  home_ = GetParam()();
  ASSERT_NE(home_, nullptr);
  store_ = OpenAgain();
  ASSERT_NE(store_, nullptr);
}

std::unique_ptr<Store> StoreContractTest::OpenAgain() {
  absl::StatusOr<std::unique_ptr<Store>> store = home_->Open();
  if (!store.ok()) {
    ADD_FAILURE() << store.status();
    return nullptr;
  }
  return *std::move(store);
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);
constexpr absl::Duration kLease = absl::Minutes(1);
constexpr uint32_t kAttempts = 3;

Blob MakeBlob(std::string bytes) { return {NameBlob(bytes), std::move(bytes)}; }

// A complete execution of //db:query_test with one process and one image.
NewExecution MakeExecution(const std::string& run_key = "run-1") {
  const Blob gmon = MakeBlob("gmon of " + run_key);
  const Blob bundle = MakeBlob("symbols");
  NewExecution execution;
  execution.run.project = "sqlite";
  execution.run.run_key = run_key;
  execution.run.commit = "1111111111111111111111111111111111111111";
  execution.run.branch = "main";
  execution.run.configuration = "k8-opt";
  execution.run.started = kNow;
  execution.run.committed = kNow - absl::Hours(1);
  execution.execution.target = "//db:query_test";
  execution.execution.status = "PASSED";
  execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
  execution.images = {{"b1d1", bundle.name}};
  execution.blobs = {gmon, bundle};
  return execution;
}

AnalysisResult MakeResult(const Job& job, const std::string& text = "computed") {
  AnalysisResult result;
  result.computed = MakeBlob(text);
  result.segments = {{job.run_id, job.target, 0, text + " zero"},
                     {job.run_id, job.target, 7, std::string("\0\xFF packed", 9)}};
  return result;
}

absl::StatusCode Code(const absl::Status& status) { return status.code(); }
template <typename T>
absl::StatusCode Code(const absl::StatusOr<T>& result) {
  return result.status().code();
}

#define EXPECT_OK(expression) EXPECT_EQ(Code(expression), absl::StatusCode::kOk)

// Records, or fails the test.
RecordedExecution Record(Store& store, const NewExecution& execution, absl::Time now = kNow) {
  absl::StatusOr<RecordedExecution> recorded = store.RecordExecution(execution, now);
  EXPECT_TRUE(recorded.ok()) << recorded.status();
  return recorded.ok() ? *recorded : RecordedExecution{};
}

// Claims a job, or fails the test.
Job Claim(Store& store, absl::string_view worker = "worker", absl::Time now = kNow) {
  absl::StatusOr<std::optional<Job>> job = store.ClaimJob(worker, now, kLease, kAttempts);
  EXPECT_TRUE(job.ok()) << job.status();
  EXPECT_TRUE(job.ok() && job->has_value()) << "there is no job";
  return job.ok() && job->has_value() ? **job : Job{};
}

// Whether there is no job to claim.
bool NoJob(Store& store, absl::Time now = kNow) {
  absl::StatusOr<std::optional<Job>> job = store.ClaimJob("idle", now, kLease, kAttempts);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() && !job->has_value();
}

TargetRecord OnlyTarget(Store& store, int64_t run_id) {
  absl::StatusOr<std::vector<TargetRecord>> targets = store.ListTargets(run_id);
  EXPECT_TRUE(targets.ok()) << targets.status();
  EXPECT_TRUE(targets.ok() && targets->size() == 1);
  return targets.ok() && targets->size() == 1 ? targets->front() : TargetRecord{};
}

std::vector<std::string> RunKeys(const absl::StatusOr<std::vector<RunRecord>>& runs) {
  EXPECT_TRUE(runs.ok()) << runs.status();
  std::vector<std::string> keys;
  if (runs.ok()) {
    for (const RunRecord& run : *runs) keys.push_back(run.run_key);
  }
  return keys;
}

// ---- Ingest ----

TEST_P(StoreContractTest, KeepsEveryFieldOfARun) {
  NewExecution execution = MakeExecution();
  execution.run.base_commit = "22";
  execution.run.ancestors = {"33", "44"};
  execution.run.pull_request = "17";
  execution.run.ci_link = "https://ci.example/17?a='b'";
  execution.run.from_fork = true;
  const RecordedExecution recorded = Record(*store_, execution);
  EXPECT_FALSE(recorded.already_present);

  const absl::StatusOr<RunRecord> run = store_->ReadRun(recorded.run_id);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->id, recorded.run_id);
  EXPECT_EQ(run->project, "sqlite");
  EXPECT_EQ(run->run_key, "run-1");
  EXPECT_EQ(run->commit, execution.run.commit);
  EXPECT_EQ(run->branch, "main");
  EXPECT_EQ(run->base_commit, "22");
  EXPECT_THAT(run->ancestors, ElementsAre("33", "44"));
  EXPECT_EQ(run->pull_request, "17");
  EXPECT_EQ(run->ci_link, "https://ci.example/17?a='b'");
  EXPECT_EQ(run->configuration, "k8-opt");
  EXPECT_TRUE(run->from_fork);
  EXPECT_EQ(run->started, kNow);
  EXPECT_EQ(run->committed, kNow - absl::Hours(1));
  EXPECT_EQ(run->received, kNow);
}

TEST_P(StoreContractTest, AnUnknownRunIsNotFound) {
  EXPECT_EQ(Code(store_->ReadRun(4711)), absl::StatusCode::kNotFound);
  EXPECT_EQ(Code(store_->ListTargets(4711)), absl::StatusCode::kNotFound);
  EXPECT_EQ(Code(store_->ReadTargetData(4711, "//a:b")), absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, KeepsEveryFieldOfAnExecution) {
  NewExecution execution = MakeExecution();
  execution.execution.run_number = 2;
  execution.execution.shard = 3;
  execution.execution.attempt = 4;
  execution.execution.cached = true;
  execution.execution.test_binary_digest = "abcd";
  const RecordedExecution recorded = Record(*store_, execution);

  const absl::StatusOr<TargetData> data =
      store_->ReadTargetData(recorded.run_id, "//db:query_test");
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
  EXPECT_EQ(profile.profile.process, "gmon.1");
  EXPECT_EQ(profile.profile.build_id, "b1d1");
  EXPECT_EQ(profile.profile.gmon, execution.profiles[0].gmon);
  EXPECT_EQ(profile.bundle, execution.images[0].bundle);
}

TEST_P(StoreContractTest, TheSameExecutionAgainIsOneRecordAndOneJob) {
  const NewExecution execution = MakeExecution();
  const RecordedExecution first = Record(*store_, execution);
  const Job job = Claim(*store_);
  EXPECT_OK(store_->CompleteJob(job, MakeResult(job), kNow));

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
  other.profiles[0].gmon = other_gmon.name;
  other.blobs = {other_gmon};
  EXPECT_EQ(Code(store_->RecordExecution(other, kNow)), absl::StatusCode::kAlreadyExists);
  NewExecution more = execution;
  more.profiles.push_back({"gmon.2", "b1d1", execution.profiles[0].gmon});
  EXPECT_EQ(Code(store_->RecordExecution(more, kNow)), absl::StatusCode::kAlreadyExists);
  NewExecution none = execution;
  none.profiles.clear();
  none.blobs.clear();
  EXPECT_EQ(Code(store_->RecordExecution(none, kNow)), absl::StatusCode::kAlreadyExists);

  EXPECT_THAT(*store_->FindMissingBlobs({other_gmon.name}), ElementsAre(other_gmon.name));
  EXPECT_EQ(OnlyTarget(*store_, recorded.run_id).profiles, 1u);
}

TEST_P(StoreContractTest, AnExecutionWithoutProfilesIsRecordedAndHasAJob) {
  NewExecution execution = MakeExecution();
  execution.profiles.clear();
  execution.images.clear();
  execution.blobs.clear();
  const RecordedExecution recorded = Record(*store_, execution);
  const Job job = Claim(*store_);
  EXPECT_EQ(job.run_id, recorded.run_id);
  const absl::StatusOr<TargetData> data = store_->ReadTargetData(job.run_id, job.target);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->profiles, IsEmpty());
}

TEST_P(StoreContractTest, AMissingBlobIsRefusedAndNothingIsKept) {
  NewExecution execution = MakeExecution();
  const Blob gmon = execution.blobs[0];
  const Blob bundle = execution.blobs[1];
  execution.blobs = {gmon};
  const absl::Status status = store_->RecordExecution(execution, kNow).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr(bundle.name));

  EXPECT_THAT(*store_->FindMissingBlobs({gmon.name, bundle.name}),
              ElementsAre(gmon.name, bundle.name));
  EXPECT_EQ(Code(store_->ReadBlob(gmon.name)), absl::StatusCode::kNotFound);
  RunFilter filter;
  filter.project = "sqlite";
  EXPECT_THAT(RunKeys(store_->ListRuns(filter)), IsEmpty());
  EXPECT_TRUE(NoJob(*store_));
}

TEST_P(StoreContractTest, AHeldBlobNeedNotBeSentAgain) {
  const NewExecution first = MakeExecution("run-1");
  Record(*store_, first);
  NewExecution second = MakeExecution("run-2");
  std::swap(second.blobs[0], second.blobs[1]);
  second.blobs.erase(second.blobs.begin());  // the bundle is held
  EXPECT_FALSE(Record(*store_, second).already_present);
  EXPECT_EQ(*store_->ReadBlob(first.images[0].bundle), "symbols");
}

TEST_P(StoreContractTest, ARunOfAnotherCommitOrConfigurationIsRefused) {
  Record(*store_, MakeExecution());
  NewExecution other = MakeExecution();
  other.execution.target = "//db:other_test";
  other.run.commit = "2222222222222222222222222222222222222222";
  EXPECT_EQ(Code(store_->RecordExecution(other, kNow)), absl::StatusCode::kFailedPrecondition);
  other.run.commit = MakeExecution().run.commit;
  other.run.configuration = "k8-dbg";
  EXPECT_EQ(Code(store_->RecordExecution(other, kNow)), absl::StatusCode::kFailedPrecondition);
  other.run.configuration = "k8-opt";
  EXPECT_OK(store_->RecordExecution(other, kNow));
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
  EXPECT_EQ(store_->ReadTargetData(1, "//db:query_test")->profiles[0].bundle, NameBlob("symbols"));
  EXPECT_EQ(store_->ReadTargetData(recorded.run_id, "//db:query_test")->profiles[0].bundle,
            bundle.name);
}

TEST_P(StoreContractTest, ConcurrentRecordingOfTheSameThingIsOneRecord) {
  constexpr int kThreads = 8;
  const NewExecution execution = MakeExecution();
  std::vector<absl::StatusOr<RecordedExecution>> results(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { results[i] = store_->RecordExecution(execution, kNow); });
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
  const std::unique_ptr<Store> second = OpenAgain();
  ASSERT_NE(second, nullptr);
  std::vector<absl::Status> results(kShards);
  std::vector<std::thread> threads;
  for (int i = 0; i < kShards; ++i) {
    threads.emplace_back([&, i] {
      NewExecution execution = MakeExecution();
      execution.execution.shard = static_cast<uint32_t>(i + 1);
      Store& store = i % 2 == 0 ? *store_ : *second;
      results[i] = store.RecordExecution(execution, kNow).status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : results) EXPECT_TRUE(status.ok()) << status;
  const Job job = Claim(*store_);
  EXPECT_EQ(job.generation, kShards);
  EXPECT_THAT(store_->ReadTargetData(job.run_id, job.target)->profiles, SizeIs(kShards));
  EXPECT_TRUE(NoJob(*store_));
}

// ---- What may be stored ----

TEST_P(StoreContractTest, HostileTextsAreKeptAsTheyAre) {
  const std::string hostile = "'; DROP TABLE run; -- \" \\ $1 %s \t\n {}\xE2\x82\xAC [\"x\"]";
  NewExecution execution = MakeExecution();
  execution.run.project = hostile;
  execution.run.run_key = hostile;
  execution.run.branch = hostile;
  execution.run.ancestors = {hostile};
  execution.execution.target = hostile;
  execution.execution.status = hostile;
  execution.profiles[0].process = hostile;
  execution.profiles[0].build_id = hostile;
  execution.images[0].build_id = hostile;
  const RecordedExecution recorded = Record(*store_, execution);
  const absl::StatusOr<RunRecord> run = store_->ReadRun(recorded.run_id);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->project, hostile);
  EXPECT_EQ(run->branch, hostile);
  EXPECT_THAT(run->ancestors, ElementsAre(hostile));
  EXPECT_EQ(OnlyTarget(*store_, recorded.run_id).label, hostile);
  const absl::StatusOr<TargetData> data = store_->ReadTargetData(recorded.run_id, hostile);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->profiles.at(0).profile.process, hostile);
  EXPECT_EQ(data->profiles.at(0).profile.build_id, hostile);
  RunFilter filter;
  filter.project = hostile;
  filter.branch = hostile;
  EXPECT_THAT(RunKeys(store_->ListRuns(filter)), ElementsAre(hostile));
}

TEST_P(StoreContractTest, TheLongestTextsFit) {
  const std::string longest(1000, 'x');
  NewExecution execution = MakeExecution();
  execution.run.project = longest;
  execution.run.run_key = longest;
  execution.run.commit = longest;
  execution.run.configuration = longest;
  execution.run.ancestors = std::vector<std::string>(1000, longest);
  execution.execution.target = longest;
  execution.profiles[0].process = longest;
  execution.profiles[0].build_id = longest;
  execution.images[0].build_id = longest;
  const RecordedExecution recorded = Record(*store_, execution);
  EXPECT_THAT(store_->ReadRun(recorded.run_id)->ancestors, SizeIs(1000));
}

TEST_P(StoreContractTest, WhatCannotBeStoredIsAnInvalidArgument) {
  struct Case {
    const char* name;
    void (*spoil)(NewExecution&);
  };
  const Case cases[] = {
      {"NUL in project", [](NewExecution& e) { e.run.project = std::string("a\0b", 3); }},
      {"no project", [](NewExecution& e) { e.run.project.clear(); }},
      {"Latin-1 in run key", [](NewExecution& e) { e.run.run_key = "caf\xE9"; }},
      {"no commit", [](NewExecution& e) { e.run.commit.clear(); }},
      {"bad branch", [](NewExecution& e) { e.run.branch = "\xFF"; }},
      {"bad base", [](NewExecution& e) { e.run.base_commit = "\xFF"; }},
      {"bad ancestor", [](NewExecution& e) { e.run.ancestors = {"\xFF"}; }},
      {"too many ancestors", [](NewExecution& e) { e.run.ancestors.assign(1001, "a"); }},
      {"bad pull request", [](NewExecution& e) { e.run.pull_request = "\xFF"; }},
      {"bad link", [](NewExecution& e) { e.run.ci_link = "\xFF"; }},
      {"bad configuration", [](NewExecution& e) { e.run.configuration = "\xFF"; }},
      {"long target", [](NewExecution& e) { e.execution.target.assign(1001, 'x'); }},
      {"bad status", [](NewExecution& e) { e.execution.status = "\xFF"; }},
      {"bad digest", [](NewExecution& e) { e.execution.test_binary_digest = "\xFF"; }},
      {"run number 0", [](NewExecution& e) { e.execution.run_number = 0; }},
      {"shard 0", [](NewExecution& e) { e.execution.shard = 0; }},
      {"attempt 0", [](NewExecution& e) { e.execution.attempt = 0; }},
      {"bad process", [](NewExecution& e) { e.profiles[0].process = "\xFF"; }},
      {"no process", [](NewExecution& e) { e.profiles[0].process.clear(); }},
      {"image not given", [](NewExecution& e) { e.profiles[0].build_id = "c0de"; }},
      {"process twice", [](NewExecution& e) { e.profiles.push_back(e.profiles[0]); }},
      {"image twice", [](NewExecution& e) { e.images.push_back(e.images[0]); }},
      {"gmon is no hash", [](NewExecution& e) { e.profiles[0].gmon = "../../etc/passwd"; }},
      {"bundle in capitals", [](NewExecution& e) { e.images[0].bundle.assign(64, 'A'); }},
      {"blob is no hash", [](NewExecution& e) { e.blobs[0].name = std::string(64, '/'); }},
      {"blob of nothing", [](NewExecution& e) { e.blobs.push_back(MakeBlob("stray")); }},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    NewExecution execution = MakeExecution();
    each.spoil(execution);
    EXPECT_EQ(Code(store_->RecordExecution(execution, kNow)), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(NoJob(*store_));
}

TEST_P(StoreContractTest, HostileQuestionsAreInvalidArguments) {
  const std::string bad("\xFF\0", 2);
  constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(Code(store_->FindMissingBlobs({"../secret"})), kInvalid);
  EXPECT_EQ(Code(store_->ReadBlob(bad)), kInvalid);
  EXPECT_EQ(Code(store_->ReadBlob("")), kInvalid);
  EXPECT_EQ(Code(store_->ClaimJob(bad, kNow, kLease, kAttempts)), kInvalid);
  EXPECT_EQ(Code(store_->ReadTargetData(1, bad)), kInvalid);
  EXPECT_EQ(Code(store_->FindBaselineRun(bad, "", {"a"})), kInvalid);
  EXPECT_EQ(Code(store_->FindBaselineRun("p", bad, {"a"})), kInvalid);
  EXPECT_EQ(Code(store_->FindBaselineRun("p", "", {bad})), kInvalid);
  EXPECT_EQ(Code(store_->ReadSegments({1}, bad, 0)), kInvalid);
  EXPECT_EQ(Code(store_->CreateToken(bad, "", "x", kNow)), kInvalid);
  EXPECT_EQ(Code(store_->FindToken(bad)), kInvalid);
  EXPECT_EQ(Code(store_->ListTokens(bad)), kInvalid);
  for (std::string RunFilter::*field : {&RunFilter::project, &RunFilter::branch, &RunFilter::commit,
                                        &RunFilter::pull_request, &RunFilter::configuration}) {
    RunFilter filter;
    filter.project = "sqlite";
    filter.*field = bad;
    EXPECT_EQ(Code(store_->ListRuns(filter)), kInvalid);
  }
}

// ---- Blobs ----

TEST_P(StoreContractTest, MissingBlobsComeInTheOrderAskedFor) {
  const NewExecution execution = MakeExecution();
  Record(*store_, execution);
  const BlobName zebra = NameBlob("zebra");
  const BlobName ant = NameBlob("ant");
  EXPECT_THAT(*store_->FindMissingBlobs({zebra, execution.blobs[0].name, ant}),
              ElementsAre(zebra, ant));
  EXPECT_THAT(*store_->FindMissingBlobs({}), IsEmpty());
}

TEST_P(StoreContractTest, TenThousandBlobsCanBeAskedForAtOnce) {
  std::vector<BlobName> names;
  for (int i = 0; i < 10000; ++i) names.push_back(NameBlob(absl::StrCat(i)));
  EXPECT_EQ(*store_->FindMissingBlobs(names), names);
}

TEST_P(StoreContractTest, ABlobOfAnyBytesComesBackUnchanged) {
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte.push_back(static_cast<char>(i));
  NewExecution execution = MakeExecution();
  execution.blobs[0] = MakeBlob(every_byte + "\\x" + every_byte);
  execution.profiles[0].gmon = execution.blobs[0].name;
  execution.blobs[1] = MakeBlob("");
  execution.images[0].bundle = execution.blobs[1].name;
  Record(*store_, execution);
  EXPECT_EQ(*store_->ReadBlob(execution.blobs[0].name), execution.blobs[0].bytes);
  EXPECT_EQ(*store_->ReadBlob(execution.blobs[1].name), "");
}

TEST_P(StoreContractTest, ALargeBlobComesBackUnchanged) {
  std::string bytes(20 << 20, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  NewExecution execution = MakeExecution();
  execution.blobs[0] = MakeBlob(std::move(bytes));
  execution.profiles[0].gmon = execution.blobs[0].name;
  Record(*store_, execution);
  const absl::StatusOr<std::string> read = store_->ReadBlob(execution.blobs[0].name);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(*read == execution.blobs[0].bytes);
}

TEST_P(StoreContractTest, ABlobThatNoLongerHashesToItsNameIsDataLoss) {
  NewExecution execution = MakeExecution();
  execution.blobs[0].bytes = "not what was hashed";
  Record(*store_, execution);
  EXPECT_EQ(Code(store_->ReadBlob(execution.blobs[0].name)), absl::StatusCode::kDataLoss);
}

TEST_P(StoreContractTest, AnUnknownBlobIsNotFound) {
  EXPECT_EQ(Code(store_->ReadBlob(NameBlob("nobody sent this"))), absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, AnExecutionMayHaveThousandsOfProfiles) {
  NewExecution execution = MakeExecution();
  for (int i = 0; i < 5000; ++i) {
    execution.profiles.push_back({absl::StrCat("process ", i), "b1d1", execution.profiles[0].gmon});
  }
  const RecordedExecution recorded = Record(*store_, execution);
  EXPECT_EQ(OnlyTarget(*store_, recorded.run_id).profiles, 5001u);
  EXPECT_TRUE(Record(*store_, execution).already_present);
}

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
  const absl::StatusOr<TargetData> data = store_->ReadTargetData(run_id, "//db:query_test");
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
  EXPECT_THAT(store_->ReadTargetData(run_id, "//db:query_test")->profiles, IsEmpty());
}

TEST_P(StoreContractTest, AnUnknownTargetIsNotFound) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  EXPECT_EQ(Code(store_->ReadTargetData(run_id, "//db:other")), absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, TargetsAreListedByLabelWithTheirCounts) {
  NewExecution execution = MakeExecution();
  execution.execution.cached = true;
  execution.profiles.push_back({"gmon.2", "b1d1", execution.profiles[0].gmon});
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

  const absl::StatusOr<std::vector<TargetRecord>> targets = store_->ListTargets(run_id);
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
  Record(*store_, MakeExecution("third"), kNow + absl::Seconds(2));
  Record(*store_, MakeExecution("first"), kNow);
  Record(*store_, MakeExecution("second"), kNow + absl::Seconds(1));
  std::vector<std::string> order;
  for (int i = 0; i < 3; ++i) {
    order.push_back(store_->ReadRun(Claim(*store_).run_id)->run_key);
  }
  EXPECT_THAT(order, ElementsAre("first", "second", "third"));
  EXPECT_TRUE(NoJob(*store_));
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
  EXPECT_OK(store_->ExtendLease(job, kNow + absl::Seconds(50), kLease));
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
  EXPECT_EQ(Code(store_->ExtendLease(stale, later, kLease)), kRefused);
  EXPECT_EQ(Code(store_->CompleteJob(stale, MakeResult(stale, "stale"), later)), kRefused);
  EXPECT_EQ(Code(store_->FailJob(stale, "stale", false, later)), kRefused);
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending);
  EXPECT_THAT(*store_->FindMissingBlobs({NameBlob("stale")}), SizeIs(1));

  Job other = job;
  other.worker = "somebody else";
  EXPECT_EQ(Code(store_->CompleteJob(other, MakeResult(other), later)), kRefused);
  EXPECT_OK(store_->CompleteJob(job, MakeResult(job), later));
  EXPECT_EQ(Code(store_->CompleteJob(job, MakeResult(job), later)), kRefused);
  EXPECT_EQ(Code(store_->ExtendLease(job, later, kLease)), kRefused);
}

TEST_P(StoreContractTest, ACompletedJobLeavesItsResult) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  const Job job = Claim(*store_);
  const AnalysisResult result = MakeResult(job);
  EXPECT_OK(store_->CompleteJob(job, result, kNow));
  const TargetRecord target = OnlyTarget(*store_, run_id);
  EXPECT_EQ(target.state, TargetState::kAnalyzed);
  EXPECT_EQ(target.error, "");
  EXPECT_EQ(target.computed, result.computed.name);
  EXPECT_EQ(*store_->ReadBlob(target.computed), "computed");
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
    EXPECT_EQ(Code(store_->CompleteJob(job, result, kNow)), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_OK(store_->CompleteJob(job, MakeResult(job), kNow));
}

TEST_P(StoreContractTest, MoreDataForAnAnalyzedTargetQueuesItAgain) {
  NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job first = Claim(*store_);
  EXPECT_OK(store_->CompleteJob(first, MakeResult(first), kNow));
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

  EXPECT_OK(store_->CompleteJob(first, MakeResult(first), kNow));
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending);
  EXPECT_EQ(OnlyTarget(*store_, run_id).computed, NameBlob("computed"));
  const Job second = Claim(*store_);
  EXPECT_EQ(second.attempts, 1u);
  EXPECT_THAT(store_->ReadTargetData(second.run_id, second.target)->profiles, SizeIs(2));
  EXPECT_OK(store_->CompleteJob(second, MakeResult(second), kNow));
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kAnalyzed);
}

TEST_P(StoreContractTest, AFailedJobSaysWhyUntilMoreDataArrives) {
  NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job job = Claim(*store_);
  EXPECT_OK(store_->FailJob(job, std::string("gmon.1: byte 20: '\0\xFF'", 21), false, kNow));
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
  EXPECT_OK(store_->FailJob(job, "a shard is missing", false, kNow));
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kPending);
  EXPECT_EQ(Claim(*store_).attempts, 1u);
}

TEST_P(StoreContractTest, ARetriedJobGoesToTheEndOfTheQueue) {
  Record(*store_, MakeExecution("first"), kNow);
  Record(*store_, MakeExecution("second"), kNow + absl::Seconds(1));
  const Job first = Claim(*store_);
  const absl::Time later = kNow + absl::Seconds(2);
  EXPECT_OK(store_->FailJob(first, "try again", true, later));
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

TEST_P(StoreContractTest, ADeadLetterTellsTheLastErrorAndLetsOthersPass) {
  const int64_t run_id = Record(*store_, MakeExecution("bad"), kNow).run_id;
  for (uint32_t attempt = 1; attempt <= kAttempts; ++attempt) {
    EXPECT_OK(store_->FailJob(Claim(*store_), "out of memory", true, kNow));
  }
  const int64_t good = Record(*store_, MakeExecution("good"), kNow + absl::Seconds(1)).run_id;
  EXPECT_EQ(Claim(*store_, "worker", kNow + absl::Seconds(1)).run_id, good);
  EXPECT_THAT(OnlyTarget(*store_, run_id).error, HasSubstr("out of memory"));
}

TEST_P(StoreContractTest, ConcurrentClaimsNeverGiveAJobTwice) {
  constexpr int kJobs = 40;
  constexpr int kThreads = 8;
  for (int i = 0; i < kJobs; ++i) Record(*store_, MakeExecution(absl::StrCat("run ", i)));
  const std::unique_ptr<Store> second = OpenAgain();
  ASSERT_NE(second, nullptr);
  std::vector<std::vector<int64_t>> claimed(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Store& store = i % 2 == 0 ? *store_ : *second;
      while (true) {
        const absl::StatusOr<std::optional<Job>> job =
            store.ClaimJob(absl::StrCat("worker ", i), kNow, kLease, kAttempts);
        ASSERT_TRUE(job.ok()) << job.status();
        if (!job->has_value()) return;
        claimed[i].push_back((*job)->id);
        ASSERT_EQ(Code(store.CompleteJob(**job, MakeResult(**job), kNow)), absl::StatusCode::kOk);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int64_t> all;
  for (const auto& ids : claimed) all.insert(all.end(), ids.begin(), ids.end());
  EXPECT_THAT(all, SizeIs(kJobs));
  EXPECT_THAT(std::set<int64_t>(all.begin(), all.end()), SizeIs(kJobs));
}

// ---- Runs ----

TEST_P(StoreContractTest, RunsAreListedNewestFirst) {
  NewExecution execution = MakeExecution("committed 3 h ago");
  execution.run.committed = kNow - absl::Hours(3);
  Record(*store_, execution);
  execution = MakeExecution("started 2 h ago, commit time unknown");
  execution.run.committed = absl::UnixEpoch();
  execution.run.started = kNow - absl::Hours(2);
  Record(*store_, execution);
  Record(*store_, MakeExecution("committed 1 h ago"));
  Record(*store_, MakeExecution("committed 1 h ago, recorded later"));
  RunFilter filter;
  filter.project = "sqlite";
  EXPECT_THAT(RunKeys(store_->ListRuns(filter)),
              ElementsAre("committed 1 h ago, recorded later", "committed 1 h ago",
                          "started 2 h ago, commit time unknown", "committed 3 h ago"));
  filter.limit = 2;
  EXPECT_THAT(RunKeys(store_->ListRuns(filter)),
              ElementsAre("committed 1 h ago, recorded later", "committed 1 h ago"));
}

TEST_P(StoreContractTest, RunsAreFiltered) {
  Record(*store_, MakeExecution("plain"));
  NewExecution execution = MakeExecution("branch");
  execution.run.branch = "topic";
  Record(*store_, execution);
  execution = MakeExecution("commit");
  execution.run.commit = "abcdef0123456789abcdef0123456789abcdef01";
  Record(*store_, execution);
  execution = MakeExecution("pull request");
  execution.run.pull_request = "17";
  Record(*store_, execution);
  execution = MakeExecution("configuration");
  execution.run.configuration = "k8-dbg";
  Record(*store_, execution);
  execution = MakeExecution("fork");
  execution.run.from_fork = true;
  Record(*store_, execution);
  execution = MakeExecution("project");
  execution.run.project = "leveldb";
  Record(*store_, execution);

  const auto list = [this](void (*set)(RunFilter&)) {
    RunFilter filter;
    filter.project = "sqlite";
    set(filter);
    return RunKeys(store_->ListRuns(filter));
  };
  EXPECT_THAT(list([](RunFilter& f) { f.project = "leveldb"; }), ElementsAre("project"));
  EXPECT_THAT(list([](RunFilter& f) { f.project = "nobody's"; }), IsEmpty());
  EXPECT_THAT(list([](RunFilter& f) { f.branch = "topic"; }), ElementsAre("branch"));
  EXPECT_THAT(list([](RunFilter& f) { f.commit = "abcdef0"; }), ElementsAre("commit"));
  EXPECT_THAT(list([](RunFilter& f) { f.commit = "abcdef0123456789abcdef0123456789abcdef01"; }),
              ElementsAre("commit"));
  EXPECT_THAT(list([](RunFilter& f) { f.commit = "abcdef1"; }), IsEmpty());
  EXPECT_THAT(list([](RunFilter& f) { f.commit = "%%%%%%%"; }), IsEmpty());
  EXPECT_THAT(list([](RunFilter& f) { f.pull_request = "17"; }), ElementsAre("pull request"));
  EXPECT_THAT(list([](RunFilter& f) { f.configuration = "k8-dbg"; }), ElementsAre("configuration"));
  EXPECT_THAT(list([](RunFilter& f) { f.mainline_only = true; }),
              ElementsAre("configuration", "commit", "branch", "plain"));
  EXPECT_THAT(list([](RunFilter& f) {
                f.mainline_only = true;
                f.branch = "topic";
                f.configuration = "k8-opt";
              }),
              ElementsAre("branch"));
}

TEST_P(StoreContractTest, ACommitPrefixNeedsSevenDigits) {
  RunFilter filter;
  filter.project = "sqlite";
  filter.commit = "111111";
  EXPECT_EQ(Code(store_->ListRuns(filter)), absl::StatusCode::kInvalidArgument);
  filter.commit.clear();
  filter.project.clear();
  EXPECT_EQ(Code(store_->ListRuns(filter)), absl::StatusCode::kInvalidArgument);
}

TEST_P(StoreContractTest, TheBaselineIsTheNewestMainlineRunOfTheNearestCommit) {
  const auto record = [this](const std::string& key, const std::string& commit,
                             void (*change)(RunRecord&)) {
    NewExecution execution = MakeExecution(key);
    execution.run.commit = commit;
    change(execution.run);
    Record(*store_, execution);
  };
  const auto as_it_is = [](RunRecord&) {};
  record("far", "c3", as_it_is);
  record("near, newer", "c2", as_it_is);
  record("near, older", "c2", [](RunRecord& run) { run.committed -= absl::Hours(1); });
  record("near, fork", "c2", [](RunRecord& run) { run.from_fork = true; });
  record("near, pull request", "c2", [](RunRecord& run) { run.pull_request = "17"; });
  record("nearest, other configuration", "c1",
         [](RunRecord& run) { run.configuration = "k8-dbg"; });
  record("nearest, other project", "c1", [](RunRecord& run) { run.project = "leveldb"; });

  const absl::StatusOr<RunRecord> run =
      store_->FindBaselineRun("sqlite", "k8-opt", {"c0", "c1", "c2", "c3"});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->run_key, "near, newer");
  EXPECT_EQ(store_->FindBaselineRun("sqlite", "k8-opt", {"c3", "c2"})->run_key, "far");
  EXPECT_EQ(Code(store_->FindBaselineRun("sqlite", "k8-opt", {"c0", "c1"})),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Code(store_->FindBaselineRun("sqlite", "k8-opt", {})), absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, ABaselineIsFoundAmongAThousandCommits) {
  NewExecution execution = MakeExecution();
  execution.run.commit = "c999";
  Record(*store_, execution);
  std::vector<std::string> commits;
  for (int i = 0; i < 1000; ++i) commits.push_back(absl::StrCat("c", i));
  EXPECT_EQ(store_->FindBaselineRun("sqlite", "k8-opt", commits)->run_key, "run-1");
}

// ---- Segments ----

TEST_P(StoreContractTest, SegmentsAreReadByRunTargetAndBucket) {
  std::vector<int64_t> run_ids;
  for (const char* key : {"run-1", "run-2", "run-3"}) {
    for (const char* target : {"//b:test", "//a:test"}) {
      NewExecution execution = MakeExecution(key);
      execution.execution.target = target;
      const int64_t run_id = Record(*store_, execution).run_id;
      if (run_ids.empty() || run_ids.back() != run_id) run_ids.push_back(run_id);
      const Job job = Claim(*store_);
      EXPECT_OK(store_->CompleteJob(job, MakeResult(job, absl::StrCat(key, target)), kNow));
    }
  }
  const auto read = [&](const std::vector<int64_t>& runs, absl::string_view target,
                        uint32_t bucket) {
    const absl::StatusOr<std::vector<PointSegment>> segments =
        store_->ReadSegments(runs, target, bucket);
    EXPECT_TRUE(segments.ok()) << segments.status();
    std::vector<std::string> payloads;
    for (const PointSegment& segment : *segments) {
      EXPECT_EQ(segment.bucket, bucket);
      payloads.push_back(segment.payload);
    }
    return payloads;
  };
  EXPECT_THAT(read({run_ids[2], run_ids[0]}, "", 0),
              ElementsAre("run-3//a:test zero", "run-3//b:test zero", "run-1//a:test zero",
                          "run-1//b:test zero"));
  EXPECT_THAT(read({run_ids[1]}, "//b:test", 0), ElementsAre("run-2//b:test zero"));
  EXPECT_THAT(read({run_ids[1]}, "//b:test", 7), ElementsAre(std::string("\0\xFF packed", 9)));
  EXPECT_THAT(read({run_ids[1]}, "//b:test", 1), IsEmpty());
  EXPECT_THAT(read({run_ids[1]}, "//c:test", 0), IsEmpty());
  EXPECT_THAT(read({4711}, "", 0), IsEmpty());
  EXPECT_THAT(read({}, "", 0), IsEmpty());
}

TEST_P(StoreContractTest, ReanalysisReplacesTheSegments) {
  NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job first = Claim(*store_);
  EXPECT_OK(store_->CompleteJob(first, MakeResult(first, "old"), kNow));
  execution.execution.shard = 2;
  Record(*store_, execution);
  const Job second = Claim(*store_);
  AnalysisResult result = MakeResult(second, "new");
  result.segments.pop_back();
  EXPECT_OK(store_->CompleteJob(second, result, kNow));

  EXPECT_THAT(*store_->ReadSegments({run_id}, "", 7), IsEmpty());
  ASSERT_THAT(*store_->ReadSegments({run_id}, "", 0), SizeIs(1));
  EXPECT_EQ(store_->ReadSegments({run_id}, "", 0)->front().payload, "new zero");
  EXPECT_EQ(OnlyTarget(*store_, run_id).computed, NameBlob("new"));
}

// ---- Tokens ----

TEST_P(StoreContractTest, TokensAreFoundUntilRevoked) {
  EXPECT_FALSE(*store_->HasTokens());
  EXPECT_EQ(Code(store_->FindToken("hash")), absl::StatusCode::kNotFound);
  const absl::StatusOr<TokenRecord> token = store_->CreateToken("sqlite", "ci", "hash", kNow);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->project, "sqlite");
  EXPECT_EQ(token->label, "ci");
  EXPECT_EQ(token->token_sha256, "hash");
  EXPECT_EQ(token->created, kNow);
  EXPECT_FALSE(token->revoked);
  EXPECT_EQ(store_->FindToken("hash")->id, token->id);
  EXPECT_TRUE(*store_->HasTokens());

  EXPECT_OK(store_->RevokeToken(token->id));
  EXPECT_OK(store_->RevokeToken(token->id));
  EXPECT_EQ(Code(store_->FindToken("hash")), absl::StatusCode::kNotFound);
  EXPECT_TRUE(*store_->HasTokens());
  EXPECT_EQ(Code(store_->RevokeToken(4711)), absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, TokensAreListedByProjectOldestFirst) {
  ASSERT_TRUE(store_->CreateToken("sqlite", "one", "h1", kNow).ok());
  ASSERT_TRUE(store_->CreateToken("leveldb", "other", "h2", kNow).ok());
  const absl::StatusOr<TokenRecord> two = store_->CreateToken("sqlite", "two", "h3", kNow);
  EXPECT_OK(store_->RevokeToken(two->id));
  const absl::StatusOr<std::vector<TokenRecord>> tokens = store_->ListTokens("sqlite");
  ASSERT_TRUE(tokens.ok()) << tokens.status();
  ASSERT_THAT(*tokens, SizeIs(2));
  EXPECT_EQ((*tokens)[0].label, "one");
  EXPECT_EQ((*tokens)[1].label, "two");
  EXPECT_TRUE((*tokens)[1].revoked);
}

TEST_P(StoreContractTest, OneTokenIsCreatedOnce) {
  ASSERT_TRUE(store_->CreateToken("sqlite", "one", "hash", kNow).ok());
  EXPECT_EQ(Code(store_->CreateToken("sqlite", "two", "hash", kNow)),
            absl::StatusCode::kAlreadyExists);
}

// ---- Persistence ----

TEST_P(StoreContractTest, EverythingIsThereAfterReopening) {
  const NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job job = Claim(*store_);
  ASSERT_TRUE(store_->CreateToken("sqlite", "ci", "hash", kNow).ok());
  store_.reset();
  store_ = OpenAgain();
  ASSERT_NE(store_, nullptr);

  EXPECT_EQ(store_->ReadRun(run_id)->run_key, "run-1");
  EXPECT_EQ(*store_->ReadBlob(execution.blobs[0].name), execution.blobs[0].bytes);
  EXPECT_OK(store_->FindToken("hash"));
  EXPECT_TRUE(NoJob(*store_));
  EXPECT_OK(store_->CompleteJob(job, MakeResult(job), kNow));
  store_.reset();
  store_ = OpenAgain();
  ASSERT_NE(store_, nullptr);
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kAnalyzed);
  EXPECT_THAT(*store_->ReadSegments({run_id}, "", 0), SizeIs(1));
}

TEST_P(StoreContractTest, SeveralStoresOnOneHomeSeeEachOther) {
  const std::unique_ptr<Store> second = OpenAgain();
  ASSERT_NE(second, nullptr);
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  EXPECT_EQ(second->ReadRun(run_id)->run_key, "run-1");
  const Job job = Claim(*second);
  EXPECT_TRUE(NoJob(*store_));
  EXPECT_OK(second->CompleteJob(job, MakeResult(job), kNow));
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kAnalyzed);
}

TEST_P(StoreContractTest, SeveralStoresMayOpenANewHomeAtOnce) {
  constexpr int kThreads = 4;
  const std::unique_ptr<StoreHome> home = GetParam()();
  ASSERT_NE(home, nullptr);
  std::vector<absl::Status> results(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { results[i] = home->Open().status(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : results) EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gprofhub
