#include "cli/observe/store_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "store/testing/temp_store.h"

namespace gprofhub::cli {
namespace {

using ::testing::SizeIs;

class StoreWatchTest : public testing::Test {
 protected:
  StoreWatch::Options Options() {
    StoreWatch::Options options;
    options.now = [this] { return now_; };
    return options;
  }
  void Upload(const std::string& target) {
    store::NewExecution execution;
    execution.run.project = "default";
    execution.run.run_key = "run";
    execution.run.commit = "1111111";
    execution.run.started = now_;
    execution.execution.target = target;
    const auto recorded = store_.ingest.RecordExecution(execution, now_);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
  }

  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  const std::string folder_ = store::MakeTempDir();
  const store::Store store_ = store::MakeTempStore(folder_);
  UploadRoom room_{[this] { return now_; }};
  StoreWatch watch_{store_.condition, room_, Options()};
};

TEST_F(StoreWatchTest, KnowsNothingBeforeItAsked) {
  EXPECT_FALSE(watch_.view().status.ok());
  watch_.Ask();
  EXPECT_TRUE(watch_.view().status.ok());
  EXPECT_EQ(watch_.view().asked, absl::InfiniteFuture());
}

TEST_F(StoreWatchTest, SeesTheDiskOfTheDataDirectory) {
  watch_.Ask();
  const Disk disk = watch_.view().disk;
  EXPECT_GT(disk.size, 0u);
  EXPECT_LE(disk.free, disk.size);
}

TEST_F(StoreWatchTest, SeesADataDirectoryThatWasTakenAwayAndPutBack) {
  watch_.Ask();
  std::filesystem::rename(folder_, folder_ + ".away");
  watch_.Ask();
  EXPECT_TRUE(absl::IsUnavailable(watch_.view().status)) << watch_.view().status;
  std::filesystem::rename(folder_ + ".away", folder_);
  watch_.Ask();
  EXPECT_TRUE(watch_.view().status.ok()) << watch_.view().status;
}

TEST_F(StoreWatchTest, KnowsSinceWhenTheSameJobIsTheOldest) {
  const absl::Time begun = now_;
  Upload("//a");
  watch_.Ask();
  now_ += absl::Minutes(5);
  Upload("//b");
  watch_.Ask();
  ASSERT_THAT(watch_.view().queues, SizeIs(3));
  EXPECT_EQ(watch_.view().queues[0].waiting, 2u);
  EXPECT_EQ(watch_.view().same_oldest_since["analysis"], begun);
  const auto job = store_.jobs.Claim("worker", now_, absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
  now_ += absl::Seconds(20);
  watch_.Ask();
  EXPECT_EQ(watch_.view().same_oldest_since["analysis"], now_) << "another one is the oldest";
}

TEST_F(StoreWatchTest, CountsQueuesLessOftenThanItAsks) {
  watch_.Ask();
  const absl::Time read = watch_.view().queues_read;
  now_ += absl::Seconds(2);
  watch_.Ask();
  EXPECT_EQ(watch_.view().queues_read, read);
  now_ += absl::Seconds(10);
  watch_.Ask();
  EXPECT_EQ(watch_.view().queues_read, now_);
}

TEST_F(StoreWatchTest, AFullStoreIsHeardOfUntilAWriteGoesWell) {
  room_.Hear({"ingest", "stage_blobs", {}, absl::StatusCode::kResourceExhausted});
  EXPECT_EQ(watch_.view().no_room, now_);
  room_.Hear({"ingest", "read", {}, absl::StatusCode::kOk});
  EXPECT_EQ(watch_.view().no_room, now_) << "a read needs no room";
  room_.Hear({"ingest", "write", {}, absl::StatusCode::kOk});
  EXPECT_EQ(watch_.view().no_room, absl::InfinitePast());
}

}  // namespace
}  // namespace gprofhub::cli
