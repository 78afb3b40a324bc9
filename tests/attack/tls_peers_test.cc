// Peers of a port with TLS that never finish their handshake.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "tests/attack/attacked_server.h"
#include "tests/attack/raw_http2.h"
#include "tests/tls/files.h"

namespace gprofhub::tests {
namespace {

constexpr int kConnections = 300;  // of each address
constexpr uint32_t kFirstHost = 2;
constexpr uint32_t kHosts = 10;

using Connections = std::vector<std::unique_ptr<RawConnection>>;

// The beginning of a ClientHello of 512 bytes, without the rest (RFC 8446, 4.1.2 and 5.1).
std::string HalfAHandshake() {
  return std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(20, 'r');
}

// Thousands of connections need as many descriptors.
void RaiseOwnDescriptors() {
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, 8192));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

Connections Attack(const AttackedServer& server, const std::string& bytes) {
  Connections made;
  for (uint32_t host = 0; host < kHosts; ++host) {
    for (int i = 0; i < kConnections; ++i) {
      made.push_back(std::make_unique<RawConnection>(server.address(), kFirstHost + host));
      // Those above the server's bounds are closed at once, and take nothing.
      made.back()->Send(bytes);
    }
  }
  return made;
}

class TlsPeersTest : public testing::Test {
 protected:
  void SetUp() override {
    RaiseOwnDescriptors();
    server_ = std::make_unique<AttackedServer>(tls_.ServeOptions());
    server_->UseCredentials(tls_.ClientCredentials());
  }

  const TlsFolder tls_;
  std::unique_ptr<AttackedServer> server_;
};

TEST_F(TlsPeersTest, ThatSayNothingAreCutAndLeaveHealthyCallsAlone) {
  const Connections silent = Attack(*server_, "");
  server_->ExpectHealthy(5);
  for (const auto& connection : silent) connection->AwaitClosed();
  server_->ExpectHealthy(5);
  RecordProperty("server_peak_mib", std::to_string(server_->PeakMiB()));
  EXPECT_LT(server_->PeakMiB(), 384u);
}

TEST_F(TlsPeersTest, ThatStopInTheirHandshakeAreCutAndLeaveHealthyCallsAlone) {
  const Connections halves = Attack(*server_, HalfAHandshake());
  server_->ExpectHealthy(5);
  for (const auto& connection : halves) connection->AwaitClosed();
  server_->ExpectHealthy(5);
  RecordProperty("server_peak_mib", std::to_string(server_->PeakMiB()));
  EXPECT_LT(server_->PeakMiB(), 384u);
}

TEST_F(TlsPeersTest, ThatSpeakNoTlsAreCutAndDoNotFillTheLog) {
  const Connections plain = Attack(*server_, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  for (const auto& connection : plain) connection->AwaitClosed();
  server_->ExpectHealthy(5);
  EXPECT_LT(std::vector<std::string>(absl::StrSplit(server_->Log(), '\n')).size(), 300u);
}

}  // namespace
}  // namespace gprofhub::tests
