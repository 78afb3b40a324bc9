// Contract tests: compaction removes unreferenced data from the archive, and nothing else.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "store/contract/archive_helpers.h"
#include "store/copy_rows.h"
#include "store/testing/temp_store.h"

namespace gprofhub::store {

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Time kThen = kNow + kOld;

TEST_P(StoreContractTest, UnusedSegmentIsRemovedAfterItsRetention) {
  const auto archive = std::make_shared<MemoryObjects>();
  archive->now = kThen;
  const ArchivedStore on(*engine_, archive);
  RecordNoise(on.store, 1);
  Archive(on.upkeep);
  EXPECT_EQ(Compact(on.upkeep, kThen + 2 * kDay).removed, 0u);
  DeleteRun(on, 1, kThen);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM archived_blob"), 0);
  EXPECT_EQ(Compact(on.upkeep, kThen + 2 * kDay).unused, 1u);
  EXPECT_EQ(Compact(on.upkeep, kThen + 9 * kDay - absl::Seconds(1)).removed, 0u);
  EXPECT_THAT(archive->Keys("segments/"), SizeIs(1)) << "a backup may need it";
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  const CompactionResult compacted = Compact(on.upkeep, kThen + 9 * kDay);
  EXPECT_EQ(compacted.removed, 1u);
  EXPECT_GT(compacted.removed_bytes, 20'000u);
  EXPECT_THAT(archive->Keys("segments/"), IsEmpty());
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM segment"), 0);
}

TEST_P(StoreContractTest, SparseSegmentsAreMerged) {
  const auto archive = std::make_shared<MemoryObjects>();
  archive->now = kThen;
  const ArchivedStore on(*engine_, archive);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 6);
  ArchiveOptions options = ArchiveAt(kThen);
  options.segment_bytes = 60'000;  // three runs each
  EXPECT_EQ(Archive(on.upkeep, options).segments, 2u);
  DeleteRun(on, 1, kThen);
  DeleteRun(on, 4, kThen);
  EXPECT_EQ(Compact(on.upkeep, kThen + kDay).moved, 0u) << "more than half is needed";
  DeleteRun(on, 2, kThen);
  DeleteRun(on, 5, kThen);
  const CompactionResult compacted = Compact(on.upkeep, kThen + kDay);
  EXPECT_EQ(compacted.moved, 4u);
  EXPECT_EQ(compacted.moved_bytes, 40'000u);
  EXPECT_EQ(compacted.unused, 2u);
  EXPECT_THAT(archive->Keys("segments/"), SizeIs(3));
  ExpectAllThere(on.store, {sent[2], sent[5]});
  EXPECT_EQ(Compact(on.upkeep, kThen + 8 * kDay).removed, 2u);
  ExpectAllThere(on.store, {sent[2], sent[5]});
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  EXPECT_EQ(Compact(on.upkeep, kThen + 8 * kDay).moved, 0u);
}

TEST_P(StoreContractTest, InterruptedCompactionContinues) {
  const auto archive = std::make_shared<MemoryObjects>();
  archive->now = kThen;
  const ArchivedStore on(*engine_, archive);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 3);
  Archive(on.upkeep);
  DeleteRun(on, 1, kThen);
  DeleteRun(on, 2, kThen);
  absl::Time now = kThen + kDay;
  int uses = 0;
  int fail_at = 0;
  const auto count = [&](absl::string_view, absl::string_view) {
    return ++uses == fail_at ? absl::UnavailableError("nobody answers") : absl::OkStatus();
  };
  archive->before = archive->after = count;
  for (bool failed = true; failed;) {
    uses = 0;
    ++fail_at;
    failed = !on.upkeep.compaction.Compact(CompactAt(now)).ok();
    fail_at = -fail_at;
    ExpectAllThere(on.store, {sent[2]});
    fail_at = -fail_at;
    now += 2 * kDay;
    archive->now = now;
  }
  archive->before = archive->after = MemoryObjects::Nothing;
  Compact(on.upkeep, now + 8 * kDay);
  Compact(on.upkeep, now + 16 * kDay);
  ExpectAllThere(on.store, {sent[2]});
  EXPECT_THAT(archive->Keys("segments/"), SizeIs(1));
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM segment"), 1);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
}

TEST_P(StoreContractTest, SegmentWithoutRowIsRemovedAfterADay) {
  const auto archive = std::make_shared<MemoryObjects>();
  archive->now = kThen;
  const ArchivedStore on(*engine_, archive);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 5);
  ArchiveOptions options = ArchiveAt(kThen);
  options.segment_bytes = 20'000;
  Archive(on.upkeep, options);
  EXPECT_OK(archive->Put("segments/ff/cut-off", "segment"));
  EXPECT_OK(archive->Put("somebody-elses", "file"));
  EXPECT_EQ(Compact(on.upkeep, kThen + kDay).removed, 0u);
  EXPECT_THAT(Kinds(on.upkeep), ElementsAre("segment.unnamed"));
  EXPECT_EQ(Compact(on.upkeep, kThen + kDay + absl::Seconds(1)).removed, 1u);
  EXPECT_THAT(archive->Keys("segments/"), SizeIs(5));
  EXPECT_THAT(archive->Keys(), Contains("somebody-elses"));
  ExpectAllThere(on.store, sent);
}

