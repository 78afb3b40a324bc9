// Contract tests: garbage collection, and that no upload loses a blob by it.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/upkeep_helpers.h"
#include "store/sql/engine.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::Duration kGrace = absl::Hours(24);

CollectOptions At(absl::Time now) {
  CollectOptions options;
  options.now = [now] { return now; };
  options.grace = kGrace;
  return options;
}

Collected Collect(const Upkeep& upkeep, const CollectOptions& options) {
  const absl::StatusOr<Collected> collected = upkeep.garbage.Collect(options, kOperator);
  EXPECT_TRUE(collected.ok()) << collected.status();
  return collected.ok() ? *collected : Collected();
}

TEST_P(StoreContractTest, BlobsOfADeletedRunGoAfterTheTimeOfGrace) {
  const NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  Analyze(*store_);
  const Collected nothing = Collect(upkeep(), At(kNow));
  EXPECT_EQ(nothing.marked + nothing.blobs + nothing.waiting, 0u);
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kNow));
  ASSERT_EQ(NumberOf(database(), "SELECT count(*) FROM blob"), 3);

  EXPECT_EQ(Collect(upkeep(), At(kNow)).marked, 3u);
  EXPECT_EQ(Collect(upkeep(), At(kNow + kGrace - absl::Seconds(1))).waiting, 3u);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob"), 3);
  CollectOptions dry = At(kNow + kGrace);
  dry.dry_run = true;
  EXPECT_EQ(Collect(upkeep(), dry).blobs, 3u);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob"), 3);
  const Collected collected = Collect(upkeep(), At(kNow + kGrace));
  EXPECT_EQ(collected.blobs, 3u);
  EXPECT_EQ(collected.blob_bytes, 13u + 7u + 8u);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob"), 0);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob_right"), 0);
  EXPECT_EQ(Code(store_->blobs.Read(execution.images[0].bundle)), absl::StatusCode::kNotFound);
  EXPECT_EQ(CountAudit(*store_, "blob.delete"), 1);
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

TEST_P(StoreContractTest, BlobsThatOthersReferToStay) {
  const int64_t first = Record(*store_, MakeExecution("one")).run_id;
  Record(*store_, MakeExecution("two"));  // has the same bundle
  EXPECT_OK(store_->removal.DeleteRun("sqlite", first, kOperator, kNow));
  EXPECT_EQ(Collect(upkeep(), At(kNow)).marked, 1u);
  EXPECT_EQ(Collect(upkeep(), At(kNow + kGrace)).blobs, 1u);
  EXPECT_EQ(*store_->blobs.Read(NameBlob("symbols")), "symbols");
}

TEST_P(StoreContractTest, AnUploadDoesNotLoseABlobThatItWasToldItNeedNotSend) {
  NewExecution execution = MakeExecution("old");
  const int64_t run_id = Record(*store_, execution).run_id;
  const std::vector<BlobName> names = {execution.profiles[0].data, execution.images[0].bundle};
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kNow));
  // The upload asks for missing blobs. Then the collection marks.
  ASSERT_THAT(*store_->blobs.FindToSend("sqlite", names), IsEmpty());
  EXPECT_EQ(Collect(upkeep(), At(kNow)).marked, 2u);
  EXPECT_EQ(*store_->blobs.FindToSend("sqlite", names), names) << "others are told to send them";
  EXPECT_THAT(*store_->blobs.FindMissing("sqlite", names), IsEmpty());
  // Then the upload sends the rest.
  execution.run.run_key = "new";
  execution.blobs.clear();
  Record(*store_, execution);
  EXPECT_THAT(*store_->blobs.FindToSend("sqlite", names), IsEmpty()) << "they are used again";
  EXPECT_EQ(Collect(upkeep(), At(kNow + 2 * kGrace)).blobs, 0u);
  EXPECT_EQ(*store_->blobs.Read(names[0]), "gmon of old");
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

TEST_P(StoreContractTest, ABlobThatIsMarkedAlthoughItIsUsedStays) {
  Record(*store_, MakeExecution());
  Do(database(), "UPDATE blob SET unused_since_us = 1");  // a possible result of a race
  EXPECT_EQ(Collect(upkeep(), At(kNow)).blobs, 0u);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob WHERE unused_since_us <> 0"), 0);
}

TEST_P(StoreContractTest, NoBlobGoesWhileABackupIsMade) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kNow));
  Collect(upkeep(), At(kNow));
  const absl::Time later = kNow + kGrace;
  EXPECT_OK(database().Write([&](sql::Session& session) {
    return sql::SetProperty(session, sql::kBackupLease,
                            absl::ToUnixMicros(later + absl::Minutes(1)));
  }));
  EXPECT_EQ(Code(upkeep().garbage.Collect(At(later), kOperator)), absl::StatusCode::kUnavailable);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob"), 2);
  EXPECT_EQ(Collect(upkeep(), At(later + absl::Minutes(1))).blobs, 2u) << "its lease ran out";
}

