// Contract tests: backup and restore.
#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "store/contract/upkeep_helpers.h"
#include "store/copy_rows.h"
#include "store/open_store.h"
#include "store/testing/temp_store.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

BackupOptions Options(absl::Time now = kNow) {
  BackupOptions options;
  options.by = kOperator;
  options.now = [now] { return now; };
  return options;
}

// Results of many queries on a store, for comparison.
std::string Answers(const Store& store) {
  std::string text;
  RunFilter filter;
  filter.project = "sqlite";
  filter.limit = 1000;
  const auto runs = store.reading.ListRuns(filter);
  EXPECT_TRUE(runs.ok()) << runs.status();
  for (const RunRecord& run : *runs) {
    absl::StrAppend(&text, run.id, " ", run.run_key, " ", run.commit, " ",
                    absl::ToUnixMicros(run.ordered), "\n");
    const auto targets = store.reading.ListTargets(run.id);
    EXPECT_TRUE(targets.ok()) << targets.status();
    for (const TargetRecord& target : *targets) {
      absl::StrAppend(&text, "  ", target.label, " ", static_cast<int>(target.state), " ",
                      target.executions, " ", target.profiles, " ", target.computed, "\n");
      if (!target.computed.empty()) absl::StrAppend(&text, *store.blobs.Read(target.computed));
      const auto data = store.reading.ReadTargetData(run.id, target.label);
      EXPECT_TRUE(data.ok()) << data.status();
      for (const TargetData::Profile& profile : data->profiles) {
        absl::StrAppend(&text, *store.blobs.Read(profile.profile.data), "/",
                        *store.blobs.Read(profile.bundle), "\n");
      }
    }
    for (const std::string& points : OpenPoints(store, run.id, "", 7)) {
      absl::StrAppend(&text, "  ", points, "\n");
    }
  }
  return text;
}

