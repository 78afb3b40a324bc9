// Contents of uploads: profiles and bundles must be readable and belong together.
#include <gtest/gtest.h>

#include <string>

#include "collector/testing/sample_upload.h"
#include "collector/testing/upload_session_fixture.h"
#include "profile/codec/recording.h"
#include "profile/codec/stacks.h"
#include "profile/gmon/writer.h"
#include "profile/testing/sample_profile.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {
namespace {

// Stacks in main, which called sum from 0x1010.
std::string SampleStacks() {
  profile::ImageStacks stacks;
  stacks.functions = {0x1000, 0x1200};
  stacks.frames = {{1, 0x10}, {2, 0}};
  stacks.stacks = {{2, 7}};
  return profile::EncodeStacks(stacks);
}

TEST_F(UploadSessionTest, StoresSampledStacksAsARunOfThatKind) {
  upload_.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  ReplaceProfile(upload_, 0, SampleStacks());
  const auto response = Send(upload_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(store::RunsIn(store_.reading)[0].profile_kind, store::ProfileKind::kSampled);
}

TEST_F(UploadSessionTest, RefusesProfilesOfAnotherKindThanTheRuns) {
  upload_.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: gmon.17: not a zstd frame");
  ReplaceProfile(upload_, 0, profile::PackRecording("a recording"));
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: ");
  upload_.header.mutable_run()->set_profile_kind(v1::COUNTED);
  ReplaceProfile(upload_, 0, SampleStacks());
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: ");
}

TEST_F(UploadSessionTest, RefusesSampledStacksOfFunctionsThatTheImageHasNot) {
  upload_.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  profile::ImageStacks stacks;
  stacks.functions = {0x1010};
  stacks.frames = {{1, 0}};
  stacks.stacks = {{1, 7}};
  ReplaceProfile(upload_, 0, profile::EncodeStacks(stacks));
  ExpectRefused(upload_, kInvalid,
                "function_delta, row 0: no function of query_test begins at 0x1010");
}

TEST_F(UploadSessionTest, RefusesBytesThatAreNoProfile) {
  ReplaceProfile(upload_, 0, "#!/bin/sh\necho hello, I am not a profile\n");
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: as a profile of query_test");
}

TEST_F(UploadSessionTest, RefusesAProfileCutShortNamingFileAndOffset) {
  ReplaceProfile(upload_, 0, profile::SampleGmon(7).substr(0, 60));
  ExpectRefused(upload_, kInvalid, "gmon.17");
}

TEST_F(UploadSessionTest, RefusesAProfileThatAnnouncesMoreThanItHas) {
  // A histogram of 2^32-1 bins in 60 bytes: it must not be allocated.
  std::string gmon = profile::SampleGmon(7).substr(0, 20 + 1 + 40);
  gmon.replace(20 + 1 + 16, 4, "\xFF\xFF\xFF\xFF");
  ReplaceProfile(upload_, 0, gmon);
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data");
}

TEST_F(UploadSessionTest, RefusesAProfileOfAForeignArchitecture) {
  profile::RawProfile profile = profile::SampleProfile(7);
  ReplaceProfile(upload_, 0, *profile::WriteGmon(profile, {.address_size = 4, .big_endian = true}));
  ExpectRefused(upload_, kInvalid, "as a profile of query_test (x86_64)");
}

TEST_F(UploadSessionTest, RefusesAProfileOfAnotherBinary) {
  profile::RawProfile profile = profile::SampleProfile(7);
  profile.histograms[0].low_pc += 0x10000000;
  profile.histograms[0].high_pc += 0x10000000;
  for (profile::RawArc& arc : profile.arcs) arc.self_pc += 0x10000000;
  ReplaceProfile(upload_, 0, *profile::WriteGmon(profile));
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data");
}

TEST_F(UploadSessionTest, RefusesBytesThatAreNoBundle) {
  ReplaceBundle(upload_, 0, "not a bundle");
  ExpectRefused(upload_, kInvalid, "header.images[0].bundle");
}

TEST_F(UploadSessionTest, RefusesTheBundleOfAnotherImage) {
  ReplaceBundle(upload_, 0, profile::SampleBundle(99));
  ExpectRefused(upload_, kInvalid, "header.images[0].bundle: is the symbol bundle of build-id");
}

TEST_F(UploadSessionTest, RefusesAHeldBlobUnderAWrongBuildId) {
  ASSERT_TRUE(Send(upload_).ok());
  upload_.header.mutable_execution()->set_run_number(2);
  upload_.header.mutable_images(0)->set_build_id("00112233");
  upload_.header.mutable_profiles(0)->set_build_id("00112233");
  upload_.chunks.clear();
  const auto response = Send(upload_);
  EXPECT_TRUE(absl::IsInvalidArgument(response.status())) << response.status();
  EXPECT_EQ((*store_.reading.ListTargets(1))[0].executions, 1u);
}

TEST_F(UploadSessionTest, RefusesAHeldBundleAsAProfile) {
  ASSERT_TRUE(Send(upload_).ok());
  upload_.header.mutable_execution()->set_run_number(2);
  *upload_.header.mutable_profiles(0)->mutable_data() = upload_.header.images(0).bundle();
  upload_.chunks.clear();
  EXPECT_TRUE(absl::IsInvalidArgument(Send(upload_).status()));
}

}  // namespace
}  // namespace gprofhub::collector
