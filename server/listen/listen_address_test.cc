#include "server/listen/listen_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/http/percent_coding.h"
#include "server/testing/raw_peer.h"

namespace gprofhub::server {

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

constexpr char kSecret[] = "a secret of the webhook";
constexpr char kBody[] =
    R"({"issue": {"number": 17, "pull_request": {}}, "repository": {"full_name": "acme/db"}})";

class HookListenerTest : public testing::Test {
 protected:
  void Start(size_t peers = 32, absl::Duration patience = absl::Seconds(60)) {
    HookListenerOptions options;
    options.listen = {"127.0.0.1", 0};
    options.secret = kSecret;
    options.peers = peers;
    options.patience = patience;
    options.now = [] { return absl::UnixEpoch(); };
    auto listener = HookListener::Start(options, [this](const reporter::HookComment& comment) {
      const std::lock_guard<std::mutex> lock(mutex_);
      comments_.push_back(absl::StrCat(comment.repository, " ", comment.pull_request));
      return answer_;
    });
    ASSERT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
  }

  static httplib::Headers Signed(const std::string& body) {
    return {{"X-GitHub-Event", "issue_comment"},
            {"X-Hub-Signature-256", absl::StrCat("sha256=", base::HmacSha256Hex(kSecret, body))}};
  }

  // The response's status; 0: no response.
  int Post(const std::string& body, const httplib::Headers& headers,
           const std::string& path = "/") {
    httplib::Client client("127.0.0.1", listener_->address().port);
    client.set_read_timeout(300);
    const auto result = client.Post(path.c_str(), headers, body, "application/json");
    return result ? result->status : 0;
  }

  // A connection that sends `text` and then nothing.
  int Peer(const std::string& text) { return ConnectAndSay(listener_->address().port, text); }

  std::mutex mutex_;
  std::vector<std::string> comments_;
  absl::Status answer_;
  std::unique_ptr<HookListener> listener_;
};

TEST_F(HookListenerTest, ASignedCommentIsTakenOnce) {
  Start();
  EXPECT_EQ(Post(kBody, Signed(kBody)), 204);
  EXPECT_EQ(comments_, std::vector<std::string>{"acme/db 17"});
  httplib::Headers again = Signed(kBody);
  again.emplace("X-GitHub-Delivery", "another number");
  EXPECT_EQ(Post(kBody, again), 409) << "the number is not signed";
  EXPECT_EQ(comments_.size(), 1u);
}

TEST_F(HookListenerTest, WhatWasNotTakenMayComeAgain) {
  Start();
  answer_ = absl::UnavailableError("the store");
  EXPECT_EQ(Post(kBody, Signed(kBody)), 503);
  answer_ = absl::OkStatus();
  EXPECT_EQ(Post(kBody, Signed(kBody)), 204);
}

TEST_F(HookListenerTest, ForgedRequestsDoNothing) {
  Start();
  EXPECT_EQ(Post(kBody, {{"X-GitHub-Event", "issue_comment"}}), 401);
  EXPECT_EQ(Post(kBody, Signed(std::string(kBody) + " ")), 401);
  EXPECT_EQ(Post("{", Signed("{")), 400);
  EXPECT_EQ(Post(kBody, Signed(kBody), "/other"), 404);
  httplib::Client client("127.0.0.1", listener_->address().port);
  EXPECT_EQ(client.Get("/")->status, 405);
  EXPECT_TRUE(comments_.empty());
  answer_ = absl::NotFoundError("not ours");
  EXPECT_EQ(Post(kBody, Signed(kBody)), 404) << "somebody else's repository";
}

TEST_F(HookListenerTest, ForgedRequestsFillNoLog) {
  Start();
  std::ostringstream log;
  const std::shared_ptr<spdlog::logger> before = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  httplib::Client client("127.0.0.1", listener_->address().port);
  client.set_read_timeout(300);
  client.set_keep_alive(true);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    const auto result = client.Post("/", kBody, "application/json");
    refused += result && result->status == 401;
  }
  listener_.reset();
  spdlog::set_default_logger(before);
  EXPECT_EQ(refused, 200);
  const std::string lines = log.str();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 50);
}

