// Contract tests: the oldest blobs move to the archive, and are read as before.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "store/contract/shelf_helpers.h"
#include "store/sql/properties.h"

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

int64_t CountShelved(sql::Database& database) {
  return NumberOf(database, "SELECT count(*) FROM shelved_blob");
}

size_t CountFiles(const sql::Engine& engine) {
  size_t files = 0;
  for (int part = 0; part < engine.blob_bytes->parts(); ++part) {
    files += engine.blob_bytes->List(part)->size();
  }
  return files;
}

void ShelveAndRead(const ShelvedStore& on, const MemoryObjects& shelf, size_t size) {
  const std::vector<NewExecution> sent = RecordNoise(on.store, 3, size);
  const Shelved shelved = Shelve(on.upkeep);
  EXPECT_EQ(shelved.targets, 3u);
  EXPECT_EQ(shelved.boxes, 1u);
  EXPECT_EQ(shelved.blobs, 6u);
  EXPECT_EQ(shelved.bytes, 6 * size);
  EXPECT_EQ(CountShelved(*on.engine.database), 6);
  EXPECT_EQ(CountFiles(on.engine), 0u);
  EXPECT_THAT(shelf.Keys("boxes/"), SizeIs(1));
  ExpectAllThere(on.store, sent);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  EXPECT_EQ(Shelve(on.upkeep).targets, 0u) << "it is done";
}

TEST_P(StoreContractTest, WhatIsOldIsShelvedAndReadAsBefore) {
  const auto shelf = std::make_shared<MemoryObjects>();
  ShelveAndRead(ShelvedStore(*engine_, shelf), *shelf, 10'000);
}

TEST_P(StoreContractTest, LargeBlobsAreShelvedAndLeaveNoFile) {
  const auto shelf = std::make_shared<MemoryObjects>();
  ShelveAndRead(ShelvedStore(*engine_, shelf), *shelf, 200'000);
}

TEST_P(StoreContractTest, ABoxIsReadWithoutTheStore) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  RecordNoise(on.store, 2);
  Shelve(on.upkeep);
  const std::string box = shelf->BytesOf(shelf->Keys("boxes/").at(0));
  const auto blobs = ReadBoxList(box);
  ASSERT_TRUE(blobs.ok()) << blobs.status();
  EXPECT_THAT(*blobs, SizeIs(4));
  for (const BoxedBlob& blob : *blobs) {
    EXPECT_EQ(NameBlob(box.substr(blob.first_byte, blob.length)), blob.name);
  }
}

TEST_P(StoreContractTest, BoxesAreFilledToTheirSize) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 5);
  ShelveOptions options = ShelveAt(kNow + kOld);
  options.box_bytes = 30'000;
  options.only_full = true;
  options.targets_at_once = 2;
  EXPECT_EQ(Shelve(on.upkeep, options).boxes, 3u);
  EXPECT_EQ(CountShelved(database()), 9) << "the last one does not fill a box";
  EXPECT_EQ(Shelve(on.upkeep, options).boxes, 0u);
  options.only_full = false;
  EXPECT_EQ(Shelve(on.upkeep, options).blobs, 1u);
  EXPECT_EQ(Shelve(on.upkeep, options).targets, 0u);
  ExpectAllThere(on.store, sent);
}

TEST_P(StoreContractTest, WhatIsYoungIsNotShelved) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  Record(on.store, NoisyExecution(1));
  Record(on.store, NoisyExecution(2), kNow + kDay);
  EXPECT_EQ(Shelve(on.upkeep, ShelveAt(kNow + kOld - absl::Seconds(1))).blobs, 0u);
  EXPECT_EQ(Shelve(on.upkeep, ShelveAt(kNow + kOld)).blobs, 2u);
  EXPECT_EQ(Shelve(on.upkeep, ShelveAt(kNow + kOld + kDay)).blobs, 2u);
}

TEST_P(StoreContractTest, ABlobIsAsOldAsTheNewestRunThatNamesIt) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  const NewExecution first = NoisyExecution(1);
  NewExecution second = NoisyExecution(2);
  second.images = first.images;
  second.blobs[1] = first.blobs[1];
  Record(on.store, first);
  Record(on.store, second, kNow + kDay);
  EXPECT_EQ(Shelve(on.upkeep, ShelveAt(kNow + kOld)).blobs, 1u) << "not their symbols";
  EXPECT_EQ(Shelve(on.upkeep, ShelveAt(kNow + kOld + kDay)).blobs, 2u);
  ExpectAllThere(on.store, {first, second});
}