// Adds at least one of each kind of record.
void Fill(const Store& store) {
  for (int i = 0; i < 3; ++i) {
    Record(store, MakeExecution(absl::StrCat("run ", i)));
    if (i != 0) Analyze(store, absl::StrCat("computed ", i));
  }
  EXPECT_OK(store.tokens.Create(MakeToken("sqlite", "ci", "hash"), kOperator));
  NotificationRecord record;
  record.key = "event 1";
  record.channel = "chat";
  record.project = "sqlite";
  record.series = "main";
  record.content = "slower";
  EXPECT_OK(store.notifications.Put({record}, /*deliver=*/true, kNow));
}

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST_P(StoreContractTest, ARestoredStoreGivesTheSameAnswers) {
  Fill(*store_);
  const std::string folder = MakeTempDir();
  EXPECT_EQ(*upkeep().backups.Last(), absl::InfinitePast());
  const auto backup = MakeBackup(home_->location(), folder + "/backup", Options());
  ASSERT_TRUE(backup.ok()) << backup.status();
  EXPECT_EQ(backup->blobs, 6u);
  EXPECT_EQ(*upkeep().backups.Last(), kNow);
  EXPECT_EQ(CountAudit(*store_, "store.backup"), 1);
  EXPECT_THAT(FilesIn(folder), ElementsAre("backup"));
  EXPECT_EQ(fs::status(folder + "/backup").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  const std::string answers = Answers(*store_);
  ASSERT_THAT(answers, HasSubstr("computed 2"));
  Record(*store_, MakeExecution("after the backup"));

  // Restores into a store of the same engine, and into an embedded one.
  const std::unique_ptr<StoreHome> home = GetParam()();
  const std::string embedded = "sqlite:" + folder + "/embedded";
  for (const std::string& location : {home->location(), embedded}) {
    const auto restored = RestoreBackup(folder + "/backup", location, Options());
    ASSERT_TRUE(restored.ok()) << restored.status();
    EXPECT_EQ(restored->blobs, 6u);
    const auto store = OpenWholeStore(location, OpenMode::kCreate);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(Answers(store->store), answers);
    EXPECT_OK(store->store.tokens.Find("hash"));
    EXPECT_THAT(*store->store.notifications.List("sqlite"), SizeIs(1));
    EXPECT_EQ(CountAudit(store->store, "run.create"), 3);
    EXPECT_EQ(CountAudit(store->store, "store.restore"), 1);
    EXPECT_THAT(Kinds(store->upkeep), IsEmpty());
    // The restored store is writable: new rows get new numbers.
    EXPECT_FALSE(Record(store->store, MakeExecution("new")).already_present);
    EXPECT_OK(store->store.tokens.Create(MakeToken("sqlite", "new", "new hash"), kOperator));
    EXPECT_THAT(*store->store.tokens.List("sqlite"), SizeIs(2));
  }
}

TEST_P(StoreContractTest, ABackupOfAnEmptyStoreIsOne) {
  const std::string folder = MakeTempDir();
  ASSERT_TRUE(MakeBackup(home_->location(), folder + "/backup", Options()).ok());
  const auto restored =
      RestoreBackup(folder + "/backup", "sqlite:" + folder + "/restored", Options());
  EXPECT_TRUE(restored.ok()) << restored.status();
}

TEST_P(StoreContractTest, NothingIsOverwritten) {
  Fill(*store_);
  const std::string folder = MakeTempDir();
  ASSERT_TRUE(MakeBackup(home_->location(), folder + "/backup", Options()).ok());
  EXPECT_EQ(Code(MakeBackup(home_->location(), folder + "/backup", Options())),
            absl::StatusCode::kAlreadyExists);
  const std::string before = Answers(*store_);
  const auto refused = RestoreBackup(folder + "/backup", home_->location(), Options());
  EXPECT_EQ(Code(refused), absl::StatusCode::kFailedPrecondition) << refused.status();
  EXPECT_EQ(Answers(*store_), before);
  EXPECT_EQ(Code(RestoreBackup(folder, home_->location(), Options())), absl::StatusCode::kNotFound);
  EXPECT_THAT(FilesIn(folder), ElementsAre("backup"));
}

// Large enough that an embedded store writes it as a file.
NewExecution WithLargeBundle() {
  NewExecution execution = MakeExecution("large");
  const Blob bundle = MakeBlob(std::string(1 << 20, 's'));
  execution.images[0].bundle = bundle.name;
  execution.blobs[1] = bundle;
  return execution;
}

// Makes a store folder with the backup as its database.
std::string AsStore(const std::string& backup) {
  const std::string folder = MakeTempDir();
  fs::copy_file(backup, folder + "/gprofhub.db");
  return folder;
}

void DamageBackup(const std::string& backup, const std::string& statement) {
  const std::string folder = AsStore(backup);
  {
    const auto engine = OpenEngine("sqlite:" + folder, OpenMode::kCreate);
    ASSERT_TRUE(engine.ok()) << engine.status();
    Do(*engine->database, statement);
  }
  fs::copy_file(folder + "/gprofhub.db", backup, fs::copy_options::overwrite_existing);
}

TEST_P(StoreContractTest, WhatIsNoBackupIsNotRestored) {
  const std::string folder = MakeTempDir();
  const auto restore = [&](const std::string& file) {
    return Code(RestoreBackup(folder + file, "sqlite:" + folder + "/restored", Options()));
  };
  EXPECT_EQ(restore("/nothing"), absl::StatusCode::kNotFound);
  EXPECT_EQ(restore(""), absl::StatusCode::kNotFound) << "a folder";
  std::ofstream(folder + "/text") << std::string(4096, '#');
  EXPECT_EQ(restore("/text"), absl::StatusCode::kDataLoss);
  ASSERT_TRUE(MakeBackup(home_->location(), folder + "/backup", Options()).ok());
  fs::resize_file(folder + "/backup", fs::file_size(folder + "/backup") / 2);
  EXPECT_EQ(restore("/backup"), absl::StatusCode::kDataLoss) << "cut";
  EXPECT_THAT(FilesIn(folder), ElementsAre("backup", "text"));
}

TEST_P(StoreContractTest, AnotherProgramsDatabaseIsNotRestored) {
  const std::string folder = MakeTempDir();
  ASSERT_TRUE(MakeBackup(home_->location(), folder + "/backup", Options()).ok());
  DamageBackup(folder + "/backup", "PRAGMA user_version = 0");
  const auto refused = RestoreBackup(folder + "/backup", "sqlite:" + folder + "/store", Options());
  EXPECT_EQ(Code(refused), absl::StatusCode::kDataLoss) << refused.status();
  EXPECT_THAT(FilesIn(folder), ElementsAre("backup"));
}

TEST_P(StoreContractTest, ABackupWithATriggerIsNotRestored) {
  Fill(*store_);
  const std::string folder = MakeTempDir();
  ASSERT_TRUE(MakeBackup(home_->location(), folder + "/backup", Options()).ok());
  DamageBackup(folder + "/backup",
               "CREATE TRIGGER obey AFTER INSERT ON token BEGIN UPDATE token SET scopes = 'admin'; "
               "END");
  const std::unique_ptr<StoreHome> home = GetParam()();
  for (const std::string& location : {"sqlite:" + folder + "/store", home->location()}) {
    const auto refused = RestoreBackup(folder + "/backup", location, Options());
    EXPECT_EQ(Code(refused), absl::StatusCode::kDataLoss) << refused.status();
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("trigger \"obey\""));
  }
  EXPECT_THAT(FilesIn(folder), ElementsAre("backup"));
}

