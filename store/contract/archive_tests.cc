// Contract tests: the oldest blobs move to the archive, and are read as before.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "base/status.h"
#include "store/contract/archive_helpers.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

int64_t CountArchived(sql::Database& database) {
  return NumberOf(database, "SELECT count(*) FROM archived_blob");
}

size_t CountFiles(const sql::Engine& engine) {
  size_t files = 0;
  for (int part = 0; part < engine.blob_bytes->parts(); ++part) {
    files += engine.blob_bytes->List(part)->size();
  }
  return files;
}

void ArchiveAndRead(const ArchivedStore& on, const MemoryObjects& archive, size_t size) {
  const std::vector<NewExecution> sent = RecordNoise(on.store, 3, size);
  const ArchiveResult archived = Archive(on.upkeep);
  EXPECT_EQ(archived.targets, 3u);
  EXPECT_EQ(archived.segments, 1u);
  EXPECT_EQ(archived.blobs, 6u);
  EXPECT_EQ(archived.bytes, 6 * size);
  EXPECT_EQ(CountArchived(*on.engine.database), 6);
  EXPECT_EQ(CountFiles(on.engine), 0u);
  EXPECT_THAT(archive.Keys("segments/"), SizeIs(1));
  ExpectAllThere(on.store, sent);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  EXPECT_EQ(Archive(on.upkeep).targets, 0u) << "it is done";
}

TEST_P(StoreContractTest, OldBlobsAreArchivedAndReadable) {
  const auto archive = std::make_shared<MemoryObjects>();
  ArchiveAndRead(ArchivedStore(*engine_, archive), *archive, 10'000);
}

TEST_P(StoreContractTest, ArchivedLargeBlobsLeaveNoFile) {
  const auto archive = std::make_shared<MemoryObjects>();
  ArchiveAndRead(ArchivedStore(*engine_, archive), *archive, 200'000);
}

TEST_P(StoreContractTest, SegmentIsReadableWithoutTheStore) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  RecordNoise(on.store, 2);
  Archive(on.upkeep);
  const std::string segment = archive->BytesOf(archive->Keys("segments/").at(0));
  const auto blobs = ReadSegmentIndex(segment);
  ASSERT_TRUE(blobs.ok()) << blobs.status();
  EXPECT_THAT(*blobs, SizeIs(4));
  for (const SegmentBlob& blob : *blobs) {
    EXPECT_EQ(NameBlob(segment.substr(blob.first_byte, blob.length)), blob.name);
  }
}

TEST_P(StoreContractTest, SegmentsAreFilledUpToTheirSize) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 5);
  ArchiveOptions options = ArchiveAt(kNow + kOld);
  options.segment_bytes = 30'000;
  options.only_full = true;
  options.targets_at_once = 2;
  EXPECT_EQ(Archive(on.upkeep, options).segments, 3u);
  EXPECT_EQ(CountArchived(database()), 9) << "the last one does not fill a segment";
  EXPECT_EQ(Archive(on.upkeep, options).segments, 0u);
  options.only_full = false;
  EXPECT_EQ(Archive(on.upkeep, options).blobs, 1u);
  EXPECT_EQ(Archive(on.upkeep, options).targets, 0u);
  ExpectAllThere(on.store, sent);
}

TEST_P(StoreContractTest, YoungBlobsAreNotArchived) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  Record(on.store, NoisyExecution(1));
  Record(on.store, NoisyExecution(2), kNow + kDay);
  EXPECT_EQ(Archive(on.upkeep, ArchiveAt(kNow + kOld - absl::Seconds(1))).blobs, 0u);
  EXPECT_EQ(Archive(on.upkeep, ArchiveAt(kNow + kOld)).blobs, 2u);
  EXPECT_EQ(Archive(on.upkeep, ArchiveAt(kNow + kOld + kDay)).blobs, 2u);
}

TEST_P(StoreContractTest, BlobIsAsOldAsItsNewestRun) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  const NewExecution first = NoisyExecution(1);
  NewExecution second = NoisyExecution(2);
  second.images = first.images;
  second.blobs[1] = first.blobs[1];
  Record(on.store, first);
  Record(on.store, second, kNow + kDay);
  EXPECT_EQ(Archive(on.upkeep, ArchiveAt(kNow + kOld)).blobs, 1u) << "not their symbols";
  EXPECT_EQ(Archive(on.upkeep, ArchiveAt(kNow + kOld + kDay)).blobs, 2u);
  ExpectAllThere(on.store, {first, second});
}

