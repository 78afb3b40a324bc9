// Contract tests: validation of contents, and blobs.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/helpers.h"
#include "store/records/run_columns.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// ---- Validation of contents ----

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
  const absl::StatusOr<RunRecord> run = store_->reading.ReadRun(recorded.run_id);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->project, hostile);
  EXPECT_EQ(run->branch, hostile);
  EXPECT_THAT(run->ancestors, ElementsAre(hostile));
  EXPECT_EQ(OnlyTarget(*store_, recorded.run_id).label, hostile);
  const absl::StatusOr<TargetData> data = store_->reading.ReadTargetData(recorded.run_id, hostile);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->profiles.at(0).profile.process, hostile);
  EXPECT_EQ(data->profiles.at(0).profile.build_id, hostile);
  RunFilter filter;
  filter.project = hostile;
  filter.branch = hostile;
  EXPECT_THAT(RunKeys(store_->reading.ListRuns(filter)), ElementsAre(hostile));
}

TEST_P(StoreContractTest, TheLongestTextsFit) {
  const std::string longest(1000, 'x');
  NewExecution execution = MakeExecution();
  for (const RunColumn& column : RunColumns()) {
    if (column.type != RunColumn::Type::kText) continue;
    column.write(std::string(column.max_bytes, 'x'), execution.run);
  }
  execution.run.ancestors = std::vector<std::string>(1000, longest);
  execution.execution.target = longest;
  execution.profiles[0].process = longest;
  execution.profiles[0].build_id = longest;
  execution.images[0].build_id = longest;
  const RecordedExecution recorded = Record(*store_, execution);
  EXPECT_THAT(store_->reading.ReadRun(recorded.run_id)->ancestors, SizeIs(1000));
}

