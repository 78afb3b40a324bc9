#include "cli/listen/listen_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gprofhub::cli {
namespace {

TEST(ParseListenAddressTest, TakesHostAndPort) {
  const auto address = ParseListenAddress("localhost:7070");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->host, "localhost");
  EXPECT_EQ(address->port, 7070);
  EXPECT_EQ(address->ToString(), "localhost:7070");
}

TEST(ParseListenAddressTest, TakesIpv6InBrackets) {
  const auto address = ParseListenAddress("[::1]:0");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->ToString(), "[::1]:0");
}

TEST(ParseListenAddressTest, RefusesWhatIsNot) {
  for (const char* text : {"", "localhost", ":7070", "localhost:", "localhost:65536", "::1:80",
                           "[localhost]:80", "localhost:-1", "[]:80"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseListenAddress(text).status())) << text;
  }
}

TEST(IsLoopbackTest, KnowsThisMachineFromTheNetwork) {
  EXPECT_TRUE(*IsLoopback({"127.0.0.1", 0}));
  EXPECT_TRUE(*IsLoopback({"127.8.9.1", 0}));
  EXPECT_TRUE(*IsLoopback({"::1", 0}));
  EXPECT_FALSE(*IsLoopback({"0.0.0.0", 0}));
  EXPECT_FALSE(*IsLoopback({"::", 0}));
  EXPECT_FALSE(*IsLoopback({"192.0.2.7", 0}));
}

TEST(IsLoopbackTest, LocalhostIsWhateverTheResolverSays) {
  EXPECT_TRUE(*IsLoopback({"localhost", 0}));
  EXPECT_TRUE(*IsLoopback({"LOCALHOST", 0}));
}

bool HasIpv6() {
  ListenAddress address = {"::1", 0};
  const absl::StatusOr<std::vector<int>> fds = ListenOn(address);
  if (!fds.ok()) return false;
  for (const int fd : *fds) close(fd);
  return true;
}

// Whether the kernel connects to it.
bool Connects(const std::string& host, uint16_t port) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  const bool is_v4 = inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1;
  EXPECT_TRUE(is_v4 || inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) << host;
  const int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int connected = is_v4 ? connect(fd, reinterpret_cast<sockaddr*>(&v4), sizeof(v4))
                              : connect(fd, reinterpret_cast<sockaddr*>(&v6), sizeof(v6));
  close(fd);
  return connected == 0;
}

TEST(ListenOnTest, LocalhostIsBothLoopbackAddressesOnOnePort) {
  if (!HasIpv6()) GTEST_SKIP() << "this machine has no ::1";
  ListenAddress address = {"localhost", 0};
  const absl::StatusOr<std::vector<int>> fds = ListenOn(address);
  ASSERT_TRUE(fds.ok()) << fds.status();
  EXPECT_EQ(fds->size(), 2u);
  EXPECT_NE(address.port, 0);
  EXPECT_TRUE(Connects("127.0.0.1", address.port));
  EXPECT_TRUE(Connects("::1", address.port));
  for (const int fd : *fds) close(fd);
}

TEST(ListenOnTest, ANumberIsItselfAlone) {
  ListenAddress address = {"127.0.0.1", 0};
  const absl::StatusOr<std::vector<int>> fds = ListenOn(address);
  ASSERT_TRUE(fds.ok()) << fds.status();
  EXPECT_EQ(fds->size(), 1u);
  EXPECT_FALSE(Connects("127.0.0.2", address.port));
  for (const int fd : *fds) close(fd);
}

TEST(ListenOnTest, SaysThatThePortIsInUseAtAnyAddress) {
  if (!HasIpv6()) GTEST_SKIP() << "this machine has no ::1";
  for (const std::string host : {"127.0.0.1", "::1"}) {
    ListenAddress others = {host, 0};
    const absl::StatusOr<std::vector<int>> fds = ListenOn(others);
    ASSERT_TRUE(fds.ok()) << fds.status();
    ListenAddress address = {"localhost", others.port};
    const absl::Status status = ListenOn(address).status();
    EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
    EXPECT_EQ(Connects("127.0.0.1", others.port), host == "127.0.0.1") << "it was left";
    for (const int fd : *fds) close(fd);
  }
}

TEST(ListenOnTest, SaysThatTheAddressIsNotOurs) {
  ListenAddress address = {"192.0.2.7", 0};
  const absl::Status status = ListenOn(address).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
}

}  // namespace
}  // namespace gprofhub::cli