TEST_P(StoreContractTest, FromStartFindsBlobsOfDeletedNewerRuns) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  const NewExecution first = NoisyExecution(1);
  NewExecution second = first;
  second.run.run_key = "again";
  Record(on.store, first);
  const int64_t again = Record(on.store, second, kNow + kDay).run_id;
  EXPECT_EQ(Archive(on.upkeep).blobs, 0u);
  DeleteRun(on, again, kNow + kOld);
  EXPECT_EQ(Archive(on.upkeep).blobs, 0u);
  ArchiveOptions options = ArchiveAt(kNow + kOld);
  options.from_start = true;
  EXPECT_EQ(Archive(on.upkeep, options).blobs, 2u);
}

TEST_P(StoreContractTest, SmallBlobsAreNotArchived) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  Record(on.store, MakeExecution());
  EXPECT_EQ(Archive(on.upkeep).targets, 1u);
  EXPECT_THAT(archive->Keys("segments/"), IsEmpty());
}

TEST_P(StoreContractTest, DeltasStayAndReadTheirBaseFromTheArchive) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  std::vector<NewExecution> sent;
  for (unsigned i = 1; i <= 3; ++i) {
    sent.push_back(NoisyExecution(1));
    sent.back().run.run_key = absl::StrCat("change ", i);
    const Blob gmon = MakeBlob(Noise(10'000, 1) + std::string(i, '.'));
    sent.back().profiles[0].data = gmon.name;
    sent.back().blobs[0] = gmon;
    Record(on.store, sent.back());
  }
  DeltaOptions encoding;
  encoding.now = [] { return kNow + kOld; };
  EXPECT_EQ(on.upkeep.delta_encoding.Encode(encoding)->blobs, 2u);
  EXPECT_EQ(Archive(on.upkeep).blobs, 2u) << "the base, and the symbols";
  ExpectAllThere(on.store, sent);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  // New blobs are delta-encoded against archived ones.
  sent.push_back(sent[0]);
  sent.back().run.run_key = "late";
  const Blob gmon = MakeBlob(Noise(10'000, 1) + "late");
  sent.back().profiles[0].data = gmon.name;
  sent.back().blobs[0] = gmon;
  Record(on.store, sent.back());
  EXPECT_EQ(on.upkeep.delta_encoding.Encode(encoding)->blobs, 1u);
  ExpectAllThere(on.store, sent);
  EXPECT_EQ(CountArchived(database()), 2)
      << "deltas are not archived, and archived blobs are not encoded";
}

void SendAgain(const ArchivedStore& on, MemoryObjects& archive, size_t size) {
  const std::vector<NewExecution> sent = RecordNoise(on.store, 2, size);
  Archive(on.upkeep);
  NewExecution again = sent[1];
  again.run.project = "other";
  Record(on.store, again);
  EXPECT_EQ(CountArchived(*on.engine.database), 2);
  ExpectAllThere(on.store, sent);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  for (const std::string& key : archive.Keys("segments/")) archive.Lose(key);
  ExpectAllThere(on.store, {sent[1]});
}

TEST_P(StoreContractTest, ArchivedBlobSentAgainBecomesWhole) {
  const auto archive = std::make_shared<MemoryObjects>();
  SendAgain(ArchivedStore(*engine_, archive), *archive, 10'000);
}

TEST_P(StoreContractTest, LargeArchivedBlobSentAgainBecomesWhole) {
  const auto archive = std::make_shared<MemoryObjects>();
  SendAgain(ArchivedStore(*engine_, archive), *archive, 200'000);
}

TEST_P(StoreContractTest, UploadNeedNotSendArchivedBlobs) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  const NewExecution sent = NoisyExecution(1);
  Record(on.store, sent);
  Archive(on.upkeep);
  const std::vector<BlobName> names = {sent.blobs[0].name, sent.blobs[1].name};
  EXPECT_THAT(*on.store.blobs.FindToSend("sqlite", names), IsEmpty());
  NewExecution again = sent;
  again.run.run_key = "once more";
  again.blobs.clear();
  Record(on.store, again);
  ExpectAllThere(on.store, {sent});
}

TEST_P(StoreContractTest, InterruptedArchivingContinues) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 4);
  ArchiveOptions options = ArchiveAt(kNow + kOld);
  options.segment_bytes = 20'000;
  options.targets_at_once = 1;
  // Failures before the segment, between segment and rows, and between two segments.
  const auto fail = [](absl::string_view operation, absl::string_view key) {
    const bool is_segment = operation == "put" && absl::StartsWith(key, "segments/");
    return is_segment ? absl::UnavailableError("nobody answers") : absl::OkStatus();
  };
  for (MemoryObjects::Hook MemoryObjects::*const when :
       {&MemoryObjects::before, &MemoryObjects::after}) {
    (*archive).*when = fail;
    EXPECT_EQ(Code(on.upkeep.archiving.Archive(options)), absl::StatusCode::kUnavailable);
    (*archive).*when = MemoryObjects::Nothing;
    EXPECT_EQ(CountArchived(database()), 0);
    ExpectAllThere(on.store, sent);
  }
  EXPECT_THAT(archive->Keys("segments/"), SizeIs(1)) << "which no row names";
  ArchiveOptions cut = options;
  cut.pause = [](const ArchiveResult& so_far) {
    return so_far.segments > 0 ? absl::CancelledError("the process ends") : absl::OkStatus();
  };
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(Code(on.upkeep.archiving.Archive(cut)), absl::StatusCode::kCancelled);
    EXPECT_EQ(CountArchived(database()), 2 * i);
    ExpectAllThere(on.store, sent);
  }
  EXPECT_EQ(Archive(on.upkeep, options).blobs, 2u);
  EXPECT_THAT(archive->Keys("segments/"), SizeIs(5));
  ExpectAllThere(on.store, sent);
}

TEST_P(StoreContractTest, ConcurrentReadsAndArchivingsSucceed) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 12);
  ArchiveOptions options = ArchiveAt(kNow + kOld);
  options.segment_bytes = 30'000;
  options.targets_at_once = 2;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) ExpectAllThere(on.store, sent);
  });
  std::thread other([&] { Archive(on.upkeep, options); });
  Archive(on.upkeep, options);
  other.join();
  done = true;
  reader.join();
  ExpectAllThere(on.store, sent);
  EXPECT_EQ(CountArchived(database()), 24);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
}

