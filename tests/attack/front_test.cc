// The attacks on HTTP/2 itself, through the shipped front. gRPC 1.51 alone does not withstand them.
#include "tests/attack/front.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/query.grpc.pb.h"
#include "tests/attack/attacked_server.h"
#include "tests/attack/raw_http2.h"

namespace gprofhub::tests {
namespace {

constexpr char kUpload[] = "/gprofhub.v1.Collector/Upload";
constexpr int kConnections = 8;

class FrontTest : public testing::Test {
 protected:
  FrontTest() : token_(server_.MakeToken("default")), front_(server_.address()) {}

  // Attacks over several connections, with healthy calls before, between and after.
  void Attack(const std::function<void(RawConnection& connection)>& attack) {
    server_.ExpectHealthy(2, token_, front_.address());
    std::vector<std::unique_ptr<RawConnection>> connections;
    for (int i = 0; i < kConnections; ++i) {
      connections.push_back(std::make_unique<RawConnection>(front_.address(), 2));
      ASSERT_TRUE(connections.back()->SendPreface());
      attack(*connections.back());
      server_.ExpectHealthy(2, token_, front_.address());
    }
    EXPECT_LT(server_.PeakMiB(), 128u);
    EXPECT_LT(front_.MiB(), 256u);
    RecordProperty("server_peak_mib", std::to_string(server_.PeakMiB()));
    RecordProperty("front_peak_mib", std::to_string(front_.MiB()));
  }

  AttackedServer server_;
  const std::string token_;
  Front front_;
};

TEST_F(FrontTest, ServesOverTls) {
  server_.ExpectHealthy(1, token_);
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = front_.certificate();
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride("gprofhub.example.com");
  const auto channel =
      grpc::CreateCustomChannel(front_.tls_address(), grpc::SslCredentials(options), arguments);
  v1::ListRunsRequest request;
  request.set_project("default");
  v1::ListRunsResponse runs;
  grpc::ClientContext call;
  call.AddMetadata("authorization", "Bearer " + token_);
  const grpc::Status status = v1::Query::NewStub(channel)->ListRuns(&call, request, &runs);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(runs.runs_size(), 1);
}

// CVE-2023-44487.
TEST_F(FrontTest, RapidReset) {
  Attack([](RawConnection& connection) {
    std::string frames;
    for (uint32_t i = 0; i < 20'000; ++i) {
      frames += FrameBytes(kHeaders, kEndHeaders, 2 * i + 1, CallHeaders(kUpload));
      frames += FrameBytes(kReset, 0, 2 * i + 1, std::string("\0\0\0\x08", 4));
    }
    connection.Send(frames);
  });
}

TEST_F(FrontTest, Continuation) {
  Attack([](RawConnection& connection) {
    std::string block;
    while (block.size() < 16'000) block += Header("x", std::string(100, 'x'));
    if (!connection.Send(FrameBytes(kHeaders, 0, 1, CallHeaders(kUpload)))) return;
    const std::string more = FrameBytes(kContinuation, 0, 1, block);
    for (int i = 0; i < 4'000 && connection.Send(more); ++i) {
    }
  });
}

TEST_F(FrontTest, HeadersBeyondTheStreamLimit) {
  Attack([](RawConnection& connection) {
    std::string frames;
    for (uint32_t i = 0; i < 20'000; ++i) {
      frames += FrameBytes(kHeaders, kEndHeaders, 2 * i + 1, CallHeaders(kUpload));
    }
    connection.Send(frames);
  });
}

TEST_F(FrontTest, HpackBomb) {
  Attack([](RawConnection& connection) {
    // A header of 3.9 KiB that enters the table (RFC 7541, 6.2.1), then named by one byte each
    // (6.1): 16,000 of them are 61 MiB.
    std::string large = Header("x-large", std::string(3'900, 'x'));
    large[0] = '\x40';
    const std::string bomb = CallHeaders(kUpload, large + std::string(10'000, '\xbe'));
    for (uint32_t i = 0; i < 50; ++i) {
      if (!connection.Send(FrameBytes(kHeaders, kEndHeaders, 2 * i + 1, bomb))) return;
    }
  });
}

TEST_F(FrontTest, SilentStreams) {
  Attack([](RawConnection& connection) {
    std::string frames;
    for (uint32_t i = 0; i < 64; ++i) {
      frames += FrameBytes(kHeaders, kEndHeaders, 2 * i + 1, CallHeaders(kUpload));
    }
    connection.Send(frames);
  });
}

}  // namespace
}  // namespace gprofhub::tests