TEST_P(StoreContractTest, ARefusedRestoreLeavesNoFolder) {
  const std::string folder = MakeTempDir();
  const std::string place = "sqlite:" + folder + "/new/folders/store/";
  ASSERT_TRUE(MakeBackup(home_->location(), folder + "/backup", Options()).ok());
  fs::copy_file(folder + "/backup", folder + "/cut");
  fs::resize_file(folder + "/cut", fs::file_size(folder + "/cut") / 2);
  EXPECT_EQ(Code(RestoreBackup(folder + "/cut", place, Options())), absl::StatusCode::kDataLoss);
  EXPECT_THAT(FilesIn(folder), ElementsAre("backup", "cut"));
  EXPECT_OK(RestoreBackup(folder + "/backup", place, Options()));
  EXPECT_OK(OpenStore(place, OpenMode::kExisting));
  EXPECT_THAT(FilesIn(folder), ElementsAre("backup", "cut", "new"));
}

TEST_P(StoreContractTest, OnlyCreatingMakesAStore) {
  const std::unique_ptr<StoreHome> home = GetParam()();
  const std::string missing = MakeTempDir() + "/missing";
  for (const OpenMode mode : {OpenMode::kExisting, OpenMode::kReplica, OpenMode::kExisting}) {
    for (const std::string& location : {home->location(), missing}) {
      const auto refused = OpenStore(location, mode);
      EXPECT_EQ(Code(refused), absl::StatusCode::kNotFound) << refused.status();
      EXPECT_EQ(Code(MakeBackup(location, missing + ".db", Options())),
                absl::StatusCode::kNotFound);
    }
  }
  EXPECT_FALSE(fs::exists(missing));
  EXPECT_FALSE(fs::exists(missing + ".db"));
  EXPECT_OK(OpenStore(home->location(), OpenMode::kCreate));
  EXPECT_OK(OpenStore(home->location(), OpenMode::kExisting));
}

TEST_P(StoreContractTest, ABackupOfAnotherSchemaVersionIsNotRestored) {
  Fill(*store_);
  const std::string folder = MakeTempDir();
  ASSERT_TRUE(MakeBackup(home_->location(), folder + "/backup", Options()).ok());
  DamageBackup(folder + "/backup", "PRAGMA user_version = 999");
  const std::unique_ptr<StoreHome> home = GetParam()();
  for (const std::string& location : {"sqlite:" + folder + "/embedded", home->location()}) {
    const auto refused = RestoreBackup(folder + "/backup", location, Options());
    EXPECT_EQ(Code(refused), absl::StatusCode::kFailedPrecondition) << refused.status();
    EXPECT_THAT(std::string(refused.status().message()), StartsWith(folder + "/backup: "));
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("schema version 999"));
  }
  EXPECT_THAT(FilesIn(folder), ElementsAre("backup"));
}