// Another store claims the archive, and fills it, before the first one does this with its name.
void ClaimAgainBefore(const sql::Engine& engine, absl::string_view first_operation) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(engine, archive);
  RecordNoise(on.store, 2);
  bool is_claimed = false;
  archive->before = [&](absl::string_view operation, absl::string_view) {
    if (operation == first_operation && !std::exchange(is_claimed, true)) Archive(on.upkeep);
    return absl::OkStatus();
  };
  Archive(on.upkeep);
  EXPECT_TRUE(is_claimed);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
}

TEST_P(StoreContractTest, ArchiveClaimedBeforeAnotherProcessReadsItsOwner) {
  ClaimAgainBefore(*engine_, "read");
}

TEST_P(StoreContractTest, ArchiveClaimedBeforeAnotherProcessWritesItsOwner) {
  ClaimAgainBefore(*engine_, "put");
}

TEST_P(StoreContractTest, ReaderFindsBlobSentAgainMeanwhile) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  const NewExecution sent = NoisyExecution(1);
  Record(on.store, sent);
  Archive(on.upkeep);
  archive->before = [&](absl::string_view operation, absl::string_view key) {
    if (operation != "read") return absl::OkStatus();
    NewExecution again = sent;
    again.run.project = "other";
    Record(on.store, again);
    archive->Lose(std::string(key));
    return absl::OkStatus();
  };
  EXPECT_EQ(*on.store.blobs.Read(sent.blobs[0].name), sent.blobs[0].bytes);
}

TEST_P(StoreContractTest, ArchivingWaitsForBackup) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  RecordNoise(on.store, 1);
  EXPECT_OK(database().Write([&](sql::Session& session) {
    return sql::SetProperty(session, sql::kBackupLease,
                            absl::ToUnixMicros(kNow + kOld + absl::Minutes(1)));
  }));
  EXPECT_EQ(Code(on.upkeep.archiving.Archive(ArchiveAt(kNow + kOld))),
            absl::StatusCode::kUnavailable);
  EXPECT_THAT(archive->Keys("segments/"), IsEmpty());
  EXPECT_EQ(Archive(on.upkeep, ArchiveAt(kNow + kOld + absl::Minutes(1))).blobs, 2u);
}

TEST_P(StoreContractTest, DamagedBlobIsNotArchived) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  RecordNoise(on.store, 1);
  const bool is_postgres = absl::StartsWith(home_->location(), "postgres");
  home_->DamageRows(is_postgres
                        ? "UPDATE blob SET bytes = 'x' WHERE name IN (SELECT gmon FROM profile)"
                        : "UPDATE small_blob SET bytes = x'00' "
                          "WHERE name IN (SELECT gmon FROM profile)");
  EXPECT_EQ(Archive(on.upkeep).blobs, 1u);
  EXPECT_EQ(Archive(on.upkeep).targets, 0u);
}

