#include "ci/upload/upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/read_file.h"
#include "ci/upload/results/test_files.h"
#include "ci/upload/upload_fixture.h"

namespace gprofhub::ci {
namespace {

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