TEST_P(StoreContractTest, BlobSentAgainDuringCompactionStaysWhole) {
  const auto archive = std::make_shared<MemoryObjects>();
  archive->now = kThen;
  const ArchivedStore on(*engine_, archive);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 3);
  Archive(on.upkeep);
  DeleteRun(on, 1, kThen);
  DeleteRun(on, 2, kThen);
  archive->after = [&](absl::string_view operation, absl::string_view) {
    NewExecution again = sent[2];
    again.run.project = "other";
    if (operation == "put") Record(on.store, again);
    return absl::OkStatus();
  };
  EXPECT_EQ(Compact(on.upkeep, kThen + kDay).moved, 0u);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM archived_blob"), 0);
  ExpectAllThere(on.store, {sent[2]});
  Compact(on.upkeep, kThen + 8 * kDay);
  EXPECT_THAT(archive->Keys("segments/"), IsEmpty());
  ExpectAllThere(on.store, {sent[2]});
}

TEST_P(StoreContractTest, DamagedArchiveIsReported) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 1);
  Archive(on.upkeep);
  const std::string key = archive->Keys("segments/").at(0);
  const std::string good = archive->BytesOf(key);
  const auto damages = [&](bool hashes) {
    std::vector<std::string> kinds;
    InspectionOptions options;
    options.hashes = hashes;
    options.now = absl::InfiniteFuture();
    options.on_finding = [&](const InspectionFinding& finding) { kinds.push_back(finding.kind); };
    const absl::StatusOr<InspectionSummary> summary = on.upkeep.inspection.Run(options);
    EXPECT_TRUE(summary.ok()) << summary.status();
    EXPECT_EQ(summary->unread, hashes ? 0u : 2u);
    return kinds;
  };
  EXPECT_THAT(damages(true), IsEmpty());
  EXPECT_THAT(damages(false), IsEmpty());
  std::string changed = good;
  changed[100] = static_cast<char>(changed[100] ^ 1);
  archive->Change(key, changed);
  EXPECT_THAT(damages(true), ElementsAre("blob.damaged"));
  EXPECT_THAT(damages(false), IsEmpty()) << "nothing is read";
  EXPECT_EQ(Code(on.store.blobs.Read(sent[0].blobs[0].name)) == absl::StatusCode::kDataLoss ||
                Code(on.store.blobs.Read(sent[0].blobs[1].name)) == absl::StatusCode::kDataLoss,
            true);
  archive->Change(key, good.substr(0, 100));
  EXPECT_THAT(damages(true), ElementsAre("blob.damaged", "blob.damaged", "segment.damaged"));
  EXPECT_THAT(damages(false), ElementsAre("segment.damaged"));
  EXPECT_EQ(Code(on.store.blobs.Read(sent[0].blobs[0].name)), absl::StatusCode::kDataLoss);
  archive->Lose(key);
  EXPECT_THAT(damages(true), ElementsAre("blob.damaged", "blob.damaged", "segment.missing"));
  EXPECT_THAT(damages(false), ElementsAre("segment.missing"));
  EXPECT_EQ(Code(on.store.blobs.Read(sent[0].blobs[0].name)), absl::StatusCode::kDataLoss);
  EXPECT_OK(archive->Put(key, good));
  home_->DamageRows("UPDATE archived_blob SET segment_id = 99");
  EXPECT_THAT(Kinds(on.upkeep), Contains("archived.without-segment"));
}

