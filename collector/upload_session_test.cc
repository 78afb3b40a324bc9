#include "collector/upload_session.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "collector/testing/sample_upload.h"
#include "collector/testing/temp_store.h"
#include "profile/codec/recording.h"
#include "profile/codec/stacks.h"
#include "profile/gmon/writer.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::collector {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

class UploadSessionTest : public testing::Test {
 protected:
  explicit UploadSessionTest(uint64_t in_flight_bytes = 1 << 20)
      : context_(store_.blobs, store_.ingest, Limits(), in_flight_bytes) {}

  static UploadLimits Limits() {
    UploadLimits limits;
    limits.profile = 4000;
    limits.stream = 5000;
    limits.chunk = 3000;
    return limits;
  }

  UploadSession Session() {
    return UploadSession(context_, [](absl::string_view) { return absl::OkStatus(); });
  }

  absl::StatusOr<v1::UploadResponse> Send(const std::vector<v1::UploadRequest>& messages) {
    UploadSession session = Session();
    for (v1::UploadRequest message : messages) {
      if (absl::Status status = session.Receive(std::move(message)); !status.ok()) return status;
    }
    return session.Finish(kNow);
  }

  absl::StatusOr<v1::UploadResponse> Send(const SampleUpload& upload) {
    return Send(upload.Messages());
  }

  // Sends, wants this error with these words, and nothing stored.
  void ExpectRefused(const std::vector<v1::UploadRequest>& messages, absl::StatusCode code,
                     absl::string_view words) {
    const auto response = Send(messages);
    EXPECT_EQ(response.status().code(), code) << response.status();
    EXPECT_TRUE(absl::StrContains(response.status().message(), words)) << response.status();
    EXPECT_TRUE(RunsIn(store_.reading).empty());
    for (const v1::UploadRequest& message : messages) {
      if (!message.has_chunk() || message.chunk().sha256().size() != 64) continue;
      EXPECT_EQ(store_.blobs.FindMissing({message.chunk().sha256()})->size(), 1u);
    }
  }
  void ExpectRefused(const SampleUpload& upload, absl::StatusCode code, absl::string_view words) {
    ExpectRefused(upload.Messages(), code, words);
  }

  const store::Store store_ = MakeTempStore();
  UploadContext context_;
  SampleUpload upload_ = MakeSampleUpload(1);
};

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST_F(UploadSessionTest, StoresAnExecutionAndQueuesItsAnalysis) {
  const auto response = Send(upload_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->already_present());
  EXPECT_EQ(response->profiles_stored(), 1u);
  EXPECT_EQ(response->bytes_received(),
            profile::SampleBundle(1).size() + profile::SampleGmon(101).size());
  const std::vector<store::RunRecord> runs = RunsIn(store_.reading);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].commit, upload_.header.run().commit());
  const auto job = store_.jobs.Claim("w", kNow, absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value());
  EXPECT_EQ((*job)->target, "//db:test_1");
}

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
  ReplaceGmon(upload_, 0, SampleStacks());
  const auto response = Send(upload_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(RunsIn(store_.reading)[0].profile_kind, store::ProfileKind::kSampled);
}

TEST_F(UploadSessionTest, RefusesProfilesOfAnotherKindThanTheRuns) {
  upload_.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: gmon.17: not a zstd frame");
  ReplaceGmon(upload_, 0, profile::PackRecording("a recording"));
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: ");
  upload_.header.mutable_run()->set_profile_kind(v1::COUNTED);
  ReplaceGmon(upload_, 0, SampleStacks());
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: ");
}

TEST_F(UploadSessionTest, RefusesSampledStacksOfFunctionsThatTheImageHasNot) {
  upload_.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  profile::ImageStacks stacks;
  stacks.functions = {0x1010};
  stacks.frames = {{1, 0}};
  stacks.stacks = {{1, 7}};
  ReplaceGmon(upload_, 0, profile::EncodeStacks(stacks));
  ExpectRefused(upload_, kInvalid,
                "function_delta, row 0: no function of query_test begins at 0x1010");
}

TEST_F(UploadSessionTest, AnswersTheSameUploadTwiceAndKeepsOneRecord) {
  const auto first = Send(upload_);
  const auto second = Send(upload_);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE(second->already_present());
  EXPECT_EQ(second->run_id(), first->run_id());
  EXPECT_EQ(second->profiles_stored(), 0u);
  EXPECT_EQ((*store_.reading.ListTargets(std::stoll(first->run_id())))[0].executions, 1u);
}