TEST_P(StoreContractTest, ADamagedBackupIsNotRestored) {
  Fill(*store_);
  Record(*store_, WithLargeBundle());
  const BlobName name = WithLargeBundle().images[0].bundle;
  const std::string folder = MakeTempDir();
  ASSERT_TRUE(MakeBackup(home_->location(), folder + "/backup", Options()).ok());
  const std::unique_ptr<StoreHome> home = GetParam()();
  const std::string embedded = "sqlite:" + folder + "/embedded";
  const auto expect_refusal = [&] {
    for (const std::string& location : {embedded, home->location()}) {
      const auto refused = RestoreBackup(folder + "/backup", location, Options());
      EXPECT_EQ(Code(refused), absl::StatusCode::kDataLoss) << refused.status();
      EXPECT_THAT(std::string(refused.status().message()), HasSubstr(name));
    }
    EXPECT_THAT(FilesIn(folder), ElementsAre("backup"));
  };
  const std::string own = absl::StrCat("WHERE name = '", name, "'");
  DamageBackup(folder + "/backup",
               absl::StrCat("UPDATE small_blob SET bytes = x'53796d626f6c73' ", own));
  expect_refusal();
  DamageBackup(folder + "/backup", absl::StrCat("DELETE FROM small_blob ", own));
  expect_refusal();
  const absl::StatusOr<sql::Engine> untouched = home->Open();
  ASSERT_TRUE(untouched.ok()) << untouched.status();
  EXPECT_EQ(Answers(Store(*untouched)), "");
}

TEST_P(StoreContractTest, SmallAndLargeBlobsAreRestoredAlike) {
  Fill(*store_);
  Record(*store_, WithLargeBundle());
  const std::string folder = MakeTempDir();
  ASSERT_TRUE(MakeBackup(home_->location(), folder + "/backup", Options()).ok());
  const std::unique_ptr<StoreHome> home = GetParam()();
  for (const std::string& location : {"sqlite:" + folder + "/embedded", home->location()}) {
    const auto restored = RestoreBackup(folder + "/backup", location, Options());
    ASSERT_TRUE(restored.ok()) << restored.status();
    const auto store = OpenWholeStore(location, OpenMode::kCreate);
    ASSERT_TRUE(store.ok()) << store.status();
    for (const Blob& blob : WithLargeBundle().blobs) {
      EXPECT_EQ(*store->store.blobs.Read(blob.name), blob.bytes);
    }
    if (absl::StartsWith(location, "sqlite:")) {
      const std::string place = location.substr(sizeof("sqlite:") - 1);
      const BlobName name = WithLargeBundle().images[0].bundle;
      EXPECT_TRUE(
          fs::exists(absl::StrCat(place, "/blobs/", name.substr(0, 2), "/", name.substr(2))));
      EXPECT_LT(fs::file_size(place + "/gprofhub.db"), uint64_t{1} << 20) << "and is no row";
    }
    EXPECT_EQ(*store->store.blobs.Read(NameBlob("symbols")), "symbols");
  }
}

TEST_P(StoreContractTest, ADamagedStoreHasNoGoodBackup) {
  Fill(*store_);
  home_->DamageRows("DELETE FROM job");
  const std::string folder = MakeTempDir();
  const auto backup = MakeBackup(home_->location(), folder + "/backup", Options());
  EXPECT_EQ(Code(backup), absl::StatusCode::kDataLoss) << backup.status();
  EXPECT_THAT(std::string(backup.status().message()), HasSubstr("target.without-job"));
  EXPECT_THAT(FilesIn(folder), IsEmpty());
  EXPECT_EQ(*upkeep().backups.Last(), absl::InfinitePast());
}

TEST_P(StoreContractTest, BackupsBesideUploadsAndCollectionsAreWhole) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  others.emplace_back([&] {
    for (int i = 0; !stop; ++i) {
      const int64_t run_id = Record(*store_, MakeExecution(absl::StrCat("run ", i))).run_id;
      if (i % 3 == 0) {
        EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kNow));
      }
    }
  });
  others.emplace_back([&] {
    CollectOptions options;
    options.now = [] { return kNow; };
    options.grace = absl::ZeroDuration();
    while (!stop) {
      const auto collected = upkeep().garbage.Collect(options, kOperator);
      EXPECT_TRUE(collected.ok() || absl::IsUnavailable(collected.status())) << collected.status();
    }
  });
  const std::string folder = MakeTempDir();
  for (int i = 0; i < 3; ++i) {
    const std::string place = absl::StrCat(folder, "/", i);
    const auto backup = MakeBackup(home_->location(), place, Options());
    EXPECT_TRUE(backup.ok()) << backup.status();
    const auto copy = OpenWholeStore("sqlite:" + AsStore(place), OpenMode::kCreate);
    ASSERT_TRUE(copy.ok()) << copy.status();
    EXPECT_THAT(Kinds(copy->upkeep, /*damages_only=*/true), IsEmpty());
  }
  stop = true;
  for (std::thread& other : others) other.join();
}

}  // namespace

}  // namespace gprofhub::store
