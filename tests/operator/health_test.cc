// Health of a real server for load balancers, Kubernetes and systemd, while its database or disk
// fails and recovers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "store/testing/temp_store.h"
#include "tests/fault/serve_process.h"
#include "tests/operator/calls.h"
#include "tests/operator/operator_port.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(HealthTest, FollowsTheDatabase) {
  const auto postgres = PostgresServer::Start();
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  const auto url = (*postgres)->CreateDatabase("health");
  ASSERT_TRUE(url.ok()) << url.status();
  ServeProcess server({"--store", *url, "--metrics-listen", "127.0.0.1:0"});
  const std::string address = MetricsAddress(server);
  const auto channel = server.Connect();
  AwaitStatus(address, "/readyz", 200);
  const std::vector<std::string> services = {"", "gprofhub.v1.Collector", "gprofhub.v1.Query",
                                             "gprofhub.worker"};
  for (const std::string& service : services) {
    EXPECT_EQ(HealthOf(channel, service), "SERVING") << service;
  }
  EXPECT_EQ(HealthOf(channel, "gprofhub.reporter"), "NOT_FOUND") << "there is nobody to report to";
  EXPECT_EQ(HealthOf(channel, "gprofhub.v1.Other"), "NOT_FOUND");

  ASSERT_TRUE((*postgres)->Stop().ok());
  EXPECT_THAT(AwaitStatus(address, "/readyz", 503), HasSubstr("gprofhub.v1.Query: the store"));
  for (const std::string& service : services) {
    EXPECT_EQ(HealthOf(channel, service), "NOT_SERVING") << service;
  }
  EXPECT_EQ(Get(address, "/livez").status, 200) << "to start it again would not help";

  ASSERT_TRUE((*postgres)->StartAgain().ok());
  AwaitStatus(address, "/readyz", 200);
  for (const std::string& service : services) AwaitHealth(channel, service, "SERVING");
}

TEST(HealthTest, FollowsTheDataDirectory) {
  const std::string folder = store::MakeTempDir();
  ServeProcess server({"--data-dir", folder, "--metrics-listen", "127.0.0.1:0"});
  const auto channel = server.Connect();
  EXPECT_EQ(HealthOf(channel, ""), "SERVING");
  std::filesystem::rename(folder, folder + ".away");
  AwaitHealth(channel, "", "NOT_SERVING");
  EXPECT_THAT(AwaitStatus(MetricsAddress(server), "/readyz", 503),
              HasSubstr("is missing or was replaced"));
  std::filesystem::rename(folder + ".away", folder);
  AwaitHealth(channel, "", "SERVING");
}

TEST(HealthTest, AFullDiskStopsUploadsAndNotQuestions) {
  // More space than any disk has.
  ServeProcess server({"--data-dir", store::MakeTempDir(), "--metrics-listen", "127.0.0.1:0",
                       "--min-free-disk", "1000000000000"});
  const auto channel = server.Connect();
  EXPECT_EQ(HealthOf(channel, "gprofhub.v1.Collector"), "NOT_SERVING");
  EXPECT_EQ(HealthOf(channel, "gprofhub.v1.Query"), "SERVING");
  EXPECT_EQ(HealthOf(channel, "gprofhub.worker"), "SERVING");
  EXPECT_EQ(HealthOf(channel, ""), "NOT_SERVING");
  EXPECT_THAT(AwaitStatus(MetricsAddress(server), "/readyz", 503), HasSubstr("MiB left"));
}

TEST(HealthTest, OfAWorkerIsThereToo) {
  ServeProcess worker(
      {"--data-dir", store::MakeTempDir(), "--role", "worker", "--metrics-listen", "127.0.0.1:0"});
  EXPECT_EQ(AwaitStatus(MetricsAddress(worker), "/readyz", 200),
            "ready\ngprofhub.worker: serving\n");
  EXPECT_EQ(Get(MetricsAddress(worker), "/livez").body, "alive\n");
}

// A socket of systemd's.
class NotifySocket {
 public:
  NotifySocket() : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    // In the abstract namespace: a path below the test's folder is too long for a socket.
    const std::string name = absl::StrCat("@gprofhub-health-test-", getpid());
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0) << name;
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    setenv("WATCHDOG_USEC", "400000", 1);
  }
  ~NotifySocket() {
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    close(fd_);
  }
  // Waits for the next datagram.
  std::string Receive() {
    std::array<char, 4000> bytes = {};
    const ssize_t got = recv(fd_, bytes.data(), bytes.size(), 0);
    return got < 0 ? "" : std::string(bytes.data(), static_cast<size_t>(got));
  }

 private:
  const int fd_;
};

TEST(HealthTest, SystemdIsToldOfReadinessLifeAndTheEnd) {
  NotifySocket systemd;
  ServeProcess server({"--data-dir", store::MakeTempDir()});
  EXPECT_THAT(systemd.Receive(), StartsWith("READY=1\n"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(systemd.Receive(), "WATCHDOG=1\nSTATUS=Serving\n");
  EXPECT_EQ(server.Stop().exit_code, 0);
  std::string last = systemd.Receive();
  while (absl::StartsWith(last, "WATCHDOG=1\n")) last = systemd.Receive();
  EXPECT_THAT(last, StartsWith("STOPPING=1\n"));
}

}  // namespace
}  // namespace gprofhub::tests
