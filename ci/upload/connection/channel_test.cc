#include "ci/upload/connection/channel.h"

#include <gmock/gmock.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/file.h"
#include "ci/upload/testing/test_files.h"
#include "proto/collector.grpc.pb.h"

namespace gprofhub::ci {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SendsInTheClear, EncryptedAndOnThisMachineNobodyReadsAlong) {
  for (const char* server : {"https://ci.example", "https://ci.example:7070", "127.0.0.1:7070",
                             "127.8.0.1:1", "localhost:7070", "[::1]:7070"}) {
    EXPECT_FALSE(SendsInTheClear(server)) << server;
  }
}

TEST(SendsInTheClear, OnTheWayToAnotherMachineOthersDo) {
  for (const char* server :
       {"ci.example:7070", "10.0.0.1:7070", "localhost.example:7070", "[2001:db8::1]:7070"}) {
    EXPECT_TRUE(SendsInTheClear(server)) << server;
  }
}

}  // namespace

// https:// addresses against a server with a certificate on loopback.

namespace {

void Run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

std::string Text(const std::string& path) { return *base::ReadFile(path, 1 << 20); }

// Creates an authority and a certificate issued by it in the folder: ca.pem, server.key,
// server.pem.
void MakeCertificate(const std::string& folder, const std::string& host) {
  const std::string in_folder = absl::StrCat("cd '", folder, "' && openssl ");
  const std::string key = " -newkey rsa:2048 -nodes -days 2 ";
  Run(absl::StrCat(in_folder, "req -x509", key, "-keyout ca.key -out ca.pem -subj /CN=authority",
                   " 2>ca.log"));
  Run(absl::StrCat(in_folder, "req", key, "-keyout server.key -out server.csr -subj /CN=", host,
                   " 2>server.log"));
  WriteTestFile(folder + "/names", absl::StrCat("subjectAltName=DNS:", host, "\n"));
  Run(absl::StrCat(in_folder,
                   "x509 -req -days 2 -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial "
                   "-extfile names -out server.pem 2>sign.log"));
}

// Answers every call with UNIMPLEMENTED, which proves the connection.
class Server {
 public:
  explicit Server(const std::string& folder) {
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs = {{Text(folder + "/server.key"), Text(folder + "/server.pem")}};
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
  }

  int port() const { return port_; }
  std::string Address(const std::string& scheme, const std::string& host) const {
    return absl::StrCat(scheme, host, ":", port_);
  }

 private:
  v1::Collector::Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

grpc::StatusCode Call(const std::string& address, const ClientTls& tls = {}) {
  grpc::ClientContext call;
  PrepareCall("", absl::Minutes(1), call);
  v1::FindMissingBlobsResponse response;
  return v1::Collector::NewStub(ConnectTo(address, tls))
      ->FindMissingBlobs(&call, v1::FindMissingBlobsRequest(), &response)
      .error_code();
}

TEST(EncryptedChannel, ReachesAServerWhoseAuthorityIsTrustedAndNoOther) {
  const std::string trusted = MakeTestFolder("trusted");
  const std::string foreign = MakeTestFolder("foreign");
  const std::string misnamed = MakeTestFolder("misnamed");
  MakeCertificate(trusted, "localhost");
  MakeCertificate(foreign, "localhost");
  MakeCertificate(misnamed, "elsewhere.example");
  // gRPC reads it once, with the first channel.
  WriteTestFile(trusted + "/roots.pem", Text(trusted + "/ca.pem") + Text(misnamed + "/ca.pem"));
  setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", (trusted + "/roots.pem").c_str(), 1);
  const Server server(trusted);
  EXPECT_EQ(Call(server.Address("https://", "localhost")), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(Call(server.Address("https://", "localhost") + "/"), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(Call(server.Address("", "localhost")), grpc::StatusCode::UNAVAILABLE)
      << "without encryption";
  EXPECT_EQ(Call(Server(foreign).Address("https://", "localhost")), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(Call(Server(misnamed).Address("https://", "localhost")), grpc::StatusCode::UNAVAILABLE);
}

// Proxies.

// An HTTP proxy that connects every tunnel to one port of this machine.
class TunnelProxy {
 public:
  explicit TunnelProxy(int to_port)
      : to_port_(to_port), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { Accept(); });
  }
  ~TunnelProxy() {
    shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
    for (std::thread& copying : copying_) copying.join();
    for (const int socket : sockets_) close(socket);
    close(listener_);
  }

  std::string Url(const std::string& user = "") const {
    return absl::StrCat("http://", user, "127.0.0.1:", port_);
  }
  // The requests, headers included.
  std::string requests() {
    const absl::MutexLock lock(&mutex_);
    return requests_;
  }

 private:
  static sockaddr_in Loopback(int port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    return address;
  }

  void Accept() {
    for (int client = accept(listener_, nullptr, nullptr); client >= 0;
         client = accept(listener_, nullptr, nullptr)) {
      std::string head;
      char byte = 0;
      while (!absl::EndsWith(head, "\r\n\r\n") && read(client, &byte, 1) == 1) head += byte;
      {
        const absl::MutexLock lock(&mutex_);
        requests_ += head;
      }
      const int server = socket(AF_INET, SOCK_STREAM, 0);
      const sockaddr_in address = Loopback(to_port_);
      if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        constexpr absl::string_view kTunnel = "HTTP/1.1 200 OK\r\n\r\n";
        EXPECT_EQ(write(client, kTunnel.data(), kTunnel.size()),
                  static_cast<ssize_t>(kTunnel.size()));
        copying_.emplace_back(&TunnelProxy::Copy, client, server);
        copying_.emplace_back(&TunnelProxy::Copy, server, client);
      }
      sockets_.insert(sockets_.end(), {client, server});
    }
  }

  static void Copy(int from, int to) {
    char bytes[4096];
    for (ssize_t got = read(from, bytes, sizeof bytes); got > 0;
         got = read(from, bytes, sizeof bytes)) {
      if (send(to, bytes, static_cast<size_t>(got), MSG_NOSIGNAL) != got) break;
    }
    shutdown(to, SHUT_RDWR);
  }

  const int to_port_;
  const int listener_;
  int port_ = 0;
  absl::Mutex mutex_;
  std::string requests_;
  std::vector<int> sockets_;
  std::vector<std::thread> copying_;
  std::thread accepting_;
};

// Without the variables of the machine that runs the tests.
class ProxyTest : public testing::Test {
 protected:
  void SetUp() override { TearDown(); }
  void TearDown() override {
    for (const char* name : kNames) unsetenv(name);
  }

