#include "ci/upload/upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

#include "absl/synchronization/barrier.h"
#include "absl/synchronization/notification.h"
#include "base/file.h"
#include "ci/upload/testing/test_files.h"
#include "ci/upload/testing/upload_fixture.h"

namespace gprofhub::ci {

namespace {

using ::testing::ElementsAre;

TEST(BoundedWorkTest, OneThreadWorksInTheOrderInWhichWorkCame) {
  std::vector<int> done;
  {
    BoundedWork work(1, 100);
    for (int i = 0; i < 5; ++i) work.Add(1, [&done, i] { done.push_back(i); });
  }
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3, 4));
}

TEST(BoundedWorkTest, AsManyPiecesAsThereAreThreadsAreUnderWayAtOnce) {
  constexpr int kThreads = 4;
  // Requires all pieces to run at the same time.
  auto* const barrier = new absl::Barrier(kThreads);
  std::atomic<int> done = 0;
  {
    BoundedWork work(kThreads, 100);
    for (int i = 0; i < kThreads; ++i) {
      work.Add(1, [&] {
        if (barrier->Block()) delete barrier;
        ++done;
      });
    }
  }
  EXPECT_EQ(done, kThreads);
}

TEST(BoundedWorkTest, WorkThatHoldsTooMuchWaitsUntilEnoughIsGivenBack) {
  absl::Notification begun, go_on;
  std::atomic<int> done_before_large = -1;
  std::atomic<int> done = 0;
  {
    BoundedWork work(4, 10);
    work.Add(6, [&] {
      begun.Notify();
      go_on.WaitForNotification();
      ++done;
    });
    begun.WaitForNotification();
    // This one fits, the next one does not.
    work.Add(4, [&] {
      ++done;
      go_on.Notify();
    });
    work.Add(100, [&] { done_before_large = done.load(); });
  }
  EXPECT_EQ(done_before_large, 2) << "it had to wait for both";
}

TEST(BoundedWorkTest, WhatAPieceHoldsIsFreeBeforeThereIsRoomForMore) {
  const auto held = std::make_shared<int>(1);
  BoundedWork work(1, 10);
  work.Add(10, [copy = held] {});
  work.Add(10, [] {});
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(UploadTest, RunWithoutAKeyIsKnownByItsContents) {
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  plan_.run.clear_run_key();
  v1::RunInfo first = plan_.run;
  v1::RunInfo second = plan_.run;
  ASSERT_TRUE(CompleteRun(plan_.attempts, first).ok());
  ASSERT_TRUE(CompleteRun(plan_.attempts, second).ok());
  EXPECT_EQ(first.run_key(), second.run_key());
  EXPECT_EQ(first.started_unix_ms(), second.started_unix_ms());
  EXPECT_GT(first.started_unix_ms(), 0);
  WriteTestFile(plan_.attempts[0].outputs[0] + "/gmon.out", MakeProfile(4));
  ASSERT_TRUE(CompleteRun(plan_.attempts, plan_.run).ok());
  EXPECT_NE(plan_.run.run_key(), first.run_key());
}

TEST_F(UploadTest, FileOfAnySizeIsLeftOutAlone) {
  AddAttempt("//a:large", {{"gmon.out", ""}, {"gmon.2", MakeProfile(3)}});
  AddAttempt("//a:other", {{"gmon.out", MakeProfile(4)}});
  const std::string large = plan_.attempts[0].outputs[0] + "/gmon.out";
  std::filesystem::resize_file(large, uint64_t{3} << 30);  // sparse
  v1::RunInfo named = plan_.run;
  named.clear_run_key();
  ASSERT_TRUE(CompleteRun(plan_.attempts, named).ok());
  std::filesystem::resize_file(large, (uint64_t{3} << 30) + 1);
  v1::RunInfo changed = plan_.run;
  changed.clear_run_key();
  ASSERT_TRUE(CompleteRun(plan_.attempts, changed).ok());
  EXPECT_NE(named.run_key(), changed.run_key());
  const UploadSummary summary = Upload();
  std::filesystem::remove(large);
  EXPECT_TRUE(summary.status.ok()) << summary.status;
  EXPECT_EQ(summary.profiles, 2u);
  ASSERT_EQ(summary.skipped.size(), 1u);
  EXPECT_THAT(summary.skipped[0], ::testing::HasSubstr(large));
}

TEST(CompleteRun, LeavesAloneWhatIsNamed) {
  v1::RunInfo run;
  run.set_run_key("mine");
  run.set_started_unix_ms(7);
  TestAttempt attempt;
  attempt.outputs = {"absent"};
  EXPECT_TRUE(CompleteRun({attempt}, run).ok());
  EXPECT_EQ(run.run_key(), "mine");
  EXPECT_EQ(run.started_unix_ms(), 7);
  run.clear_run_key();
  EXPECT_EQ(CompleteRun({attempt}, run).code(), absl::StatusCode::kNotFound);
}

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(UploadTest, ProfileIsSentWithItsImage) {
  const std::string name = "toy_program." + ProgramBuildId() + ".gmon.12";
  AddAttempt("//a:t", {{name, MakeProfile(3)}});
  const UploadSummary summary = Upload();
  EXPECT_TRUE(summary.status.ok());
  EXPECT_THAT(summary.skipped, IsEmpty());
  EXPECT_EQ(summary.executions, 1u);
  EXPECT_EQ(summary.profiles, 1u);
  EXPECT_EQ(summary.bytes_sent, 10u);
  EXPECT_THAT(summary.images, ElementsAre(ProgramBuildId()));
  ASSERT_THAT(headers_, SizeIs(1));
  const v1::UploadHeader& header = headers_[0];
  EXPECT_EQ(header.execution().target(), "//a:t");
  EXPECT_EQ(header.execution().status(), "PASSED");
  EXPECT_EQ(header.run().configuration(), "k8-opt");
  ASSERT_EQ(header.profiles_size(), 1);
  EXPECT_EQ(header.profiles(0).process(), name);
  EXPECT_EQ(header.profiles(0).build_id(), ProgramBuildId());
  ASSERT_EQ(header.images_size(), 1);
  EXPECT_EQ(header.images(0).build_id(), ProgramBuildId());
}

TEST_F(UploadTest, CachedAndProfilelessExecutionsAreCounted) {
  AddAttempt("//a:cached", {{"gmon.out", MakeProfile(3)}}).cached = true;
  AddAttempt("//a:none", {{"log.txt", "x"}});
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.executions, 1u);
  EXPECT_EQ(summary.cached, 1u);
  EXPECT_EQ(summary.without_profiles, 1u);
  ASSERT_THAT(headers_, SizeIs(1));
  EXPECT_TRUE(headers_[0].execution().cached());
}

