// More connections than the server has descriptors.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/attack/attacked_server.h"
#include "tests/attack/raw_http2.h"

namespace gprofhub::tests {
namespace {

constexpr rlim_t kDescriptors = 1024;
constexpr int kConnections = 1100;

using Connections = std::vector<std::unique_ptr<RawConnection>>;

Connections Connect(const AttackedServer& server, int connections, uint32_t from_host) {
  Connections made;
  for (int i = 0; i < connections; ++i) {
    made.push_back(std::make_unique<RawConnection>(server.address(), from_host));
  }
  return made;
}

TEST(ConnectionsTest, OfAnotherPeerLeaveHealthyCallsAlone) {
  AttackedServer server({}, kDescriptors);
  const Connections silent = Connect(server, kConnections, 2);
  server.ExpectHealthy(5);
}

TEST(ConnectionsTest, ThatSpeakHttp2LeaveHealthyCallsAlone) {
  AttackedServer server({}, kDescriptors);
  const Connections connections = Connect(server, kConnections, 2);
  for (const auto& connection : connections) connection->SendPreface();
  server.ExpectHealthy(5);
}

TEST(ConnectionsTest, OfTheSamePeerAreOverSoon) {
  AttackedServer server({}, kDescriptors);
  const Connections silent = Connect(server, kConnections, 1);
  // The server closes all of them: most of them at once, the others when they time out.
  for (const auto& connection : silent) connection->AwaitClosed();
  server.ExpectHealthy(5);
}

TEST(ConnectionsTest, OfManyPeersLeaveSomeForOthers) {
  AttackedServer server({}, kDescriptors);
  std::vector<Connections> all;
  for (uint32_t host = 2; host < 12; ++host) all.push_back(Connect(server, 110, host));
  server.ExpectHealthy(5);
}

TEST(ConnectionsTest, ThatEndMakeRoom) {
  AttackedServer server({}, kDescriptors);
  for (int round = 0; round < 3; ++round) Connect(server, kConnections, 2);
  // They have ended, but perhaps the server has not counted that yet.
  for (bool taken = false; !taken;) {
    RawConnection connection(server.address(), 2);
    taken = connection.SendPreface() && connection.AwaitRead();
  }
  server.ExpectHealthy(1);
}

}  // namespace
}  // namespace gprofhub::tests