TEST_F(UploadSessionTest, NeedsNotToBeSentBlobsThatAreHeld) {
  ASSERT_TRUE(Send(upload_).ok());
  upload_.header.mutable_execution()->set_run_number(2);
  upload_.chunks.clear();
  const auto response = Send(upload_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->already_present());
  EXPECT_EQ(response->bytes_received(), 0u);
}

TEST_F(UploadSessionTest, TakesChunksOfSeveralBlobsInTurns) {
  std::swap(upload_.chunks[0], upload_.chunks[1]);
  EXPECT_TRUE(Send(upload_).ok());
}

TEST_F(UploadSessionTest, TakesAnExecutionWithoutProfiles) {
  upload_.header.clear_profiles();
  upload_.header.clear_images();
  upload_.chunks.clear();
  EXPECT_TRUE(Send(upload_).ok());
}

TEST_F(UploadSessionTest, RefusesAStreamWithoutHeader) {
  ExpectRefused(std::vector<v1::UploadRequest>(), kInvalid, "header: is missing");
}

TEST_F(UploadSessionTest, RefusesAnEmptyMessage) {
  ExpectRefused({v1::UploadRequest()}, kInvalid, "part: is missing");
}

TEST_F(UploadSessionTest, RefusesAChunkBeforeTheHeader) {
  auto messages = upload_.Messages();
  std::swap(messages[0], messages[1]);
  ExpectRefused(messages, kInvalid, "header: must come before");
}

TEST_F(UploadSessionTest, RefusesASecondHeader) {
  auto messages = upload_.Messages();
  messages.push_back(messages[0]);
  ExpectRefused(messages, kInvalid, "header: came twice");
}

TEST_F(UploadSessionTest, RefusesChunksOutOfOrder) {
  std::swap(upload_.chunks[1], upload_.chunks[2]);
  ExpectRefused(upload_, kInvalid, "chunk.offset: ");
}

TEST_F(UploadSessionTest, RefusesAGapBetweenChunks) {
  upload_.chunks[2].set_offset(upload_.chunks[2].offset() + 1);
  ExpectRefused(upload_, kInvalid, "chunk.offset: ");
}

TEST_F(UploadSessionTest, RefusesAChunkTwice) {
  upload_.chunks.push_back(upload_.chunks[2]);
  ExpectRefused(upload_, kInvalid, "chunk.offset: ");
}

TEST_F(UploadSessionTest, RefusesMoreBytesThanAnnounced) {
  upload_.chunks[2].mutable_data()->push_back('x');
  ExpectRefused(upload_, kInvalid, "chunk.data: goes beyond");
}

TEST_F(UploadSessionTest, RefusesAnEmptyChunk) {
  upload_.chunks[0].clear_data();
  ExpectRefused(upload_, kInvalid, "chunk.data: is empty");
}

TEST_F(UploadSessionTest, RefusesABlobThatTheHeaderDoesNotName) {
  upload_.chunks[0].set_sha256(std::string(64, '0'));
  ExpectRefused(upload_, kInvalid, "chunk.sha256: is not named");
}

TEST_F(UploadSessionTest, RefusesAStreamThatEndsWithinABlob) {
  upload_.chunks.pop_back();
  ExpectRefused(upload_, kInvalid, "chunk: the stream ended after");
}

TEST_F(UploadSessionTest, RefusesAStreamThatLacksABlob) {
  upload_.chunks.erase(upload_.chunks.begin());
  ExpectRefused(upload_, kInvalid, "chunk: the stream ended after 0 of");
}

TEST_F(UploadSessionTest, RefusesBytesThatDoNotHashToTheirName) {
  (*upload_.chunks[1].mutable_data())[5] ^= 1;
  ExpectRefused(upload_, absl::StatusCode::kDataLoss, "do not hash");
}

TEST_F(UploadSessionTest, RefusesAChunkOverTheLimit) {
  ReplaceGmon(upload_, 0, std::string(3001, 'x'));
  ExpectRefused(upload_, absl::StatusCode::kResourceExhausted, "chunk.data: has 3001 bytes");
}