TEST_P(StoreContractTest, WhatANewerRunNamedThatIsNoMoreIsFoundFromTheStart) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  const NewExecution first = NoisyExecution(1);
  NewExecution second = first;
  second.run.run_key = "again";
  Record(on.store, first);
  const int64_t again = Record(on.store, second, kNow + kDay).run_id;
  EXPECT_EQ(Shelve(on.upkeep).blobs, 0u);
  DeleteRun(on, again, kNow + kOld);
  EXPECT_EQ(Shelve(on.upkeep).blobs, 0u);
  ShelveOptions options = ShelveAt(kNow + kOld);
  options.from_start = true;
  EXPECT_EQ(Shelve(on.upkeep, options).blobs, 2u);
}

TEST_P(StoreContractTest, WhatIsSmallStays) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  Record(on.store, MakeExecution());
  EXPECT_EQ(Shelve(on.upkeep).targets, 1u);
  EXPECT_THAT(shelf->Keys("boxes/"), IsEmpty());
}

TEST_P(StoreContractTest, WhatIsPackedStaysAndItsBaseIsReadFromTheShelf) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  std::vector<NewExecution> sent;
  for (unsigned i = 1; i <= 3; ++i) {
    sent.push_back(NoisyExecution(1));
    sent.back().run.run_key = absl::StrCat("change ", i);
    const Blob gmon = MakeBlob(Noise(10'000, 1) + std::string(i, '.'));
    sent.back().profiles[0].data = gmon.name;
    sent.back().blobs[0] = gmon;
    Record(on.store, sent.back());
  }
  PackOptions packing;
  packing.now = [] { return kNow + kOld; };
  EXPECT_EQ(on.upkeep.packing.Pack(packing)->blobs, 2u);
  EXPECT_EQ(Shelve(on.upkeep).blobs, 2u) << "the base, and the symbols";
  ExpectAllThere(on.store, sent);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  // New blobs are delta-encoded against archived ones.
  sent.push_back(sent[0]);
  sent.back().run.run_key = "late";
  const Blob gmon = MakeBlob(Noise(10'000, 1) + "late");
  sent.back().profiles[0].data = gmon.name;
  sent.back().blobs[0] = gmon;
  Record(on.store, sent.back());
  EXPECT_EQ(on.upkeep.packing.Pack(packing)->blobs, 1u);
  ExpectAllThere(on.store, sent);
  EXPECT_EQ(CountShelved(database()), 2) << "a packed one is not shelved, nor the other way";
}

void SendAgain(const ShelvedStore& on, MemoryObjects& shelf, size_t size) {
  const std::vector<NewExecution> sent = RecordNoise(on.store, 2, size);
  Shelve(on.upkeep);
  NewExecution again = sent[1];
  again.run.project = "other";
  Record(on.store, again);
  EXPECT_EQ(CountShelved(*on.engine.database), 2);
  ExpectAllThere(on.store, sent);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  for (const std::string& key : shelf.Keys("boxes/")) shelf.Lose(key);
  ExpectAllThere(on.store, {sent[1]});
}

TEST_P(StoreContractTest, WhoSendsAShelvedBlobAgainMakesItWhole) {
  const auto shelf = std::make_shared<MemoryObjects>();
  SendAgain(ShelvedStore(*engine_, shelf), *shelf, 10'000);
}

TEST_P(StoreContractTest, WhoSendsALargeShelvedBlobAgainMakesItWhole) {
  const auto shelf = std::make_shared<MemoryObjects>();
  SendAgain(ShelvedStore(*engine_, shelf), *shelf, 200'000);
}

TEST_P(StoreContractTest, AnUploadNeedNotSendWhatIsShelved) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  const NewExecution sent = NoisyExecution(1);
  Record(on.store, sent);
  Shelve(on.upkeep);
  const std::vector<BlobName> names = {sent.blobs[0].name, sent.blobs[1].name};
  EXPECT_THAT(*on.store.blobs.FindToSend("sqlite", names), IsEmpty());
  NewExecution again = sent;
  again.run.run_key = "once more";
  again.blobs.clear();
  Record(on.store, again);
  ExpectAllThere(on.store, {sent});
}

TEST_P(StoreContractTest, ShelvingThatIsCutOffAtAnyStepGoesOn) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 4);
  ShelveOptions options = ShelveAt(kNow + kOld);
  options.box_bytes = 20'000;
  options.targets_at_once = 1;
  // Failures before the segment, between segment and rows, and between two segments.
  const auto fail = [](absl::string_view operation, absl::string_view key) {
    const bool is_box = operation == "put" && absl::StartsWith(key, "boxes/");
    return is_box ? absl::UnavailableError("nobody answers") : absl::OkStatus();
  };
  for (MemoryObjects::Hook MemoryObjects::*const when :
       {&MemoryObjects::before, &MemoryObjects::after}) {
    (*shelf).*when = fail;
    EXPECT_EQ(Code(on.upkeep.shelving.Shelve(options)), absl::StatusCode::kUnavailable);
    (*shelf).*when = MemoryObjects::Nothing;
    EXPECT_EQ(CountShelved(database()), 0);
    ExpectAllThere(on.store, sent);
  }
  EXPECT_THAT(shelf->Keys("boxes/"), SizeIs(1)) << "which no row names";
  ShelveOptions cut = options;
  cut.pause = [](const Shelved& so_far) {
    return so_far.boxes > 0 ? absl::CancelledError("the process ends") : absl::OkStatus();
  };
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(Code(on.upkeep.shelving.Shelve(cut)), absl::StatusCode::kCancelled);
    EXPECT_EQ(CountShelved(database()), 2 * i);
    ExpectAllThere(on.store, sent);
  }
  EXPECT_EQ(Shelve(on.upkeep, options).blobs, 2u);
  EXPECT_THAT(shelf->Keys("boxes/"), SizeIs(5));
  ExpectAllThere(on.store, sent);
}

TEST_P(StoreContractTest, WhoReadsOrShelvesBesideShelvingFindsAll) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 12);
  ShelveOptions options = ShelveAt(kNow + kOld);
  options.box_bytes = 30'000;
  options.targets_at_once = 2;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) ExpectAllThere(on.store, sent);
  });
  std::thread other([&] { Shelve(on.upkeep, options); });
  Shelve(on.upkeep, options);
  other.join();
  done = true;
  reader.join();
  ExpectAllThere(on.store, sent);
  EXPECT_EQ(CountShelved(database()), 24);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
}

