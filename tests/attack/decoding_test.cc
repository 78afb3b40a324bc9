// Questions about contents that take much memory once they are decoded, each bundle within its own
// bound: what counts is the sum.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "collector/testing/sample_upload.h"
#include "profile/codec/message.h"
#include "profile/testing/sample_profile.h"
#include "proto/query.grpc.pb.h"
#include "proto/symbols.pb.h"
#include "tests/attack/attacked_server.h"
#include "tests/fault/client.h"

namespace gprofhub::tests {
namespace {

// A bundle whose lines take 48 MiB, of an image with this number. On the wire it has 30 kB.
std::string BundleOfLines(int image, std::string& build_id) {
  v1::SymbolBundle bundle;
  EXPECT_TRUE(bundle.ParseFromString(*profile::Decompress(profile::SampleBundle(0), "bundle")));
  build_id = absl::StrCat(bundle.build_id(), absl::Hex(image, absl::kZeroPad2));
  bundle.set_build_id(build_id);
  std::mt19937 random(1);
  std::string noise(30'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  bundle.add_strings(noise);
  v1::LineColumns& lines = *bundle.mutable_lines();
  lines.Clear();
  for (int i = 0; i < 3'000'000; ++i) {
    lines.add_address_delta(0);
    lines.add_file(0);
    lines.add_line(0);
  }
  return profile::EncodeMessage(bundle);
}

// An upload whose one test has `images` images of that kind.
collector::SampleUpload UploadOfImages(const std::string& project, int images) {
  collector::SampleUpload upload = FaultTestUpload(0);
  upload.header.mutable_run()->set_project(project);
  const v1::ImageRef image = upload.header.images(0);
  const v1::ProfileRef profile = upload.header.profiles(0);
  upload.header.clear_images();
  upload.header.clear_profiles();
  std::erase_if(upload.chunks, [&image](const v1::BlobChunk& chunk) {
    return chunk.sha256() == image.bundle().sha256();
  });
  for (int i = 0; i < images; ++i) {
    std::string build_id;
    const std::string bytes = BundleOfLines(i, build_id);
    v1::ImageRef& added = *upload.header.add_images();
    added.set_build_id(build_id);
    added.mutable_bundle()->set_sha256(base::Sha256Hex(bytes));
    added.mutable_bundle()->set_size(bytes.size());
    v1::ProfileRef& of_it = *upload.header.add_profiles();
    of_it = profile;
    of_it.set_build_id(build_id);
    of_it.set_process(absl::StrCat("gmon.", i));
    v1::BlobChunk chunk;
    chunk.set_sha256(base::Sha256Hex(bytes));
    chunk.set_data(bytes);
    upload.chunks.push_back(chunk);
  }
  return upload;
}

grpc::Status AskForListing(const std::string& address, const std::string& project,
                           const std::string& token, const std::string& target,
                           bool& is_overloaded) {
  grpc::ChannelArguments own_connection;
  own_connection.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto query = v1::Query::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own_connection));
  v1::GetListingRequest request;
  request.set_project(project);
  request.set_run("latest");
  request.set_target(target);
  request.set_kind(v1::GetListingRequest::FLAT);
  grpc::ClientContext call;
  call.AddMetadata("authorization", "Bearer " + token);
  const auto stream = query->GetListing(&call, request);
  for (v1::TextChunk chunk; stream->Read(&chunk);) {
  }
  const grpc::Status status = stream->Finish();
  is_overloaded = call.GetServerTrailingMetadata().count("grpc-retry-pushback-ms") > 0;
  return status;
}

class DecodingTest : public testing::Test {
 protected:
  void Upload(const collector::SampleUpload& upload) {
    v1::UploadResponse response;
    const grpc::Status sent = Send(
        grpc::CreateChannel(server_.address(), grpc::InsecureChannelCredentials()), upload, greedy_,
        [] {}, response);
    ASSERT_TRUE(sent.ok()) << sent.error_message();
    target_ = upload.header.execution().target();
  }

  void ExpectPeakBelow(uint64_t mib) {
    RecordProperty("server_peak_mib", std::to_string(server_.PeakMiB()));
    EXPECT_LT(server_.PeakMiB(), mib);
  }

  // Only decoding for clients: the analyses are in children.
  AttackedServer server_{{"--decoding-memory", "256", "--role", "collector", "--role", "query"}};
  const std::string greedy_ = server_.MakeToken("greedy");
  const std::string healthy_ = server_.MakeToken("default");
  std::string target_;
};

TEST_F(DecodingTest, TheSumOfAListingsBundlesCounts) {
  Upload(UploadOfImages("greedy", 6));
  bool is_overloaded = true;
  const grpc::Status listed =
      AskForListing(server_.address(), "greedy", greedy_, target_, is_overloaded);
  EXPECT_EQ(listed.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << listed.error_message();
  EXPECT_NE(listed.error_message().find("MiB to decode; the limit for one call is 128"),
            std::string::npos)
      << listed.error_message();
  EXPECT_FALSE(is_overloaded) << "coming back is no use";
  server_.ExpectHealthy(1, healthy_);
  ExpectPeakBelow(256);
}

TEST_F(DecodingTest, ManyAtOnceWaitForEachOtherAndForNobodyElse) {
  Upload(UploadOfImages("greedy", 1));
  std::atomic<bool> over = false;
  std::atomic<int> listed = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 24; ++i) {
    clients.emplace_back([&] {
      bool is_overloaded = false;
      const grpc::Status status =
          AskForListing(server_.address(), "greedy", greedy_, target_, is_overloaded);
      // A refused client learns when to retry.
      EXPECT_TRUE(status.ok() || is_overloaded) << status.error_message();
      listed += status.ok();
    });
  }
  std::thread healthy([&] {
    while (!over) server_.ExpectHealthy(1, healthy_);
  });
  for (std::thread& client : clients) client.join();
  over = true;
  healthy.join();
  EXPECT_GE(listed, 2);
  ExpectPeakBelow(320);
}

}  // namespace
}  // namespace gprofhub::tests
