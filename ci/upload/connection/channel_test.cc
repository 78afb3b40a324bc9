#include "ci/upload/connection/channel.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "ci/upload/testing/test_files.h"
#include "proto/collector.grpc.pb.h"

namespace gprofhub::ci {

namespace {

TEST(ParseServerAddress, TakesWhatTheDocumentsSay) {
  const struct {
    const char* server;
    const char* target;
    bool is_encrypted;
  } kCases[] = {
      {"127.0.0.1:7070", "127.0.0.1:7070", false},
      {"ci.example:7070", "ci.example:7070", false},
      {"https://ci.example", "ci.example:443", true},
      {"https://ci.example/", "ci.example:443", true},
      {"https://ci.example:7443", "ci.example:7443", true},
      {"https://ci.example:7443/", "ci.example:7443", true},
      {"https://[2001:db8::1]", "[2001:db8::1]:443", true},
      {"https://[2001:db8::1]:7443", "[2001:db8::1]:7443", true},
  };
  for (const auto& c : kCases) {
    const ServerAddress address = ParseServerAddress(c.server);
    EXPECT_EQ(address.target, c.target) << c.server;
    EXPECT_EQ(address.is_encrypted, c.is_encrypted) << c.server;
  }
}

TEST(SendsInTheClear, EncryptedAndOnThisMachineNobodyReadsAlong) {
  for (const char* server : {"https://ci.example", "https://ci.example:7070", "127.0.0.1:7070",
                             "127.8.0.1:1", "localhost:7070", "[::1]:7070", "unix:/run/socket"}) {
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

  std::string Address(const std::string& scheme, const std::string& host) const {
    return absl::StrCat(scheme, host, ":", port_);
  }

 private:
  v1::Collector::Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

grpc::StatusCode Call(const std::string& address) {
  grpc::ClientContext call;
  PrepareCall("", absl::Minutes(1), call);
  v1::FindMissingBlobsResponse response;
  return v1::Collector::NewStub(ConnectTo(address))
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

}  // namespace

}  // namespace gprofhub::ci
