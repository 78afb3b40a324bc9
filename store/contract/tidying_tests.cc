// Contract tests: compaction removes unreferenced data from the archive, and nothing else.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "store/contract/shelf_helpers.h"
#include "store/testing/temp_dir.h"
#include "store/upkeep/backup.h"

namespace gprofhub::store {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Time kThen = kNow + kOld;

TEST_P(StoreContractTest, ABoxOfWhichNothingIsNeededGoesAfterAWhile) {
  const auto shelf = std::make_shared<MemoryObjects>();
  shelf->now = kThen;
  const ShelvedStore on(*engine_, shelf);
  RecordNoise(on.store, 1);
  Shelve(on.upkeep);
  EXPECT_EQ(Tidy(on.upkeep, kThen + 2 * kDay).removed, 0u);
  DeleteRun(on, 1, kThen);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM shelved_blob"), 0);
  EXPECT_EQ(Tidy(on.upkeep, kThen + 2 * kDay).unused, 1u);
  EXPECT_EQ(Tidy(on.upkeep, kThen + 9 * kDay - absl::Seconds(1)).removed, 0u);
  EXPECT_THAT(shelf->Keys("boxes/"), SizeIs(1)) << "a backup may need it";
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  const Tidied tidied = Tidy(on.upkeep, kThen + 9 * kDay);
  EXPECT_EQ(tidied.removed, 1u);
  EXPECT_GT(tidied.removed_bytes, 20'000u);
  EXPECT_THAT(shelf->Keys("boxes/"), IsEmpty());
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM box"), 0);
}

TEST_P(StoreContractTest, WhatIsNeededOfSparseBoxesIsPutTogether) {
  const auto shelf = std::make_shared<MemoryObjects>();
  shelf->now = kThen;
  const ShelvedStore on(*engine_, shelf);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 6);
  ShelveOptions options = ShelveAt(kThen);
  options.box_bytes = 60'000;  // three runs each
  EXPECT_EQ(Shelve(on.upkeep, options).boxes, 2u);
  DeleteRun(on, 1, kThen);
  DeleteRun(on, 4, kThen);
  EXPECT_EQ(Tidy(on.upkeep, kThen + kDay).moved, 0u) << "more than half is needed";
  DeleteRun(on, 2, kThen);
  DeleteRun(on, 5, kThen);
  const Tidied tidied = Tidy(on.upkeep, kThen + kDay);
  EXPECT_EQ(tidied.moved, 4u);
  EXPECT_EQ(tidied.moved_bytes, 40'000u);
  EXPECT_EQ(tidied.unused, 2u);
  EXPECT_THAT(shelf->Keys("boxes/"), SizeIs(3));
  ExpectAllThere(on.store, {sent[2], sent[5]});
  EXPECT_EQ(Tidy(on.upkeep, kThen + 8 * kDay).removed, 2u);
  ExpectAllThere(on.store, {sent[2], sent[5]});
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
  EXPECT_EQ(Tidy(on.upkeep, kThen + 8 * kDay).moved, 0u);
}

TEST_P(StoreContractTest, TidyingThatIsCutOffAtAnyStepGoesOn) {
  const auto shelf = std::make_shared<MemoryObjects>();
  shelf->now = kThen;
  const ShelvedStore on(*engine_, shelf);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 3);
  Shelve(on.upkeep);
  DeleteRun(on, 1, kThen);
  DeleteRun(on, 2, kThen);
  absl::Time now = kThen + kDay;
  int uses = 0;
  int fail_at = 0;
  const auto count = [&](absl::string_view, absl::string_view) {
    return ++uses == fail_at ? absl::UnavailableError("nobody answers") : absl::OkStatus();
  };
  shelf->before = shelf->after = count;
  for (bool failed = true; failed;) {
    uses = 0;
    ++fail_at;
    failed = !on.upkeep.tidying.Tidy(TidyAt(now)).ok();
    fail_at = -fail_at;
    ExpectAllThere(on.store, {sent[2]});
    fail_at = -fail_at;
    now += 2 * kDay;
    shelf->now = now;
  }
  shelf->before = shelf->after = MemoryObjects::Nothing;
  Tidy(on.upkeep, now + 8 * kDay);
  Tidy(on.upkeep, now + 16 * kDay);
  ExpectAllThere(on.store, {sent[2]});
  EXPECT_THAT(shelf->Keys("boxes/"), SizeIs(1));
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM box"), 1);
  EXPECT_THAT(Kinds(on.upkeep), IsEmpty());
}

TEST_P(StoreContractTest, ABoxThatNoRowNamesGoesAfterADay) {
  const auto shelf = std::make_shared<MemoryObjects>();
  shelf->now = kThen;
  const ShelvedStore on(*engine_, shelf);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 5);
  ShelveOptions options = ShelveAt(kThen);
  options.box_bytes = 20'000;
  Shelve(on.upkeep, options);
  EXPECT_OK(shelf->Put("boxes/ff/cut-off", "box"));
  EXPECT_OK(shelf->Put("somebody-elses", "file"));
  EXPECT_EQ(Tidy(on.upkeep, kThen + kDay).removed, 0u);
  EXPECT_THAT(Kinds(on.upkeep), ElementsAre("box.unnamed"));
  EXPECT_EQ(Tidy(on.upkeep, kThen + kDay + absl::Seconds(1)).removed, 1u);
  EXPECT_THAT(shelf->Keys("boxes/"), SizeIs(5));
  EXPECT_THAT(shelf->Keys(), Contains("somebody-elses"));
  ExpectAllThere(on.store, sent);
}

