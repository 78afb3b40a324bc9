// Contract tests: old blobs are delta-encoded; readers notice no difference but in disk space.
#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/archive/held_blob.h"
#include "store/contract/upkeep_helpers.h"
#include "store/copy_rows.h"
#include "store/sql/engine.h"
#include "store/testing/temp_store.h"

namespace gprofhub::store {

namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

constexpr absl::Duration kDay = absl::Hours(24);

DeltaOptions At(absl::Time now) {
  DeltaOptions options;
  options.now = [now] { return now; };
  options.older_than = kDay;
  return options;
}

DeltaResult Encode(const Upkeep& upkeep, const DeltaOptions& options = At(kNow + kDay)) {
  const absl::StatusOr<DeltaResult> encoded = upkeep.delta_encoding.Encode(options);
  EXPECT_TRUE(encoded.ok()) << encoded.status();
  return encoded.ok() ? *encoded : DeltaResult();
}

// Incompressible bytes, determined by the seed.
std::string Noise(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// A run of one test after a small change: its symbols and its profile in the clients' format.
struct Change {
  std::string symbols;
  std::string profile;
  NewExecution execution;

  explicit Change(int number, size_t size = 20'000)
      : symbols(absl::StrCat(Noise(size, 1), "symbols of commit ", number)),
        profile(absl::StrCat("calls at commit ", number, Noise(size, 2))),
        execution(MakeExecution(absl::StrCat("run ", number))) {
    const Blob bundle = MakeBlob(FrameOf(symbols));
    const Blob gmon = MakeBlob(FrameOf(profile));
    execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
    execution.images = {{"b1d1", bundle.name}};
    execution.blobs = {gmon, bundle};
  }
  const BlobName& bundle() const { return execution.images[0].bundle; }
  const BlobName& gmon() const { return execution.profiles[0].data; }
};

std::vector<Change> RecordChanges(const Store& store, int count, size_t size = 20'000) {
  std::vector<Change> changes;
  for (int i = 1; i <= count; ++i) {
    changes.emplace_back(i, size);
    Record(store, changes.back().execution);
  }
  return changes;
}

std::string ContentIn(const Store& store, const BlobName& name) {
  const absl::StatusOr<std::string> bytes = store.blobs.Read(name);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? ContentOf(*bytes)->bytes : "";
}

void ExpectAllThere(const Store& store, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    EXPECT_EQ(ContentIn(store, change.bundle()), change.symbols);
    EXPECT_EQ(ContentIn(store, change.gmon()), change.profile);
  }
}

TEST_P(StoreContractTest, OldBlobsBecomeDeltas) {
  const std::vector<Change> changes = RecordChanges(*store_, 5);
  const DeltaResult encoded = Encode(upkeep());
  EXPECT_EQ(encoded.targets, 5u);
  EXPECT_EQ(encoded.blobs, 8u) << "the first of each kind stays whole";
  EXPECT_GT(encoded.bytes_before, 8 * 20'000u);
  EXPECT_LT(encoded.bytes_after, 8 * 100u);
  ExpectAllThere(*store_, changes);
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
  EXPECT_EQ(*store_->blobs.Read(changes[0].bundle()), changes[0].execution.blobs[1].bytes);
  EXPECT_EQ(Encode(upkeep()).targets, 0u) << "it is done";
}

TEST_P(StoreContractTest, YoungBlobsStayWhole) {
  const std::vector<Change> changes = RecordChanges(*store_, 2);
  Record(*store_, Change(3).execution, kNow + absl::Hours(1));
  EXPECT_EQ(Encode(upkeep(), At(kNow + kDay - absl::Seconds(1))).targets, 0u);
  EXPECT_EQ(*store_->blobs.Read(changes[1].bundle()), changes[1].execution.blobs[1].bytes);
  EXPECT_EQ(Encode(upkeep(), At(kNow + kDay)).blobs, 2u);
  EXPECT_EQ(Encode(upkeep(), At(kNow + kDay + absl::Hours(1))).blobs, 2u);
}

TEST_P(StoreContractTest, DeltaOfUnframedBlobIsByteExact) {
  std::vector<Change> changes = {Change(1), Change(2)};
  for (Change& change : changes) {
    const Blob gmon = MakeBlob(change.profile);
    change.execution.profiles[0].data = gmon.name;
    change.execution.blobs[0] = gmon;
    Record(*store_, change.execution);
  }
  EXPECT_EQ(Encode(upkeep()).blobs, 2u);
  EXPECT_EQ(*store_->blobs.Read(changes[1].gmon()), changes[1].profile);
}

TEST_P(StoreContractTest, SmallBlobsAreNotEncoded) {
  for (int i = 0; i < 3; ++i) {
    Record(*store_, MakeExecution(absl::StrCat("run ", i)));
    Analyze(*store_);
  }
  const DeltaResult encoded = Encode(upkeep());
  EXPECT_EQ(encoded.targets, 3u);
  EXPECT_EQ(encoded.blobs, 0u);
}

TEST_P(StoreContractTest, LargeDeltasLeaveNoFile) {
  const std::vector<Change> changes = RecordChanges(*store_, 3, 300'000);
  EXPECT_EQ(Encode(upkeep()).blobs, 4u);
  ExpectAllThere(*store_, changes);
  size_t files = 0;
  for (int part = 0; part < engine_->blob_bytes->parts(); ++part) {
    files += engine_->blob_bytes->List(part)->size();
  }
  EXPECT_EQ(files, engine_->blob_bytes->parts() == 0 ? 0u : 2u) << "the bases'";
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

TEST_P(StoreContractTest, EachTestAndConfigurationHasItsOwnBase) {
  RecordChanges(*store_, 2);
  Change other(3);
  other.execution.execution.target = "//db:other_test";
  Record(*store_, other.execution);
  Change debug(4);
  debug.execution.run.configuration = "k8-dbg";
  Record(*store_, debug.execution);
  Change branch(5);
  branch.execution.run.branch = "feature";
  branch.execution.run.base_commit = "2222222222222222222222222222222222222222";
  Record(*store_, branch.execution);
  EXPECT_EQ(Encode(upkeep()).blobs, 4u) << "those of run 2, and of the branch";
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_base"), 6);
}

void RecordWithSymbols(const Store& store, int number, const std::string& symbols) {
  Change change(number);
  const Blob bundle = MakeBlob(FrameOf(symbols));
  change.execution.images[0].bundle = bundle.name;
  change.execution.blobs[1] = bundle;
  Record(store, change.execution);
}

TEST_P(StoreContractTest, SeriesFarFromItsBaseGetsNewBase) {
  std::string symbols = Noise(20'000, 1);
  for (int i = 1; i <= 8; ++i) {
    RecordWithSymbols(*store_, i, symbols);
    symbols.replace((i - 1) * 2'000, 2'000, Noise(2'000, 100 + i));
  }
  Encode(upkeep());
  // Against the first as base, run 2 takes 2,000 bytes, and runs 3 and 4 take more than that
  // together. Run 4 takes more than a quarter of its size there, so it stays whole. The same holds
  // for run 7.
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_base"), 1 + 3);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_delta"), 7 + 5);
  EXPECT_THAT(Kinds(upkeep(), true), IsEmpty()) << "all is there, whatever it is encoded against";
}

TEST_P(StoreContractTest, DeltaBaseSentAgainBecomesWhole) {
  std::vector<Change> changes;
  std::string symbols = Noise(20'000, 1);
  for (int i = 1; i <= 5; ++i) {
    Change change(i);
    change.symbols = symbols;
    const Blob bundle = MakeBlob(FrameOf(symbols));
    change.execution.images[0].bundle = bundle.name;
    change.execution.blobs[1] = bundle;
    Record(*store_, change.execution);
    changes.push_back(change);
    symbols.replace((i - 1) * 500, 500, Noise(500, 100 + i));
  }
  EXPECT_EQ(Encode(upkeep()).blobs, 8u);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_base JOIN blob_delta USING (name)"), 1)
      << "of the fourth run, which the fifth is encoded against";
  ExpectAllThere(*store_, changes);
  NewExecution again = changes[3].execution;
  again.run.project = "other";
  EXPECT_FALSE(Record(*store_, again).already_present);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_base JOIN blob_delta USING (name)"), 0);
  ExpectAllThere(*store_, changes);
  EXPECT_THAT(Kinds(upkeep(), true), IsEmpty());
}

TEST_P(StoreContractTest, RandomDifferencesKeepTheBase) {
  for (int i = 1; i <= 8; ++i) {
    RecordWithSymbols(*store_, i, Noise(8'000, 100 + i) + Noise(12'000, 1));
  }
  Encode(upkeep());
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_base"), 1 + 1);
}

void SendEncodedBlobAgain(const Store& store, const Upkeep& upkeep, size_t size) {
  const std::vector<Change> changes = RecordChanges(store, 2, size);
  EXPECT_EQ(Encode(upkeep).blobs, 2u);
  NewExecution again = changes[1].execution;
  again.run.project = "other";
  EXPECT_FALSE(Record(store, again).already_present);
  EXPECT_EQ(*store.blobs.Read(changes[1].bundle()), again.blobs[1].bytes);
  EXPECT_TRUE(Record(store, changes[1].execution).already_present);
  ExpectAllThere(store, changes);
  EXPECT_THAT(Kinds(upkeep), IsEmpty());
}

TEST_P(StoreContractTest, DeltaSentAgainBecomesWhole) {
  SendEncodedBlobAgain(*store_, upkeep(), 20'000);
}

TEST_P(StoreContractTest, LargeDeltaSentAgainBecomesWhole) {
  SendEncodedBlobAgain(*store_, upkeep(), 300'000);
}

TEST_P(StoreContractTest, UploadNeedNotSendDeltas) {
  const std::vector<Change> changes = RecordChanges(*store_, 2);
  Encode(upkeep());
  EXPECT_THAT(*store_->blobs.FindToSend("sqlite", {changes[1].bundle(), changes[1].gmon()}),
              IsEmpty());
  NewExecution again = changes[1].execution;
  again.run.run_key = "once more";
  again.blobs.clear();
  EXPECT_FALSE(Record(*store_, again).already_present);
  ExpectAllThere(*store_, changes);
}

TEST_P(StoreContractTest, BaseIsKeptWhileDeltasNeedIt) {
  const std::vector<Change> changes = RecordChanges(*store_, 3);
  Encode(upkeep());
  CollectOptions options;
  absl::Time now = kNow + kDay;
  options.now = [&now] { return now; };
  const auto collect = [&] {
    EXPECT_TRUE(upkeep().garbage.Collect(options, kOperator).ok());
    now += kDay;
  };
  EXPECT_OK(store_->removal.DeleteRun("sqlite", 1, kOperator, kNow));
  collect();
  collect();
  ExpectAllThere(*store_, {changes[1], changes[2]});
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
  EXPECT_OK(store_->removal.DeleteRun("sqlite", 2, kOperator, kNow));
  EXPECT_OK(store_->removal.DeleteRun("sqlite", 3, kOperator, kNow));
  for (int i = 0; i < 4; ++i) collect();
  for (const std::string table : {"blob", "blob_delta", "blob_base", "blob_series"}) {
    EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM " + table), 0) << table;
  }
}

TEST_P(StoreContractTest, DeltaEncodingWaitsForBackup) {
  const std::vector<Change> changes = RecordChanges(*store_, 2);
  const absl::Time later = kNow + kDay;
  EXPECT_OK(database().Write([&](sql::Session& session) {
    return sql::SetProperty(session, sql::kBackupLease,
                            absl::ToUnixMicros(later + absl::Minutes(1)));
  }));
  EXPECT_EQ(Code(upkeep().delta_encoding.Encode(At(later))), absl::StatusCode::kUnavailable);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_delta"), 0);
  EXPECT_EQ(Encode(upkeep(), At(later + absl::Minutes(1))).blobs, 2u);
  ExpectAllThere(*store_, changes);
}

TEST_P(StoreContractTest, InterruptedDeltaEncodingContinues) {
  const std::vector<Change> changes = RecordChanges(*store_, 6);
  DeltaOptions options = At(kNow + kDay);
  options.targets_at_once = 1;
  options.pause = [](const DeltaResult&) { return absl::CancelledError("the process ends"); };
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(Code(upkeep().delta_encoding.Encode(options)), absl::StatusCode::kCancelled);
    ExpectAllThere(*store_, changes);
    EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_delta"), 2 * i);
  }
  EXPECT_EQ(Encode(upkeep()).targets, 0u);
}

TEST_P(StoreContractTest, ConcurrentReadsAndDeltaEncodingsSucceed) {
  const std::vector<Change> changes = RecordChanges(*store_, 12);
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) ExpectAllThere(*store_, changes);
  });
  std::thread encoder([&] {
    DeltaOptions options = At(kNow + kDay);
    options.targets_at_once = 2;
    EXPECT_TRUE(upkeep().delta_encoding.Encode(options).ok());
  });
  DeltaOptions options = At(kNow + kDay);
  options.targets_at_once = 3;
  EXPECT_TRUE(upkeep().delta_encoding.Encode(options).ok());
  encoder.join();
  done = true;
  reader.join();
  ExpectAllThere(*store_, changes);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_delta"), 22);
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

TEST_P(StoreContractTest, DamagedDeltasAreReported) {
  const std::vector<Change> changes = RecordChanges(*store_, 2);
  Encode(upkeep());
  const auto of_profile = [&](absl::string_view column) {
    return absl::StrCat(column, " = (SELECT ", column, " FROM blob_delta WHERE name = '",
                        changes[1].gmon(), "')");
  };
  for (const std::string& damage :
       {of_profile("base_id"), of_profile("bytes"), std::string("bytes = substr(bytes, 1, 20)")}) {
    home_->DamageRows("CREATE TABLE kept AS SELECT * FROM blob_delta");
    home_->DamageRows("UPDATE blob_delta SET " + damage);
    EXPECT_EQ(Code(store_->blobs.Read(changes[1].bundle())), absl::StatusCode::kDataLoss) << damage;
    EXPECT_THAT(Kinds(upkeep(), true), Contains("blob.damaged")) << damage;
    home_->DamageRows("DELETE FROM blob_delta");
    home_->DamageRows("INSERT INTO blob_delta SELECT * FROM kept");
    home_->DamageRows("DROP TABLE kept");
  }
  ExpectAllThere(*store_, changes);
  home_->DamageRows("DELETE FROM blob_base");
  EXPECT_EQ(Code(store_->blobs.Read(changes[1].bundle())), absl::StatusCode::kDataLoss);
  EXPECT_THAT(Kinds(upkeep(), true), Contains("delta.without-base"));
}

TEST_P(StoreContractTest, BackupWithDeltasRestoresOnBothEngines) {
  std::vector<Change> changes = RecordChanges(*store_, 3);
  Change large(4, 300'000);
  large.execution.execution.target = "//db:large_test";
  Record(*store_, large.execution);
  changes.push_back(large);
  Change changed(5, 300'000);
  changed.execution.execution.target = "//db:large_test";
  Record(*store_, changed.execution);
  changes.push_back(changed);
  EXPECT_EQ(Encode(upkeep()).blobs, 6u);
  const std::string backup = MakeTempDir() + "/backup";
  BackupOptions options;
  options.by = kOperator;
  options.now = [] { return kNow + kDay; };
  const auto made = MakeBackup(home_->location(), backup, options);
  ASSERT_TRUE(made.ok()) << made.status();
  const std::unique_ptr<StoreHome> home = GetParam()();
  const std::string embedded = absl::StrCat("sqlite:", MakeTempDir(), "/store");
  for (const std::string& location : {home->location(), embedded}) {
    const auto restored = RestoreBackup(backup, location, options);
    ASSERT_TRUE(restored.ok()) << restored.status();
    const auto whole = OpenWholeStore(location, OpenMode::kCreate);
    ASSERT_TRUE(whole.ok()) << whole.status();
    ExpectAllThere(whole->store, changes);
    EXPECT_THAT(Kinds(whole->upkeep), IsEmpty());
    EXPECT_EQ(Encode(whole->upkeep).targets, 0u) << "the backup has the last encoded target";
  }
}

}  // namespace

}  // namespace gprofhub::store