TEST_F(UploadTest, RefusedExecutionIsSkippedAndTheNextIsSent) {
  AddAttempt("//a:a", {{"gmon.out", MakeProfile(3)}});
  AddAttempt("//a:b", {{"gmon.out", MakeProfile(4)}});
  answers_ = {absl::AlreadyExistsError("other bytes")};
  const UploadSummary summary = Upload();
  EXPECT_TRUE(summary.status.ok());
  EXPECT_EQ(summary.executions, 1u);
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("//a:a run 1 shard 1 attempt 1: other bytes"));
}

TEST_F(UploadTest, UnreachableServerEndsTheUpload) {
  AddAttempt("//a:a", {{"gmon.out", MakeProfile(3)}});
  AddAttempt("//a:b", {{"gmon.out", MakeProfile(4)}});
  answers_ = {absl::UnavailableError("down")};
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(summary.executions, 0u);
  EXPECT_THAT(headers_, SizeIs(1));
}

TEST_F(UploadTest, ManyExecutionsSentAtOnceAreToldOfInTheOrderOfTheirNames) {
  at_once_ = 8;
  for (int i = 10; i < 40; ++i) {
    AddAttempt("//a:t" + std::to_string(i), {{"gmon.out", i % 2 == 0 ? MakeProfile(3) : "x"}});
  }
  const UploadSummary summary = Upload();
  EXPECT_TRUE(summary.status.ok());
  EXPECT_EQ(summary.executions, 15u);
  EXPECT_EQ(summary.bytes_sent, 150u);
  EXPECT_THAT(progress_, SizeIs(30));
  ASSERT_THAT(summary.skipped, SizeIs(15));
  for (int i = 0; i < 15; ++i) {
    EXPECT_THAT(summary.skipped[i], HasSubstr("//a:t" + std::to_string(11 + 2 * i)));
  }
}

TEST_F(UploadTest, ConfigurationsOfOneBuildBecomeRunsOfTheirOwn) {
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}}).configuration = "k8-dbg";
  Upload();
  ASSERT_THAT(headers_, SizeIs(2));
  EXPECT_EQ(headers_[0].run().run_key(), "k/k8-dbg");
  EXPECT_EQ(headers_[0].run().configuration(), "k8-dbg");
  EXPECT_EQ(headers_[1].run().run_key(), "k/k8-opt");
}

TEST_F(UploadTest, DryRunSendsNothing) {
  dry_run_ = true;
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  const UploadSummary summary = Upload();
  EXPECT_THAT(headers_, IsEmpty());
  EXPECT_EQ(summary.executions, 1u);
  EXPECT_GT(summary.bytes_total, 0u);
  EXPECT_EQ(summary.bytes_sent, 0u);
}

TEST_F(UploadTest, BundleIsKeptAndADamagedOneIsMadeAnew) {
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  Upload();
  const std::string cached = folder_ + "/cache/" + ProgramBuildId() + ".3";
  const std::string bytes = *base::ReadFile(cached, 1 << 20);
  WriteTestFile(cached, bytes.substr(0, bytes.size() / 2));
  Upload();
  EXPECT_EQ(*base::ReadFile(cached, 1 << 20), bytes);
  ASSERT_THAT(headers_, SizeIs(2));
  EXPECT_EQ(headers_[0].images(0).bundle().sha256(), headers_[1].images(0).bundle().sha256());
}

TEST_F(UploadTest, CachedBundleReplacesReadingTheImage) {
  AddAttempt("//a:t", {{"toy." + ProgramBuildId() + ".gmon.1", MakeProfile(3)}});
  Upload();
  // The same program without its symbol table: only the cache has main's name.
  ImageBundles bundles(folder_ + "/cache");
  const auto image = bundles.Load("/nonexistent", ProgramBuildId());
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ((*image)->bundle_sha256, headers_[0].images(0).bundle().sha256());
}

}  // namespace

}  // namespace gprofhub::ci
