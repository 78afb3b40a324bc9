#include "server/listen/connection_gate.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/testing/certificates.h"
#include "server/listen/listen_address.h"

namespace gprofhub::server {

namespace {

class ConnectionGateTest : public testing::Test {
 protected:
  ConnectionGateTest() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address_);
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address_), length), 0);
    EXPECT_EQ(listen(fd, SOMAXCONN), 0);
    EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address_), &length), 0);
    auto gate = ConnectionGate::Open({fd}, 12, [this](int taken) {
      absl::MutexLock lock(&mutex_);
      taken_.push_back(taken);
    });
    EXPECT_TRUE(gate.ok()) << gate.status();
    gate_ = *std::move(gate);
  }
  ~ConnectionGateTest() override {
    gate_.reset();
    for (const int fd : mine_) close(fd);
    for (const int fd : taken_) close(fd);
  }

  // Connects from 127.0.0.`host`.
  int Connect(uint32_t host) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in from = {};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = htonl(0x7f000000 + host);
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&from), sizeof(from)), 0);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address_), sizeof(address_)), 0);
    mine_.push_back(fd);
    return fd;
  }
  // Whether the gate closed it.
  static bool IsRefused(int fd) {
    char byte = 0;
    return recv(fd, &byte, 1, 0) <= 0;  // waits for that
  }
  // Waits until the gate has taken this many, ever.
  void AwaitTaken(size_t count) {
    const auto reached = [this, count]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return taken_.size() >= count;
    };
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(&reached));
  }

  sockaddr_in address_ = {};
  absl::Mutex mutex_;
  std::vector<int> taken_ ABSL_GUARDED_BY(mutex_);
  std::vector<int> mine_;
  std::unique_ptr<ConnectionGate> gate_;
};

TEST_F(ConnectionGateTest, AcceptsFromEachOfItsSockets) {
  gate_.reset();
  std::vector<int> fds;
  std::vector<uint16_t> ports;
  for (const char* const host : {"127.0.0.1", "127.0.0.2", "127.0.0.3"}) {
    ListenAddress address = {host, 0};
    const absl::StatusOr<std::vector<int>> fd = ListenOn(address);
    ASSERT_TRUE(fd.ok()) << fd.status();
    fds.push_back(fd->front());
    ports.push_back(address.port);
  }
  auto gate = ConnectionGate::Open(fds, 12, [this](int taken) {
    absl::MutexLock lock(&mutex_);
    taken_.push_back(taken);
  });
  ASSERT_TRUE(gate.ok()) << gate.status();
  gate_ = *std::move(gate);
  for (size_t i = 0; i < ports.size(); ++i) {
    address_.sin_addr.s_addr = htonl(0x7f000001 + static_cast<uint32_t>(i));
    address_.sin_port = htons(ports[i]);
    Connect(9);
    AwaitTaken(i + 1);
  }
}

TEST_F(ConnectionGateTest, OnePeerHasAtMostAThird) {
  for (int i = 0; i < 4; ++i) Connect(2);
  EXPECT_TRUE(IsRefused(Connect(2)));
  Connect(1);
  Connect(1);
  AwaitTaken(6);
  EXPECT_TRUE(IsRefused(Connect(1)));
}

TEST_F(ConnectionGateTest, WhatIsShutMakesRoom) {
  for (int i = 0; i < 4; ++i) Connect(2);
  AwaitTaken(4);
  {
    absl::MutexLock lock(&mutex_);
    shutdown(taken_[0], SHUT_RDWR);  // as gRPC does before it closes
    close(taken_[0]);
    taken_[0] = -1;
  }
  EXPECT_TRUE(IsRefused(mine_[0]));
  // The gate learns of it in its own time; until then it refuses.
  for (size_t taken = 4; taken == 4;) {
    Connect(2);
    absl::MutexLock lock(&mutex_);
    taken = taken_.size();
  }
}

TEST(ConnectionsForTest, LeavesDescriptorsForTheRest) {
  EXPECT_EQ(ConnectionsFor(1024), 412u);
  EXPECT_EQ(ConnectionsFor(1'000'000), 4096u);
  EXPECT_EQ(ConnectionsFor(10), 1u);
}