TEST_P(StoreContractTest, WhatIsSentAgainWhileItIsMovedStaysWhole) {
  const auto shelf = std::make_shared<MemoryObjects>();
  shelf->now = kThen;
  const ShelvedStore on(*engine_, shelf);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 3);
  Shelve(on.upkeep);
  DeleteRun(on, 1, kThen);
  DeleteRun(on, 2, kThen);
  shelf->after = [&](absl::string_view operation, absl::string_view) {
    NewExecution again = sent[2];
    again.run.project = "other";
    if (operation == "put") Record(on.store, again);
    return absl::OkStatus();
  };
  EXPECT_EQ(Tidy(on.upkeep, kThen + kDay).moved, 0u);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM shelved_blob"), 0);
  ExpectAllThere(on.store, {sent[2]});
  Tidy(on.upkeep, kThen + 8 * kDay);
  EXPECT_THAT(shelf->Keys("boxes/"), IsEmpty());
  ExpectAllThere(on.store, {sent[2]});
}

TEST_P(StoreContractTest, DamageOfTheShelfIsTold) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  const std::vector<NewExecution> sent = RecordNoise(on.store, 1);
  Shelve(on.upkeep);
  const std::string key = shelf->Keys("boxes/").at(0);
  const std::string good = shelf->BytesOf(key);
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
  shelf->Change(key, changed);
  EXPECT_THAT(damages(true), ElementsAre("blob.damaged"));
  EXPECT_THAT(damages(false), IsEmpty()) << "nothing is read";
  EXPECT_EQ(Code(on.store.blobs.Read(sent[0].blobs[0].name)) == absl::StatusCode::kDataLoss ||
                Code(on.store.blobs.Read(sent[0].blobs[1].name)) == absl::StatusCode::kDataLoss,
            true);
  shelf->Change(key, good.substr(0, 100));
  EXPECT_THAT(damages(true), ElementsAre("blob.damaged", "blob.damaged", "box.damaged"));
  EXPECT_THAT(damages(false), ElementsAre("box.damaged"));
  EXPECT_EQ(Code(on.store.blobs.Read(sent[0].blobs[0].name)), absl::StatusCode::kDataLoss);
  shelf->Lose(key);
  EXPECT_THAT(damages(true), ElementsAre("blob.damaged", "blob.damaged", "box.missing"));
  EXPECT_THAT(damages(false), ElementsAre("box.missing"));
  EXPECT_EQ(Code(on.store.blobs.Read(sent[0].blobs[0].name)), absl::StatusCode::kDataLoss);
  EXPECT_OK(shelf->Put(key, good));
  home_->DamageRows("UPDATE shelved_blob SET box_id = 99");
  EXPECT_THAT(Kinds(on.upkeep), Contains("shelved.without-box"));
}

