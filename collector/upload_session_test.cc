// The messages of a stream: their order, their limits, and their effects.
#include "collector/upload_session.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collector/calls/overloaded.h"
#include "collector/testing/sample_upload.h"
#include "collector/testing/upload_session_fixture.h"
#include "profile/testing/sample_profile.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {
namespace {

TEST_F(UploadSessionTest, StoresAnExecutionAndQueuesItsAnalysis) {
  const auto response = Send(upload_);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->already_present());
  EXPECT_EQ(response->profiles_stored(), 1u);
  EXPECT_EQ(response->bytes_received(),
            profile::SampleBundle(1).size() + profile::SampleGmon(101).size());
  const std::vector<store::RunRecord> runs = store::RunsIn(store_.reading);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].commit, upload_.header.run().commit());
  const auto job = store_.jobs.Claim("w", kNow, absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value());
  EXPECT_EQ((*job)->target, "//db:test_1");
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
  ReplaceProfile(upload_, 0, std::string(3001, 'x'));
  ExpectRefused(upload_, absl::StatusCode::kResourceExhausted, "chunk.data: has 3001 bytes");
}

TEST_F(UploadSessionTest, RefusesAProfileOverTheLimit) {
  ReplaceProfile(upload_, 0, std::string(4001, 'x'));
  ExpectRefused(upload_, absl::StatusCode::kResourceExhausted, "header.profiles[0].data.size");
}

TEST_F(UploadSessionTest, RefusesAnUploadOverTheLimit) {
  *upload_.header.add_profiles() = upload_.header.profiles(0);
  upload_.header.mutable_profiles(1)->set_process("gmon.18");
  ReplaceProfile(upload_, 0, std::string(3000, 'x'));
  ReplaceProfile(upload_, 1, std::string(2999, 'y'));
  ExpectRefused(upload_, absl::StatusCode::kResourceExhausted, "header: announces");
}

TEST_F(UploadSessionTest, RefusesTheSameExecutionWithOtherProfiles) {
  ASSERT_TRUE(Send(upload_).ok());
  ReplaceProfile(upload_, 0, profile::SampleGmon(4711));
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
  // Half of the memory, a project's limit, fits two uploads; one upload of another project still
  // fits.
  ScarceMemoryTest()
      : UploadSessionTest(4 * (profile::SampleBundle(1).size() + profile::SampleGmon(101).size()) +
                          64) {}

  static std::vector<v1::UploadRequest> Of(uint32_t seed, const std::string& project) {
    SampleUpload upload = MakeSampleUpload(seed);
    upload.header.mutable_run()->set_project(project);
    return upload.Messages();
  }
};

TEST_F(ScarceMemoryTest, RefusesAnUploadWhileOthersOfItsProjectHoldTheMemoryThenTakesIt) {
  {
    UploadSession first = Session();
    UploadSession second = Session();
    // A header suffices: it reserves memory for the blobs.
    ASSERT_TRUE(first.Receive(std::move(Of(1, "default")[0])).ok());
    ASSERT_TRUE(second.Receive(std::move(Of(2, "default")[0])).ok());
    const auto third = Send(Of(3, "default"));
    EXPECT_TRUE(absl::IsResourceExhausted(third.status())) << third.status();
    EXPECT_TRUE(ComeBackIn(third.status()).has_value());
    const auto other = Send(Of(3, "other"));
    EXPECT_TRUE(other.ok()) << other.status();
  }  // the stalled ones end
  EXPECT_TRUE(Send(Of(3, "default")).ok());
}

TEST_F(ScarceMemoryTest, CountsBlobsThatNobodyAskedFor) {
  ASSERT_TRUE(Send(upload_).ok());
  UploadSession first = Session();
  UploadSession second = Session();
  ASSERT_TRUE(first.Receive(std::move(Of(2, "default")[0])).ok());
  ASSERT_TRUE(second.Receive(std::move(Of(3, "default")[0])).ok());
  const auto again = Send(upload_);  // the store has it, so its header reserves nothing
  EXPECT_TRUE(absl::IsResourceExhausted(again.status())) << again.status();
}

}  // namespace
}  // namespace gprofhub::collector