TEST_P(StoreContractTest, WhatCannotBeStoredIsAnInvalidArgument) {
  struct Case {
    const char* name;
    void (*spoil)(NewExecution&);
  };
  const Case cases[] = {
      {"bad ancestor", [](NewExecution& e) { e.run.ancestors = {"\xFF"}; }},
      {"too many ancestors", [](NewExecution& e) { e.run.ancestors.assign(1001, "a"); }},
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
      {"data is no hash", [](NewExecution& e) { e.profiles[0].data = "../../etc/passwd"; }},
      {"bundle in capitals", [](NewExecution& e) { e.images[0].bundle.assign(64, 'A'); }},
      {"blob is no hash", [](NewExecution& e) { e.blobs[0].name = std::string(64, '/'); }},
      {"blob of nothing", [](NewExecution& e) { e.blobs.push_back(MakeBlob("stray")); }},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    NewExecution execution = MakeExecution();
    each.spoil(execution);
    EXPECT_EQ(Code(store_->ingest.RecordExecution(execution, kNow)),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(NoJob(*store_));
}

TEST_P(StoreContractTest, TextsOfARunAreChecked) {
  for (const RunColumn& column : RunColumns()) {
    if (column.type != RunColumn::Type::kText) continue;
    SCOPED_TRACE(column.name);
    std::vector<std::string> bad = {"\xFF", "caf\xE9", std::string("a\0b", 3),
                                    std::string(column.max_bytes + 1, 'x')};
    if (column.min_bytes > 0) bad.emplace_back();
    for (const std::string& text : bad) {
      NewExecution execution = MakeExecution();
      column.write(text, execution.run);
      EXPECT_EQ(Code(store_->ingest.RecordExecution(execution, kNow)),
                absl::StatusCode::kInvalidArgument)
          << text;
    }
  }
  EXPECT_TRUE(NoJob(*store_));
}

TEST_P(StoreContractTest, HostileQuestionsAreInvalidArguments) {
  const std::string bad("\xFF\0", 2);
  constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(Code(store_->blobs.FindMissing("sqlite", {"../secret"})), kInvalid);
  EXPECT_EQ(Code(store_->blobs.Read(bad)), kInvalid);
  EXPECT_EQ(Code(store_->blobs.Read("")), kInvalid);
  EXPECT_EQ(Code(store_->jobs.Claim(bad, kNow, kLease, kAttempts)), kInvalid);
  EXPECT_EQ(Code(store_->reading.ReadTargetData(1, bad)), kInvalid);
  EXPECT_EQ(Code(store_->reading.FindBaselineRuns(bad, "", {"a"}, 1)), kInvalid);
  EXPECT_EQ(Code(store_->reading.FindBaselineRuns("p", bad, {"a"}, 1)), kInvalid);
  EXPECT_EQ(Code(store_->reading.FindBaselineRuns("p", "", {bad}, 1)), kInvalid);
  EXPECT_EQ(Code(store_->reading.ReadPoints({bad, {"main"}, "", 0, 1, 1})), kInvalid);
  EXPECT_EQ(Code(store_->reading.ReadPoints({"sqlite", {bad}, "", 0, 1, 1})), kInvalid);
  EXPECT_EQ(Code(store_->reading.ReadPoints({"sqlite", {"main"}, bad, 0, 1, 1})), kInvalid);
  EXPECT_EQ(Code(store_->tokens.Create(MakeToken(bad, "", "x"), kSomebody)), kInvalid);
  EXPECT_EQ(Code(store_->tokens.Find(bad)), kInvalid);
  EXPECT_EQ(Code(store_->tokens.List(bad)), kInvalid);
  for (std::string RunFilter::*field : {&RunFilter::project, &RunFilter::branch, &RunFilter::commit,
                                        &RunFilter::pull_request, &RunFilter::configuration}) {
    RunFilter filter;
    filter.project = "sqlite";
    filter.*field = bad;
    EXPECT_EQ(Code(store_->reading.ListRuns(filter)), kInvalid);
  }
}

// ---- Blobs ----

TEST_P(StoreContractTest, MissingBlobsComeInTheOrderAskedFor) {
  const NewExecution execution = MakeExecution();
  Record(*store_, execution);
  const BlobName zebra = NameBlob("zebra");
  const BlobName ant = NameBlob("ant");
  EXPECT_THAT(*store_->blobs.FindMissing("sqlite", {zebra, execution.blobs[0].name, ant}),
              ElementsAre(zebra, ant));
  EXPECT_THAT(*store_->blobs.FindMissing("sqlite", {}), IsEmpty());
}

TEST_P(StoreContractTest, TenThousandBlobsCanBeAskedForAtOnce) {
  std::vector<BlobName> names;
  for (int i = 0; i < 10000; ++i) names.push_back(NameBlob(absl::StrCat(i)));
  EXPECT_EQ(*store_->blobs.FindMissing("sqlite", names), names);
}

TEST_P(StoreContractTest, ABlobOfAnyBytesComesBackUnchanged) {
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte.push_back(static_cast<char>(i));
  NewExecution execution = MakeExecution();
  execution.blobs[0] = MakeBlob(every_byte + "\\x" + every_byte);
  execution.profiles[0].data = execution.blobs[0].name;
  execution.blobs[1] = MakeBlob("");
  execution.images[0].bundle = execution.blobs[1].name;
  Record(*store_, execution);
  EXPECT_EQ(*store_->blobs.Read(execution.blobs[0].name), execution.blobs[0].bytes);
  EXPECT_EQ(*store_->blobs.Read(execution.blobs[1].name), "");
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
  execution.profiles[0].data = execution.blobs[0].name;
  Record(*store_, execution);
  const absl::StatusOr<std::string> read = store_->blobs.Read(execution.blobs[0].name);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(*read == execution.blobs[0].bytes);
}

TEST_P(StoreContractTest, ABlobThatNoLongerHashesToItsNameIsDataLoss) {
  NewExecution execution = MakeExecution();
  execution.blobs[0].bytes = "not what was hashed";
  Record(*store_, execution);
  EXPECT_EQ(Code(store_->blobs.Read(execution.blobs[0].name)), absl::StatusCode::kDataLoss);
}

TEST_P(StoreContractTest, AnUnknownBlobIsNotFound) {
  EXPECT_EQ(Code(store_->blobs.Read(NameBlob("nobody sent this"))), absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, AnExecutionMayHaveThousandsOfProfiles) {
  NewExecution execution = MakeExecution();
  for (int i = 0; i < 5000; ++i) {
    execution.profiles.push_back({absl::StrCat("process ", i), "b1d1", execution.profiles[0].data});
  }
  const RecordedExecution recorded = Record(*store_, execution);
  EXPECT_EQ(OnlyTarget(*store_, recorded.run_id).profiles, 5001u);
  EXPECT_TRUE(Record(*store_, execution).already_present);
}

}  // namespace

}  // namespace gprofhub::store
