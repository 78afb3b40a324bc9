// Thousands of idle streams, at the same time as healthy calls.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/attack/attacked_server.h"
#include "tests/attack/raw_http2.h"

namespace gprofhub::tests {
namespace {

constexpr int kConnections = 30;
constexpr uint32_t kStreams = 100;  // of each connection
constexpr uint32_t kAttacker = 2;   // 127.0.0.2

constexpr char kUpload[] = "/gprofhub.v1.Collector/Upload";
constexpr char kReflection[] = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

// Opens streams, and returns once the server has seen them.
std::vector<std::unique_ptr<RawConnection>> OpenStreams(const std::string& address,
                                                        const std::string& path) {
  std::vector<std::unique_ptr<RawConnection>> connections;
  for (int i = 0; i < kConnections; ++i) {
    connections.push_back(std::make_unique<RawConnection>(address, kAttacker));
    std::string frames;
    for (uint32_t stream = 0; stream < kStreams; ++stream) {
      frames += FrameBytes(kHeaders, kEndHeaders, 2 * stream + 1, CallHeaders(path));
    }
    EXPECT_TRUE(connections.back()->SendPreface());
    EXPECT_TRUE(connections.back()->Send(frames));
    EXPECT_TRUE(connections.back()->AwaitRead());
  }
  return connections;
}

void AwaitAllEnds(const std::vector<std::unique_ptr<RawConnection>>& connections) {
  for (const auto& connection : connections) {
    for (uint32_t stream = 0; stream < kStreams; ++stream) {
      ASSERT_TRUE(connection->AwaitEnd(2 * stream + 1));
    }
  }
}

TEST(SilentStreamsTest, LeaveHealthyCallsAlone) {
  AttackedServer server;
  for (const char* path : {kUpload, kReflection}) {
    const auto connections = OpenStreams(server.address(), path);
    server.ExpectHealthy(10);
  }
  server.ExpectHealthy(10);
  RecordProperty("server_peak_mib", std::to_string(server.PeakMiB()));
  EXPECT_LT(server.PeakMiB(), 384u);
}

TEST(SilentStreamsTest, AreCut) {
  AttackedServer server({"--max-silence", "1"});
  AwaitAllEnds(OpenStreams(server.address(), kUpload));
  server.ExpectHealthy(1);
}

TEST(SilentStreamsTest, OfStrangersEndAtOnce) {
  AttackedServer server({"--max-silence", "600"});
  const std::string token = server.MakeToken("default");
  AwaitAllEnds(OpenStreams(server.address(), kUpload));
  server.ExpectHealthy(1, token);
}

}  // namespace
}  // namespace gprofhub::tests
