// Uploads that announce a large size and send nothing, at the same time as those of others.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/testing/sample_upload.h"
#include "proto/collector.grpc.pb.h"
#include "tests/attack/attacked_server.h"
#include "tests/fault/client.h"

namespace gprofhub::tests {
namespace {

constexpr int kMostTries = 1000;

// A header that announces nearly all that one upload may have, and the stream that waits.
struct StalledUpload {
  StalledUpload(const std::shared_ptr<grpc::Channel>& channel, const std::string& token, int number)
      : stub(v1::Collector::NewStub(channel)) {
    call.AddMetadata("authorization", "Bearer " + token);
    collector::SampleUpload upload = FaultTestUpload(1000);
    upload.header.mutable_run()->set_project("greedy");
    v1::ProfileRef profile = upload.header.profiles(0);
    for (int i = 0; i < 3; ++i) {
      profile.set_process(absl::StrCat("gmon.", 100 + i));
      profile.mutable_data()->set_sha256(
          absl::StrCat(std::string(60, 'a'), 1000 + 10 * number + i));
      profile.mutable_data()->set_size(64 << 20);
      *upload.header.add_profiles() = profile;
    }
    stream = stub->Upload(&call, &response);
    v1::UploadRequest message;
    *message.mutable_header() = upload.header;
    EXPECT_TRUE(stream->Write(message));
  }

  std::unique_ptr<v1::Collector::Stub> stub;
  grpc::ClientContext call;
  v1::UploadResponse response;
  std::unique_ptr<grpc::ClientWriter<v1::UploadRequest>> stream;
};

TEST(StalledUploadsTest, LeaveMemoryForOtherProjectsAndAreCut) {
  AttackedServer server({"--max-silence", "2"});
  const std::string greedy = server.MakeToken("greedy");
  const std::string healthy = server.MakeToken("default");
  const auto channel = grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials());
  // Of 192 MiB each, with a limit of 1 GiB: more than fit.
  std::vector<std::unique_ptr<StalledUpload>> uploads;
  for (int i = 0; i < 6; ++i) {
    uploads.push_back(std::make_unique<StalledUpload>(channel, greedy, i));
  }
  server.ExpectHealthy(5, healthy);
  int cut = 0;
  int refused = 0;
  for (const auto& upload : uploads) {
    const grpc::Status status = upload->stream->Finish();
    if (status.error_code() == grpc::StatusCode::ABORTED) {
      ++cut;
    } else if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
      ++refused;
      EXPECT_EQ(upload->call.GetServerTrailingMetadata().count("grpc-retry-pushback-ms"), 1u);
    } else {
      ADD_FAILURE() << status.error_code() << " " << status.error_message();
    }
  }
  EXPECT_GE(cut, 2);
  EXPECT_EQ(cut + refused, 6);
  // Their reservations are released. A client may learn of its upload's end before the server has
  // released its memory.
  grpc::StatusCode code = grpc::StatusCode::RESOURCE_EXHAUSTED;
  for (int i = 0; i < kMostTries && code == grpc::StatusCode::RESOURCE_EXHAUSTED; ++i) {
    StalledUpload again(channel, greedy, 9);
    again.stream->WritesDone();
    code = again.stream->Finish().error_code();
  }
  EXPECT_EQ(code, grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace gprofhub::tests
