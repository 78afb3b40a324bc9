// One project's flood, and another's calls at the same time.
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/collector.grpc.pb.h"
#include "store/testing/temp_store.h"
#include "tests/attack/attacked_server.h"
#include "tests/fault/client.h"

namespace gprofhub::tests {
namespace {

std::string QuotasFile(const std::string& json) {
  std::string path = absl::StrCat(store::MakeTempDir(), "/quotas.json");
  std::ofstream(path) << json;
  return path;
}

bool SaysWhenToComeBack(const grpc::ClientContext& call) {
  return call.GetServerTrailingMetadata().count("grpc-retry-pushback-ms") == 1;
}

TEST(QuotasTest, AFloodOfCallsIsRefusedAndLeavesOthersAlone) {
  constexpr int kThreads = 16;
  constexpr int kCallsOfEach = 200;
  constexpr int kPerMinute = 30;
  AttackedServer server(
      {"--quotas", QuotasFile(absl::StrCat(R"({"projects":{"noisy":{"calls_per_minute":)",
                                           kPerMinute, "}}}"))});
  const std::string token = server.MakeToken("default");
  const std::string noisy = server.MakeToken("noisy");
  std::atomic<int> taken = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> otherwise = 0;
  std::vector<std::thread> flood;
  const absl::Time begin = absl::Now();
  for (int i = 0; i < kThreads; ++i) {
    flood.emplace_back([&] {
      const auto stub = v1::Collector::NewStub(
          grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials()));
      for (int n = 0; n < kCallsOfEach; ++n) {
        grpc::ClientContext call;
        call.AddMetadata("authorization", "Bearer " + noisy);
        v1::FindMissingBlobsRequest request;
        request.set_project("noisy");
        v1::FindMissingBlobsResponse response;
        const grpc::Status status = stub->FindMissingBlobs(&call, request, &response);
        const bool is_refusal =
            status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED && SaysWhenToComeBack(call);
        ++(status.ok() ? taken : is_refusal ? refused : otherwise);
      }
    });
  }
  server.ExpectHealthy(5, token);
  for (std::thread& thread : flood) thread.join();
  // A bucket of 30 that fills while the flood lasts.
  const double minutes = absl::ToDoubleMinutes(absl::Now() - begin);
  EXPECT_GE(taken, kPerMinute);
  EXPECT_LE(taken, kPerMinute + static_cast<int>(kPerMinute * minutes) + 1);
  EXPECT_EQ(taken + refused, kThreads * kCallsOfEach);
  EXPECT_EQ(otherwise, 0);
  server.ExpectHealthy(1, token);
}

TEST(QuotasTest, BytesAboveThemAreRefusedAndLeaveOthersAlone) {
  AttackedServer server(
      {"--quotas", QuotasFile(R"({"projects":{"noisy":{"bytes_per_hour":50000}}})")});
  const std::string token = server.MakeToken("default");
  const std::string noisy = server.MakeToken("noisy");
  int taken = 0;
  grpc::Status last;
  for (uint32_t i = 0; i < 20; ++i) {
    collector::SampleUpload upload = FaultTestUpload(100 + i);
    upload.header.mutable_run()->set_project("noisy");
    v1::UploadResponse response;
    last = Send(
        grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials()), upload, noisy,
        [] {}, response);
    taken += last.ok();
  }
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, 20) << "each has about ten kilobytes";
  EXPECT_EQ(last.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << last.error_message();
  EXPECT_NE(last.error_message().find("50000 bytes"), std::string::npos) << last.error_message();
  server.ExpectHealthy(2, token);
}

}  // namespace
}  // namespace gprofhub::tests