// A concurrent process claims the archive and adds segments before the first one's given operation.
void ClaimAgainBefore(const sql::Engine& engine, absl::string_view first_operation) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(engine, shelf);
  RecordNoise(on.store, 2);
  bool is_claimed = false;
  shelf->before = [&](absl::string_view operation, absl::string_view) {
    if (operation == first_operation && !std::exchange(is_claimed, true)) Shelve(on.upkeep);
    return absl::OkStatus();
  };
  Shelve(on.upkeep);
  EXPECT_TRUE(is_claimed);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
}

TEST_P(StoreContractTest, AShelfMayBeClaimedBeforeAnotherReadsItsName) {
  ClaimAgainBefore(*engine_, "read");
}

TEST_P(StoreContractTest, AShelfMayBeClaimedBeforeAnotherPutsItsName) {
  ClaimAgainBefore(*engine_, "put");
}

TEST_P(StoreContractTest, AReaderFindsWhatIsSentAgainMeanwhile) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  const NewExecution sent = NoisyExecution(1);
  Record(on.store, sent);
  Shelve(on.upkeep);
  shelf->before = [&](absl::string_view operation, absl::string_view key) {
    if (operation != "read") return absl::OkStatus();
    NewExecution again = sent;
    again.run.project = "other";
    Record(on.store, again);
    shelf->Lose(std::string(key));
    return absl::OkStatus();
  };
  EXPECT_EQ(*on.store.blobs.Read(sent.blobs[0].name), sent.blobs[0].bytes);
}

TEST_P(StoreContractTest, NothingIsShelvedWhileABackupIsMade) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  RecordNoise(on.store, 1);
  EXPECT_OK(database().Write([&](sql::Session& session) {
    return sql::SetProperty(session, sql::kBackupLease,
                            absl::ToUnixMicros(kNow + kOld + absl::Minutes(1)));
  }));
  EXPECT_EQ(Code(on.upkeep.shelving.Shelve(ShelveAt(kNow + kOld))), absl::StatusCode::kUnavailable);
  EXPECT_THAT(shelf->Keys("boxes/"), IsEmpty());
  EXPECT_EQ(Shelve(on.upkeep, ShelveAt(kNow + kOld + absl::Minutes(1))).blobs, 2u);
}

TEST_P(StoreContractTest, ADamagedBlobIsNotShelved) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  RecordNoise(on.store, 1);
  const bool is_postgres = absl::StartsWith(home_->location(), "postgres");
  home_->DamageRows(is_postgres
                        ? "UPDATE blob SET bytes = 'x' WHERE name IN (SELECT gmon FROM profile)"
                        : "UPDATE small_blob SET bytes = x'00' "
                          "WHERE name IN (SELECT gmon FROM profile)");
  EXPECT_EQ(Shelve(on.upkeep).blobs, 1u);
  EXPECT_EQ(Shelve(on.upkeep).targets, 0u);
}

