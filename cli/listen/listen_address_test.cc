#include "cli/listen/listen_address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

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

TEST(ListenOnTest, SaysThatThePortIsInUse) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(fd, 0);
  sockaddr_in bound = {};
  bound.sin_family = AF_INET;
  bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(bound);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&bound), length), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  ASSERT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length), 0);
  ListenAddress address = {"127.0.0.1", ntohs(bound.sin_port)};
  const absl::Status status = ListenOn(address).status();
  EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
  close(fd);
}

TEST(ListenOnTest, SaysThatTheAddressIsNotOurs) {
  ListenAddress address = {"192.0.2.7", 0};
  const absl::Status status = ListenOn(address).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
}

}  // namespace
}  // namespace gprofhub::cli