TEST_P(StoreContractTest, StoreWithoutItsArchiveReportsWhatIsMissing) {
  const auto archive = std::make_shared<MemoryObjects>();
  const NewExecution sent = NoisyExecution(1);
  {
    const ArchivedStore on(*engine_, archive);
    Record(on.store, sent);
    Archive(on.upkeep);
  }
  const ArchivedStore without(*engine_, nullptr);
  const absl::Status read = without.store.blobs.Read(sent.blobs[0].name).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(read)) << read;
  EXPECT_THAT(std::string(read.message()), HasSubstr("--archive"));
  EXPECT_THAT(Kinds(without.upkeep), testing::ElementsAre("archive.unknown"));
  EXPECT_TRUE(absl::IsFailedPrecondition(
      without.upkeep.archiving.Archive(ArchiveAt(kNow + kOld)).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(
      without.upkeep.compaction.Compact(CompactAt(kNow + kOld)).status()));
  Record(without.store, NoisyExecution(2));  // all else works
}

TEST_P(StoreContractTest, ArchiveOfAnotherStoreIsRefused) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  RecordNoise(on.store, 1);
  Archive(on.upkeep);
  EXPECT_OK(WithArchive(*engine_, archive));
  EXPECT_EQ(Code(WithArchive(*engine_, std::make_shared<MemoryObjects>())),
            absl::StatusCode::kFailedPrecondition)
      << "a folder that is not mounted";
  const std::unique_ptr<StoreHome> home = GetParam()();
  EXPECT_EQ(Code(WithArchive(*home->Open(), archive)), absl::StatusCode::kFailedPrecondition);
  const ArchivedStore other(*home->Open(), std::make_shared<MemoryObjects>());
  RecordNoise(other.store, 1);
  Archive(other.upkeep);
  EXPECT_EQ(Code(WithArchive(other.engine, archive)), absl::StatusCode::kFailedPrecondition);
}

TEST_P(StoreContractTest, StoreOpensWhileTheArchiveIsUnavailableOrRefusesItsKeys) {
  const auto archive = std::make_shared<MemoryObjects>();
  const NewExecution sent = NoisyExecution(1);
  {
    const ArchivedStore on(*engine_, archive);
    Record(on.store, sent);
    Archive(on.upkeep);
  }
  for (const absl::Status& error : {absl::UnavailableError("nobody answers"),
                                    absl::PermissionDeniedError("InvalidAccessKeyId")}) {
    archive->before = [&error](absl::string_view, absl::string_view) { return error; };
    const ArchivedStore on(*engine_, archive);
    const absl::Status read = on.store.blobs.Read(sent.blobs[0].name).status();
    EXPECT_TRUE(absl::IsUnavailable(read)) << read;
    EXPECT_THAT(std::string(read.message()), HasSubstr(error.message()));
    EXPECT_THAT(base::PublicMessageOf(read), Not(HasSubstr(error.message())));
    EXPECT_EQ(Code(on.upkeep.archiving.Archive(ArchiveAt(kNow + kOld))), error.code());
    archive->before = MemoryObjects::Nothing;
    ExpectAllThere(on.store, {sent});
  }
}

BroughtBack BringBack(const ArchivedStore& on) {
  BringBackOptions options;
  options.now = [] { return kNow + kOld; };
  const absl::StatusOr<BroughtBack> back = on.upkeep.archiving.BringBack(options, kOperator);
  EXPECT_TRUE(back.ok()) << back.status();
  return back.ok() ? *back : BroughtBack();
}

TEST_P(StoreContractTest, BringBackMakesAllBlobsWhole) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  std::vector<NewExecution> sent = RecordNoise(on.store, 3);
  sent.push_back(NoisyExecution(4, 200'000));
  Record(on.store, sent.back());
  ArchiveOptions options = ArchiveAt(kNow + kOld);
  options.segment_bytes = 30'000;
  Archive(on.upkeep, options);
  const BroughtBack back = BringBack(on);
  EXPECT_EQ(back.blobs, 8u);
  EXPECT_EQ(back.damaged, 0u);
  EXPECT_EQ(CountArchived(database()), 0);
  for (const std::string& key : archive->Keys()) archive->Lose(key);
  ExpectAllThere(*store_, sent);
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
  EXPECT_EQ(CountAudit(*store_, "archive.bring-back"), 1);
  EXPECT_EQ(BringBack(on).blobs, 0u);
}

TEST_P(StoreContractTest, BringBackLeavesDamagedBlobs) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 2);
  ArchiveOptions options = ArchiveAt(kNow + kOld);
  options.segment_bytes = 20'000;
  Archive(on.upkeep, options);
  archive->Lose(archive->Keys("segments/").at(0));
  const BroughtBack back = BringBack(on);
  EXPECT_EQ(back.blobs, 2u);
  EXPECT_EQ(back.damaged, 2u);
  EXPECT_EQ(CountArchived(database()), 2);
}

}  // namespace

}  // namespace gprofhub::store