void ExpectRestored(const std::string& backup, const std::string& location,
                    const std::shared_ptr<MemoryObjects>& archive, const BackupOptions& options,
                    const std::vector<NewExecution>& sent) {
  const auto restored = RestoreBackup(backup, location, options);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(restored->archived, 4u);
  const auto whole = OpenWholeStore(location, OpenMode::kCreate, archive);
  ASSERT_TRUE(whole.ok()) << whole.status();
  ExpectAllThere(whole->store, sent);
  EXPECT_THAT(Kinds(whole->upkeep), IsEmpty());
  // Its original is in use again.
  EXPECT_EQ(Code(whole->upkeep.archiving.Archive(ArchiveAt(kThen))),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code(whole->upkeep.compaction.Compact(CompactAt(kThen))),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(StoreContractTest, BackupRefersToArchivedBlobs) {
  const auto archive = std::make_shared<MemoryObjects>();
  archive->now = kThen;
  const ArchivedStore on(*engine_, archive);
  std::vector<NewExecution> sent = RecordNoise(on.store, 2);
  Archive(on.upkeep);
  sent.push_back(NoisyExecution(3, 200'000));
  Record(on.store, sent.back());
  const std::string backup = MakeTempDir() + "/backup";
  BackupOptions options;
  options.by = kOperator;
  options.now = [] { return kThen; };
  const auto made = MakeBackup(home_->location(), backup, options);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->blobs, 6u);
  EXPECT_EQ(made->archived, 4u);
  EXPECT_EQ(made->blob_bytes, 400'000u);
  const std::string embedded = absl::StrCat("sqlite:", MakeTempDir(), "/store");
  ExpectRestored(backup, embedded, archive, options, sent);
  const std::unique_ptr<StoreHome> home = GetParam()();
  ExpectRestored(backup, home->location(), archive, options, sent);
  Compact(on.upkeep, kThen + 10 * kDay);
  ExpectAllThere(on.store, sent);

  const ArchivedStore heir(*home->Open(), archive);
  EXPECT_OK(heir.upkeep.archiving.TakeOver(kOperator, kThen));
  EXPECT_EQ(CountAudit(heir.store, "archive.take-over"), 1);
  EXPECT_EQ(Archive(heir.upkeep, ArchiveAt(kThen + kOld)).blobs, 2u);
  Compact(heir.upkeep, kThen + kOld);
  ExpectAllThere(heir.store, sent);
  EXPECT_EQ(Code(on.upkeep.archiving.Archive(ArchiveAt(kThen + kOld))),
            absl::StatusCode::kFailedPrecondition)
      << "the archive is another's now";
  EXPECT_EQ(Code(on.upkeep.compaction.Compact(CompactAt(kThen + kOld))),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code(WithArchive(*engine_, archive)), absl::StatusCode::kFailedPrecondition);
}

TEST_P(StoreContractTest, ArchiveWithoutTheStoresSegmentsIsNotTakenOver) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(*engine_, archive);
  EXPECT_EQ(Code(on.upkeep.archiving.TakeOver(kOperator, kThen)),
            absl::StatusCode::kFailedPrecondition);
  RecordNoise(on.store, 1);
  Archive(on.upkeep);
  archive->Lose(archive->Keys("segments/").at(0));
  EXPECT_EQ(Code(on.upkeep.archiving.TakeOver(kOperator, kThen)),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace

}  // namespace gprofhub::store