TEST_P(StoreContractTest, WithoutItsShelfAStoreSaysWhatIsMissing) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const NewExecution sent = NoisyExecution(1);
  {
    const ShelvedStore on(*engine_, shelf);
    Record(on.store, sent);
    Shelve(on.upkeep);
  }
  const ShelvedStore without(*engine_, nullptr);
  const absl::Status read = without.store.blobs.Read(sent.blobs[0].name).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(read)) << read;
  EXPECT_THAT(std::string(read.message()), HasSubstr("--shelf"));
  EXPECT_THAT(Kinds(without.upkeep), testing::ElementsAre("shelf.unknown"));
  EXPECT_TRUE(
      absl::IsFailedPrecondition(without.upkeep.shelving.Shelve(ShelveAt(kNow + kOld)).status()));
  EXPECT_TRUE(
      absl::IsFailedPrecondition(without.upkeep.tidying.Tidy(TidyAt(kNow + kOld)).status()));
  Record(without.store, NoisyExecution(2));  // all other operations work
}

TEST_P(StoreContractTest, AShelfOfAnotherStoreOrNoneIsRefused) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  RecordNoise(on.store, 1);
  Shelve(on.upkeep);
  EXPECT_OK(WithShelf(*engine_, shelf));
  EXPECT_EQ(Code(WithShelf(*engine_, std::make_shared<MemoryObjects>())),
            absl::StatusCode::kFailedPrecondition)
      << "a folder that is not mounted";
  const std::unique_ptr<StoreHome> home = GetParam()();
  EXPECT_EQ(Code(WithShelf(*home->Open(), shelf)), absl::StatusCode::kFailedPrecondition);
  const ShelvedStore other(*home->Open(), std::make_shared<MemoryObjects>());
  RecordNoise(other.store, 1);
  Shelve(other.upkeep);
  EXPECT_EQ(Code(WithShelf(other.engine, shelf)), absl::StatusCode::kFailedPrecondition);
}

TEST_P(StoreContractTest, AShelfThatDoesNotAnswerKeepsNobodyFromStarting) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const NewExecution sent = NoisyExecution(1);
  {
    const ShelvedStore on(*engine_, shelf);
    Record(on.store, sent);
    Shelve(on.upkeep);
  }
  shelf->before = [](absl::string_view, absl::string_view) {
    return absl::UnavailableError("nobody answers");
  };
  const ShelvedStore on(*engine_, shelf);
  EXPECT_EQ(Code(on.store.blobs.Read(sent.blobs[0].name)), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Code(on.upkeep.shelving.Shelve(ShelveAt(kNow + kOld))), absl::StatusCode::kUnavailable);
  shelf->before = MemoryObjects::Nothing;
  ExpectAllThere(on.store, {sent});
}

BroughtBack BringBack(const ShelvedStore& on) {
  BringBackOptions options;
  options.now = [] { return kNow + kOld; };
  const absl::StatusOr<BroughtBack> back = on.upkeep.shelving.BringBack(options, kOperator);
  EXPECT_TRUE(back.ok()) << back.status();
  return back.ok() ? *back : BroughtBack();
}

TEST_P(StoreContractTest, AllThatIsShelvedComesBack) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  std::vector<NewExecution> sent = RecordNoise(on.store, 3);
  sent.push_back(NoisyExecution(4, 200'000));
  Record(on.store, sent.back());
  ShelveOptions options = ShelveAt(kNow + kOld);
  options.box_bytes = 30'000;
  Shelve(on.upkeep, options);
  const BroughtBack back = BringBack(on);
  EXPECT_EQ(back.blobs, 8u);
  EXPECT_EQ(back.damaged, 0u);
  EXPECT_EQ(CountShelved(database()), 0);
  for (const std::string& key : shelf->Keys()) shelf->Lose(key);
  ExpectAllThere(*store_, sent);
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
  EXPECT_EQ(CountAudit(*store_, "shelf.bring-back"), 1);
  EXPECT_EQ(BringBack(on).blobs, 0u);
}

TEST_P(StoreContractTest, WhatIsDamagedOnTheShelfDoesNotComeBack) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 2);
  ShelveOptions options = ShelveAt(kNow + kOld);
  options.box_bytes = 20'000;
  Shelve(on.upkeep, options);
  shelf->Lose(shelf->Keys("boxes/").at(0));
  const BroughtBack back = BringBack(on);
  EXPECT_EQ(back.blobs, 2u);
  EXPECT_EQ(back.damaged, 2u);
  EXPECT_EQ(CountShelved(database()), 2);
}

}  // namespace
}  // namespace gprofhub::store