TEST_F(HookListenerTest, AFormOfGitHubIsTakenWhateverItsSize) {
  Start();
  const std::string body =
      absl::StrCat("payload=", base::PercentEncoded(kBody), std::string(100000, '+'));
  httplib::Client client("127.0.0.1", listener_->address().port);
  client.set_read_timeout(300);
  const auto result = client.Post("/", Signed(body), body, "application/x-www-form-urlencoded");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 204);
  EXPECT_EQ(comments_, std::vector<std::string>{"acme/db 17"});
}

TEST_F(HookListenerTest, OtherContentTypesAreRefusedWithTheReason) {
  Start();
  httplib::Client client("127.0.0.1", listener_->address().port);
  client.set_read_timeout(300);
  httplib::Headers ping = Signed(kBody);
  ping.erase("X-GitHub-Event");
  ping.emplace("X-GitHub-Event", "ping");
  for (const char* type : {"text/plain", "multipart/form-data; boundary=x"}) {
    const auto result = client.Post("/", ping, kBody, type);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, 415) << type;
    EXPECT_NE(result->body.find("choose application/json"), std::string::npos) << type;
  }
}

TEST_F(HookListenerTest, ALongOrPackedBodyIsRefusedBeforeItIsRead) {
  Start();
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  for (const auto& [header, status] : std::vector<std::pair<std::string, std::string>>{
           {"Content-Length: 1048577", "413"},
           {"Content-Length: 99999999999999999", "413"},
           {"Transfer-Encoding: chunked", "411"},
           {"X-Other: 1", "411"},
           {"Content-Encoding: gzip\r\nContent-Length: 10", "415"}}) {
    const std::string answer = ReadAll(Peer(absl::StrCat(head, header, "\r\n\r\n")));
    EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 " + status) << header;
  }
}

TEST_F(HookListenerTest, EndlessHeadersEnd) {
  Start();
  const int fd = Peer("POST / HTTP/1.1\r\n");
  const std::string line = "X-More: " + std::string(4000, 'x') + "\r\n";
  // Far more than is read; the server closes the connection.
  for (int i = 0; i < 100000; ++i) {
    if (send(fd, line.data(), line.size(), MSG_NOSIGNAL) < 0) break;
  }
  ReadAll(fd);
  EXPECT_EQ(Post(kBody, Signed(kBody)), 204);
}

TEST_F(HookListenerTest, SilentPeersDoNotKeepOthersOut) {
  Start(/*peers=*/8, /*patience=*/absl::Hours(1));
  std::vector<int> silent;
  // As many as a process may have files, roughly; each batch would fill all places.
  for (int i = 0; i < 2000; ++i) {
    silent.push_back(Peer(i % 2 == 0 ? "" : "POST / HTTP/1.1\r\nX-Slow:"));
    if (silent.size() < 200) continue;
    for (const int fd : silent) close(fd);
    silent.clear();
  }
  for (int i = 0; i < 100; ++i) silent.push_back(Peer("POST"));
  EXPECT_EQ(Post(kBody, Signed(kBody)), 204);
  for (const int fd : silent) close(fd);
}

TEST_F(HookListenerTest, APeerThatTakesTooLongHasToGo) {
  Start(/*peers=*/2, /*patience=*/absl::Milliseconds(50));
  EXPECT_EQ(ReadAll(Peer("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n123")).find("204"),
            std::string::npos);
  EXPECT_TRUE(comments_.empty());
}

TEST_F(HookListenerTest, EndsWhilePeersAreSilent) {
  Start(4, absl::Hours(1));
  std::vector<int> silent;
  for (int i = 0; i < 6; ++i) silent.push_back(Peer(""));
  listener_.reset();
  for (const int fd : silent) close(fd);
}

}  // namespace

}  // namespace gprofhub::server