TEST_F(UploadSessionTest, RefusesAProfileOverTheLimit) {
  ReplaceGmon(upload_, 0, std::string(4001, 'x'));
  ExpectRefused(upload_, absl::StatusCode::kResourceExhausted, "header.profiles[0].data.size");
}

TEST_F(UploadSessionTest, RefusesAnUploadOverTheLimit) {
  *upload_.header.add_profiles() = upload_.header.profiles(0);
  upload_.header.mutable_profiles(1)->set_process("gmon.18");
  ReplaceGmon(upload_, 0, std::string(3000, 'x'));
  ReplaceGmon(upload_, 1, std::string(2999, 'y'));
  ExpectRefused(upload_, absl::StatusCode::kResourceExhausted, "header: announces");
}

TEST_F(UploadSessionTest, RefusesBytesThatAreNoProfile) {
  ReplaceGmon(upload_, 0, "#!/bin/sh\necho hello, I am not a profile\n");
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data: as a profile of query_test");
}

TEST_F(UploadSessionTest, RefusesAProfileCutShortNamingFileAndOffset) {
  ReplaceGmon(upload_, 0, profile::SampleGmon(7).substr(0, 60));
  ExpectRefused(upload_, kInvalid, "gmon.17");
}

TEST_F(UploadSessionTest, RefusesAProfileThatAnnouncesMoreThanItHas) {
  // A histogram of 2^32-1 bins in 60 bytes: nothing may be allocated for it.
  std::string gmon = profile::SampleGmon(7).substr(0, 20 + 1 + 40);
  gmon.replace(20 + 1 + 16, 4, "\xFF\xFF\xFF\xFF");
  ReplaceGmon(upload_, 0, gmon);
  ExpectRefused(upload_, kInvalid, "header.profiles[0].data");
}

TEST_F(UploadSessionTest, RefusesAProfileOfAForeignArchitecture) {
  profile::RawProfile profile = profile::SampleProfile(7);
  ReplaceGmon(upload_, 0, *profile::WriteGmon(profile, {.address_size = 4, .big_endian = true}));
  ExpectRefused(upload_, kInvalid, "as a profile of query_test (x86_64)");
}

TEST_F(UploadSessionTest, RefusesAProfileOfAnotherBinary) {
  profile::RawProfile profile = profile::SampleProfile(7);
  profile.histograms[0].low_pc += 0x10000000;
  profile.histograms[0].high_pc += 0x10000000;
  for (profile::RawArc& arc : profile.arcs) arc.self_pc += 0x10000000;
  ReplaceGmon(upload_, 0, *profile::WriteGmon(profile));
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

TEST_F(UploadSessionTest, RefusesTheSameExecutionWithOtherProfiles) {
  ASSERT_TRUE(Send(upload_).ok());
  ReplaceGmon(upload_, 0, profile::SampleGmon(4711));
  const auto response = Send(upload_);
  EXPECT_TRUE(absl::IsAlreadyExists(response.status())) << response.status();
}

TEST_F(UploadSessionTest, AsksWhetherTheCallerMayBeforeAnythingElse) {
  UploadSession session(context_, [](absl::string_view project) {
    EXPECT_EQ(project, "default");
    return absl::PermissionDeniedError("no");
  });
  upload_.header.mutable_run()->set_commit("bad");
  EXPECT_TRUE(absl::IsPermissionDenied(session.Receive(std::move(upload_.Messages()[0]))));
}

class ScarceMemoryTest : public UploadSessionTest {
 protected:
  ScarceMemoryTest()
      : UploadSessionTest(profile::SampleBundle(1).size() + profile::SampleGmon(101).size()) {}
};

TEST_F(ScarceMemoryTest, RefusesAnUploadWhileOthersHoldTheMemoryThenTakesIt) {
  const auto messages = upload_.Messages();
  {
    UploadSession first = Session();
    for (v1::UploadRequest message : messages) {
      ASSERT_TRUE(first.Receive(std::move(message)).ok());
    }
    const auto second = Send(MakeSampleUpload(2));
    EXPECT_TRUE(absl::IsUnavailable(second.status())) << second.status();
  }  // the first is cut
  EXPECT_TRUE(RunsIn(store_.reading).empty());
  EXPECT_TRUE(Send(upload_).ok());
}

}  // namespace
}  // namespace gprofhub::collector
