#include "server/housekeeping.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "store/objects/open_objects.h"
#include "store/testing/temp_store.h"

namespace gprofhub::server {

namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
constexpr absl::Duration kDay = absl::Hours(24);

class HousekeepingTest : public testing::Test {
 protected:
  // A run without profiles, with a completed analysis, `days` days old, which arrived then.
  void MakeRun(const std::string& key, int days) const { MakeRun(key, days, kNow - days * kDay); }
  void MakeRun(const std::string& key, int days, absl::Time arrived) const {
    store::NewExecution execution;
    execution.run.project = "default";
    execution.run.run_key = key;
    execution.run.commit = std::string(40, 'a');
    execution.run.branch = "main";
    execution.run.started = execution.run.committed = kNow - days * kDay;
    execution.execution.target = "//db:query_test";
    ASSERT_TRUE(store_.store.ingest.RecordExecution(execution, arrived).ok());
    const auto job = store_.store.jobs.Claim("worker", kNow, absl::Minutes(1), 3);
    ASSERT_TRUE(job.ok() && job->has_value());
    ASSERT_TRUE(store_.store.jobs.Complete(**job, {store::MakeBlob(key), {}}, kNow).ok());
    const auto report = store_.store.reports.Claim(store::ReportKind::kBranch, "reporter",
                                                   kNow + kDay, absl::Minutes(1));
    ASSERT_TRUE(report.ok() && report->has_value());
    ASSERT_TRUE(store_.store.reports.Finish(**report, {}, kNow).ok());
  }
  HousekeepingOptions Options() {
    HousekeepingOptions options;
    options.by = {"housekeeping", "here", 0};
    options.pause = absl::ZeroDuration();
    options.now = [this] { return now_; };
    options.on_done = [this](const HousekeepingResult& result) {
      ++rounds_;
      last_ = result;
    };
    return options;
  }

  const std::string folder_ = store::MakeTempDir();
  const store::WholeStore store_ =
      *store::OpenWholeStore("sqlite:" + folder_, store::OpenMode::kCreate);
  absl::Time now_ = kNow;
  int rounds_ = 0;
  HousekeepingResult last_;
};

TEST_F(HousekeepingTest, OneProcessAtATimeAppliesThePoliciesAndCollectsGarbage) {
  store::RetentionPolicy policy;
  policy.project = "default";
  policy.full_days = 30;
  ASSERT_TRUE(store_.upkeep.retention.Set(policy, {}, kNow).ok());
  MakeRun("old", 40, kNow);
  MakeRun("later that day", 40, kNow);
  Housekeeping one(store_.store.reading, store_.upkeep, Options());
  const auto elsewhere = store::OpenWholeStore("sqlite:" + folder_, store::OpenMode::kCreate);
  Housekeeping other(elsewhere->store.reading, elsewhere->upkeep, Options());

  EXPECT_TRUE(*one.RunOnce());
  EXPECT_EQ(last_.freed.runs, 1u);
  EXPECT_EQ(last_.collected.marked, 1u);
  EXPECT_FALSE(*other.RunOnce()) << "it is not time";
  now_ += absl::Hours(6);
  EXPECT_TRUE(*other.RunOnce());
  EXPECT_FALSE(*one.RunOnce());
  EXPECT_EQ(last_.freed.runs, 0u);
  EXPECT_EQ(last_.collected.waiting, 1u);
  now_ += kDay;
  EXPECT_TRUE(*one.RunOnce());
  EXPECT_EQ(last_.collected.blobs, 1u);
  EXPECT_EQ(rounds_, 3);
}

TEST_F(HousekeepingTest, RetentionPausesWhileTheClockIsOff) {
  store::RetentionPolicy policy;
  policy.project = "default";
  policy.full_days = 30;
  ASSERT_TRUE(store_.upkeep.retention.Set(policy, {}, kNow).ok());
  MakeRun("old", 20, kNow);
  MakeRun("later that day", 20, kNow);
  Housekeeping one(store_.store.reading, store_.upkeep, Options());
  for (const absl::Duration jump : {365 * kDay, 11 * kDay, -absl::Hours(3), -365 * kDay}) {
    now_ = kNow + jump;
    EXPECT_TRUE(*one.RunOnce()) << jump << ": a turn in the future is not waited for";
    EXPECT_EQ(last_.freed.runs, 0u) << jump;
  }
  MakeRun("old enough", 40, kNow);
  MakeRun("later", 40, kNow);
  now_ = kNow + absl::Hours(7);
  EXPECT_TRUE(*one.RunOnce());
  EXPECT_EQ(last_.freed.runs, 1u);
}

TEST_F(HousekeepingTest, WhatChangedIsCountedAlsoWhenItIsNotTimeForMore) {
  MakeRun("first", 1);
  Housekeeping one(store_.store.reading, store_.upkeep, Options());
  EXPECT_TRUE(*one.RunOnce());
  MakeRun("second", 1);
  EXPECT_FALSE(*one.RunOnce());
  EXPECT_EQ(*store_.upkeep.run_counts.Keep({}), 0u) << "both are counted";
}

TEST_F(HousekeepingTest, OldBlobsAreArchivedIfTheStoreHasAnArchive) {
  const std::string folder = store::MakeTempDir();
  const std::shared_ptr<store::ObjectStore> archive = *store::OpenObjects(folder);
  std::set<std::string> uses;
  const auto with_archive = *store::OpenWholeStore("sqlite:" + folder_, store::OpenMode::kCreate,
                                                   archive, [&uses](const store::StoreCall& call) {
                                                     if (call.part == "archive")
                                                       uses.insert(std::string(call.operation));
                                                   });
  MakeRun("old", 8);
  MakeRun("young", 1);
  HousekeepingOptions options = Options();
  options.archive_after = absl::ZeroDuration();
  EXPECT_TRUE(*Housekeeping(with_archive.store.reading, with_archive.upkeep, options).RunOnce());
  EXPECT_EQ(last_.archived.targets, 0u) << "it is only read";
  EXPECT_EQ(last_.encoded.targets, 1u);
  now_ += absl::Hours(6);
  options.archive_after = 7 * kDay;
  EXPECT_TRUE(*Housekeeping(with_archive.store.reading, with_archive.upkeep, options).RunOnce());
  EXPECT_EQ(last_.archived.targets, 1u);
  EXPECT_EQ(last_.encoded.targets, 0u) << "archived blobs are not encoded";
  EXPECT_TRUE(uses.contains("put")) << "calls of the archive are reported";
}

TEST_F(HousekeepingTest, MissingArchiveDoesNotStopHousekeeping) {
  const std::string folder = store::MakeTempDir();
  const std::shared_ptr<store::ObjectStore> archive = *store::OpenObjects(folder);
  const auto with_archive =
      *store::OpenWholeStore("sqlite:" + folder_, store::OpenMode::kCreate, archive);
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(*Housekeeping(with_archive.store.reading, with_archive.upkeep, Options()).RunOnce());
  EXPECT_EQ(rounds_, 1);
}

TEST_F(HousekeepingTest, WithoutAPolicyNoRunGoes) {
  MakeRun("old", 4000);
  Housekeeping housekeeping(store_.store.reading, store_.upkeep, Options());
  EXPECT_TRUE(*housekeeping.RunOnce());
  EXPECT_EQ(last_.freed.runs + last_.collected.blobs + last_.collected.marked, 0u);
}

}  // namespace

}  // namespace gprofhub::server