TEST_P(StoreContractTest, ManySmallStepsDoWhatOneDoes) {
  for (int i = 0; i < 7; ++i) {
    const int64_t run_id = Record(*store_, MakeExecution(absl::StrCat("run ", i))).run_id;
    EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kOperator, kNow));
  }
  CollectOptions options = At(kNow);
  options.rows_at_once = 2;
  int pauses = 0;
  options.pause = [&pauses] { return ++pauses, absl::OkStatus(); };
  EXPECT_EQ(Collect(upkeep(), options).marked, 8u);
  EXPECT_GE(pauses, 4);
  options.now = [] { return kNow + kGrace; };
  options.pause = [&pauses] {
    return ++pauses < 8 ? absl::OkStatus() : absl::CancelledError("the server ends");
  };
  EXPECT_EQ(Code(upkeep().garbage.Collect(options, kOperator)), absl::StatusCode::kCancelled);
  EXPECT_THAT(Kinds(upkeep(), /*damages_only=*/true), IsEmpty()) << "half way is consistent";
  options.pause = [] { return absl::OkStatus(); };
  Collect(upkeep(), options);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob"), 0);
}

// Concurrent uploads, deletions and collections without a grace period: no upload that sends its
// bytes fails, and no referenced blob is lost.
TEST_P(StoreContractTest, CollectionsBesideUploadsLoseNothing) {
  std::atomic<bool> stop{false};
  std::thread collector([&] {
    CollectOptions options = At(kNow + kGrace);
    options.grace = absl::ZeroDuration();
    while (!stop) {
      const auto collected = upkeep().garbage.Collect(options, kOperator);
      EXPECT_TRUE(collected.ok()) << collected.status();
    }
  });
  std::vector<std::thread> uploaders;
  for (int uploader = 0; uploader < 3; ++uploader) {
    uploaders.emplace_back([&, uploader] {
      for (int i = 0; i < 12; ++i) {
        // All have the same bundle, and three uploads the same profile.
        NewExecution execution = MakeExecution(absl::StrCat("shared ", i));
        execution.run.run_key = absl::StrCat(uploader, "/", i);
        const auto recorded = store_->ingest.RecordExecution(execution, kNow);
        // A project's right may be removed between two checks; the uploader has to send again.
        if (absl::IsFailedPrecondition(recorded.status()) ||
            absl::IsUnavailable(recorded.status())) {
          Record(*store_, execution);
        } else {
          EXPECT_TRUE(recorded.ok()) << recorded.status();
        }
        if (i % 2 == 0 && recorded.ok()) {
          EXPECT_OK(store_->removal.DeleteRun("sqlite", recorded->run_id, kOperator, kNow));
        }
      }
    });
  }
  for (std::thread& uploader : uploaders) uploader.join();
  stop = true;
  collector.join();
  EXPECT_THAT(Kinds(upkeep(), /*damages_only=*/true), IsEmpty());
  EXPECT_GE(NumberOf(database(), "SELECT count(*) FROM run"), 18);
}

// ---- Leftovers of races ----

// Concurrent, conflicting uploads of one execution, of which one succeeds. The blobs of the others
// are removed.
TEST_P(StoreContractTest, RacesOfDuplicatesLeaveNoOrphans) {
  constexpr int kRaces = 20;
  constexpr int kRacers = 4;
  for (int race = 0; race < kRaces; ++race) {
    std::vector<std::thread> racers;
    std::atomic<int> recorded{0};
    for (int racer = 0; racer < kRacers; ++racer) {
      racers.emplace_back([&, racer] {
        NewExecution execution = MakeExecution(absl::StrCat("race ", race));
        // Two of them are duplicates of each other.
        const Blob gmon = MakeBlob(absl::StrCat("gmon of racer ", racer / 2, " in race ", race));
        execution.profiles[0].data = gmon.name;
        execution.blobs[0] = gmon;
        const auto outcome = store_->ingest.RecordExecution(execution, kNow);
        if (outcome.ok()) ++recorded;
        EXPECT_TRUE(outcome.ok() || absl::IsAlreadyExists(outcome.status())) << outcome.status();
      });
    }
    for (std::thread& racer : racers) racer.join();
    EXPECT_EQ(recorded, 2);
  }
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM blob"), kRaces + 1);
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

TEST_P(StoreContractTest, AnAnalysisThatWasTakenOverLeavesNoOrphan) {
  Record(*store_, MakeExecution());
  const Job slow = Claim(*store_, "slow", kNow);
  const Job fast = Claim(*store_, "fast", kNow + 2 * kLease);
  EXPECT_OK(store_->jobs.Complete(fast, MakeResult(fast, "fast"), kNow));
  EXPECT_EQ(Code(store_->jobs.Complete(slow, MakeResult(slow, "slow"), kNow)),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

}  // namespace

}  // namespace gprofhub::store