void ExpectRestored(const std::string& backup, const std::string& location,
                    const std::shared_ptr<MemoryObjects>& shelf, const BackupOptions& options,
                    const std::vector<NewExecution>& sent) {
  const auto restored = RestoreBackup(backup, location, options);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(restored->shelved, 4u);
  const auto whole = OpenWholeStore(location, shelf);
  ASSERT_TRUE(whole.ok()) << whole.status();
  ExpectAllThere(whole->store, sent);
  EXPECT_THAT(Kinds(whole->upkeep), IsEmpty());
  // The original may be in use again.
  EXPECT_EQ(Code(whole->upkeep.shelving.Shelve(ShelveAt(kThen))),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code(whole->upkeep.tidying.Tidy(TidyAt(kThen))), absl::StatusCode::kFailedPrecondition);
}

TEST_P(StoreContractTest, ABackupNamesWhatIsShelvedAndAStoreIsMadeOfIt) {
  const auto shelf = std::make_shared<MemoryObjects>();
  shelf->now = kThen;
  const ShelvedStore on(*engine_, shelf);
  std::vector<NewExecution> sent = RecordNoise(on.store, 2);
  Shelve(on.upkeep);
  sent.push_back(NoisyExecution(3, 200'000));
  Record(on.store, sent.back());
  const std::string backup = MakeTempDir() + "/backup";
  BackupOptions options;
  options.by = kOperator;
  options.now = [] { return kThen; };
  const auto made = MakeBackup(home_->location(), backup, options);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->blobs, 6u);
  EXPECT_EQ(made->shelved, 4u);
  EXPECT_EQ(made->blob_bytes, 400'000u);
  const std::string embedded = absl::StrCat("sqlite:", MakeTempDir(), "/store");
  ExpectRestored(backup, embedded, shelf, options, sent);
  const std::unique_ptr<StoreHome> home = GetParam()();
  ExpectRestored(backup, home->location(), shelf, options, sent);
  Tidy(on.upkeep, kThen + 10 * kDay);
  ExpectAllThere(on.store, sent);

  const ShelvedStore heir(*home->Open(), shelf);
  EXPECT_OK(heir.upkeep.shelving.TakeOver(kOperator, kThen));
  EXPECT_EQ(CountAudit(heir.store, "shelf.take-over"), 1);
  EXPECT_EQ(Shelve(heir.upkeep, ShelveAt(kThen + kOld)).blobs, 2u);
  Tidy(heir.upkeep, kThen + kOld);
  ExpectAllThere(heir.store, sent);
  EXPECT_EQ(Code(on.upkeep.shelving.Shelve(ShelveAt(kThen + kOld))),
            absl::StatusCode::kFailedPrecondition)
      << "the shelf is another's now";
  EXPECT_EQ(Code(on.upkeep.tidying.Tidy(TidyAt(kThen + kOld))),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code(WithShelf(*engine_, shelf)), absl::StatusCode::kFailedPrecondition);
}

TEST_P(StoreContractTest, AShelfWithoutTheStoresBoxesIsNotTakenOver) {
  const auto shelf = std::make_shared<MemoryObjects>();
  const ShelvedStore on(*engine_, shelf);
  EXPECT_EQ(Code(on.upkeep.shelving.TakeOver(kOperator, kThen)),
            absl::StatusCode::kFailedPrecondition);
  RecordNoise(on.store, 1);
  Shelve(on.upkeep);
  shelf->Lose(shelf->Keys("boxes/").at(0));
  EXPECT_EQ(Code(on.upkeep.shelving.TakeOver(kOperator, kThen)),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace gprofhub::store