TEST(ProbeAccepts, SeesAGateThatAccepts) {
  ListenAddress address = {"127.0.0.1", 0};
  const absl::StatusOr<std::vector<int>> fds = ListenOn(address);
  ASSERT_TRUE(fds.ok()) << fds.status();
  const auto gate = ConnectionGate::Open(*fds, 3, [](int taken) { close(taken); });
  ASSERT_TRUE(gate.ok()) << gate.status();
  EXPECT_TRUE(ProbeAccepts(address, *(*gate)->counts()).ok());
  EXPECT_EQ((*gate)->counts()->accepted, 1u);
}

TEST(ProbeAccepts, MissesAGateThatDoesNot) {
  ListenAddress address = {"127.0.0.1", 0};
  const absl::StatusOr<std::vector<int>> fds = ListenOn(address);  // listens: the kernel connects
  ASSERT_TRUE(fds.ok()) << fds.status();
  const ConnectionCounts nobody;
  EXPECT_TRUE(absl::IsDeadlineExceeded(ProbeAccepts(address, nobody)));
  for (const int fd : *fds) close(fd);
}

const char kEncryptedKey[] =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhRyO9XNsWsZwICCAAw\n"
    "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDZWz3hH8zvxz5q2Yl0d2V4EgZDE\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n";

class ServerCertificatesTest : public testing::Test {
 protected:
  ServerCertificatesTest() {
    const base::TestCertificate made = authority_.Issue("localhost", absl::Hours(48));
    files_.certificate = Write("server.pem", made.certificate);
    files_.key = Write("server.key", made.key);
    files_.client_authorities = Write("ca.pem", authority_.certificate());
  }

  static std::string Write(const std::string& name, const std::string& text) {
    std::string path =
        absl::StrCat(testing::TempDir(), "/",
                     testing::UnitTest::GetInstance()->current_test_info()->name(), "-", name);
    std::ofstream(path) << text;
    return path;
  }

  void ExpectRefused(const std::string& words, absl::Time now = absl::Now()) const {
    const auto texts = ReadTlsFiles(files_, now);
    EXPECT_FALSE(texts.ok());
    EXPECT_TRUE(absl::StrContains(texts.status().message(), words)) << texts.status();
  }

  const base::TestAuthority authority_;
  TlsFiles files_;
};

TEST_F(ServerCertificatesTest, AreTakenWhereTheyFit) {
  const auto texts = ReadTlsFiles(files_, absl::Now());
  ASSERT_TRUE(texts.ok()) << texts.status();
  EXPECT_GT(texts->expires, absl::Now() + absl::Hours(47));
  EXPECT_EQ(texts->client_authorities, authority_.certificate());
}

TEST_F(ServerCertificatesTest, NeedTheirKey) {
  Write("server.key", authority_.Issue("localhost").key);
  ExpectRefused("does not match the certificate");
  Write("server.key", "");
  ExpectRefused("server.key: not a private key in PEM format");
  files_.key = "";
  ExpectRefused("both a certificate and its key");
}

TEST_F(ServerCertificatesTest, AskNobodyForAPassword) {
  Write("server.key", kEncryptedKey);
  ExpectRefused("server.key: ");
}

TEST_F(ServerCertificatesTest, MustBeReadable) {
  const std::string damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  Write("ca.pem", damaged);
  ExpectRefused("ca.pem: certificate number 1 is damaged");
  Write("ca.pem", authority_.certificate() + damaged);
  ExpectRefused("ca.pem: certificate number 2 is damaged");
  Write("server.pem", "no certificate");
  ExpectRefused("server.pem: not a certificate in PEM format");
  files_.certificate = "/nowhere/server.pem";
  ExpectRefused("/nowhere/server.pem");
}

TEST_F(ServerCertificatesTest, MustBeValidNow) {
  ExpectRefused("server.pem: expired at ", absl::Now() + absl::Hours(49));
  ExpectRefused("server.pem: not valid before ", absl::Now() - absl::Hours(2));
}

TEST_F(ServerCertificatesTest, StayAsTheyWereAfterAReloadThatFails) {
  const auto certificates = ServerCertificates::Load(files_);
  ASSERT_TRUE(certificates.ok()) << certificates.status();
  const absl::Time before = (*certificates)->expires();
  const base::TestCertificate longer = authority_.Issue("localhost", absl::Hours(96));
  Write("server.pem", longer.certificate);
  EXPECT_FALSE((*certificates)->Reload().ok()) << "the key is the one before";
  EXPECT_EQ((*certificates)->expires(), before);
  Write("server.key", longer.key);
  EXPECT_TRUE((*certificates)->Reload().ok());
  EXPECT_GT((*certificates)->expires(), before + absl::Hours(40));
}

}  // namespace

}  // namespace gprofhub::server