 private:
  static constexpr const char* kNames[] = {
      "grpc_proxy", "GRPC_PROXY", "https_proxy",   "HTTPS_PROXY", "http_proxy",
      "all_proxy",  "ALL_PROXY",  "no_grpc_proxy", "no_proxy",    "NO_PROXY"};
};

TEST_F(ProxyTest, EncryptedCallsGoThroughTheProxyToTheNamedHost) {
  const std::string folder = MakeTestFolder("proxied");
  MakeCertificate(folder, "ci.example");
  const Server server(folder);
  TunnelProxy proxy(server.port());
  setenv("HTTPS_PROXY", proxy.Url("me:s%40cret@").c_str(), 1);
  ClientTls tls;
  tls.authorities = Text(folder + "/ca.pem");
  EXPECT_EQ(Call("https://ci.example", tls), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(proxy.requests(), HasSubstr("CONNECT ci.example:443 HTTP/1"));
  EXPECT_THAT(proxy.requests(), HasSubstr("Proxy-Authorization: Basic bWU6c0BjcmV0"));
  const std::string why = ExplainNoConnection("https://ci.example", tls);
  EXPECT_THAT(why, HasSubstr(absl::StrCat("through the proxy ", proxy.Url(), " (HTTPS_PROXY)")));
  EXPECT_THAT(why, Not(HasSubstr("cret")));
}

TEST_F(ProxyTest, LoopbackAndExceptionsAreReachedDirectly) {
  const std::string folder = MakeTestFolder("direct");
  MakeCertificate(folder, "localhost");
  const Server server(folder);
  TunnelProxy proxy(server.port());
  ClientTls tls;
  tls.authorities = Text(folder + "/ca.pem");
  for (const char* name : {"http_proxy", "https_proxy", "grpc_proxy"}) {
    setenv(name, proxy.Url().c_str(), 1);
  }
  EXPECT_EQ(Call(server.Address("https://", "localhost"), tls), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(Call(server.Address("", "127.0.0.1")), grpc::StatusCode::UNAVAILABLE) << "it has TLS";
  setenv("NO_PROXY", ".invalid", 1);
  EXPECT_EQ(Call("https://ci.invalid", tls), grpc::StatusCode::UNAVAILABLE) << "no such host";
  EXPECT_EQ(proxy.requests(), "");
  EXPECT_THAT(ExplainNoConnection("https://ci.invalid", tls), Not(HasSubstr("proxy")));
}

TEST_F(ProxyTest, AProxyOfAnotherKindIsNamedAsUnsupported) {
  setenv("ALL_PROXY", "socks5://127.0.0.1:1", 1);
  EXPECT_THAT(ExplainNoConnection("ci.invalid:7070", {}),
              AllOf(HasSubstr("socks5://127.0.0.1:1 (ALL_PROXY)"), HasSubstr("grpc_proxy")));
}

}  // namespace

}  // namespace gprofhub::ci
