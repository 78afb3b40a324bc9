// TLS as its operator and its users meet it.
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "proto/byte_stream.grpc.pb.h"
#include "proto/publish_build_event.grpc.pb.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/tls/files.h"

namespace gprofhub::tests {
namespace {

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words WithStore(const Words& words) { return words + Words{"--data-dir", store::MakeTempDir()}; }

// A connection of its own each time.
std::shared_ptr<grpc::Channel> Connect(const ServeProcess& server, const TlsFolder& tls) {
  grpc::ChannelArguments own_connection;
  own_connection.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(server.address(), tls.ClientCredentials(), own_connection);
}

// Sends a file as Bazel does, without a token.
grpc::Status WriteFile(const std::shared_ptr<grpc::Channel>& channel) {
  const std::string bytes = "a test's log";
  const auto stub = google::bytestream::ByteStream::NewStub(channel);
  grpc::ClientContext call;
  google::bytestream::WriteResponse response;
  const auto writer = stub->Write(&call, &response);
  google::bytestream::WriteRequest message;
  message.set_resource_name(
      absl::StrCat("uploads/u/blobs/", base::Sha256Hex(bytes), "/", bytes.size()));
  message.set_data(bytes);
  message.set_finish_write(true);
  writer->Write(message);
  writer->WritesDone();
  return writer->Finish();
}

// Sends the first event of an invocation as Bazel does, without a token. OK if it is acknowledged.
grpc::Status SendEvent(const std::shared_ptr<grpc::Channel>& channel) {
  namespace build = google::devtools::build::v1;
  const auto stub = build::PublishBuildEvent::NewStub(channel);
  grpc::ClientContext call;
  const auto stream = stub->PublishBuildToolEventStream(&call);
  build::PublishBuildToolEventStreamRequest request;
  build::OrderedBuildEvent& event = *request.mutable_ordered_build_event();
  event.mutable_stream_id()->set_invocation_id("invocation");
  event.set_sequence_number(1);
  event.mutable_event()->mutable_bazel_event()->set_type_url(
      "type.googleapis.com/build_event_stream.BuildEvent");
  stream->Write(request);
  build::PublishBuildToolEventStreamResponse response;
  const bool is_acknowledged = stream->Read(&response) && response.sequence_number() == 1;
  stream->WritesDone();
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(is_acknowledged, status.ok()) << status.error_message();
  return status;
}

grpc::Status Upload(const std::shared_ptr<grpc::Channel>& channel, uint32_t i) {
  v1::UploadResponse response;
  return Send(
      channel, FaultTestUpload(i), "", [] {}, response);
}

Words Ask(const std::string& address) { return {"runs", "--server", address}; }

void ExpectFails(const Words& words, const std::string& message) {
  const Ended ended = RunGprofhub(words);
  EXPECT_EQ(ended.exit_code, 4) << ended.err;
  EXPECT_TRUE(absl::StrContains(ended.err, message)) << ended.err;
}

TEST(TlsTest, UploadsAndCommandsGoEncrypted) {
  const TlsFolder tls;
  const ServeProcess server(WithStore(tls.ServeOptions()));
  EXPECT_TRUE(Upload(Connect(server, tls), 1).ok());
  const Ended asked =
      RunGprofhub(Ask("https://" + server.address()) + Words{"--ca-file", tls.Path("ca.pem")});
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  setenv("GPROFHUB_CA_FILE", tls.Path("ca.pem").c_str(), 1);
  const Ended with_variable = RunGprofhub(Ask("https://" + server.address()));
  unsetenv("GPROFHUB_CA_FILE");
  EXPECT_EQ(with_variable.exit_code, 0) << with_variable.err;
}

TEST(TlsTest, ErrorsSayWhichSideSpeaksTls) {
  const TlsFolder tls;
  const ServeProcess encrypted(WithStore(tls.ServeOptions()));
  ExpectFails(Ask(encrypted.address()),
              absl::StrCat(encrypted.address(), " uses TLS: put https:// in front of the address"));
  const ServeProcess plain(WithStore({}));
  ExpectFails(
      Ask("https://" + plain.address()),
      absl::StrCat(plain.address(), " does not use TLS: leave out https:// of the address"));
}

TEST(TlsTest, ErrorsSayWhatIsWrongWithTheServersCertificate) {
  TlsFolder tls;
  const ServeProcess server(WithStore(tls.ServeOptions()));
  ExpectFails(Ask("https://" + server.address()), "pass its CA with --ca-file");
  tls.ChangeAuthority();
  ExpectFails(Ask("https://" + server.address()) + Words{"--ca-file", tls.Path("ca.pem")},
              "pass its CA with --ca-file");
}

TEST(TlsTest, ClientsShowTheirCertificateWhereItIsDemanded) {
  TlsFolder tls;
  tls.Issue("client");
  const ServeProcess server(WithStore(tls.ServeOptionsForKnownClients()));
  const Words ask = Ask("https://" + server.address()) + Words{"--ca-file", tls.Path("ca.pem")};
  ExpectFails(ask, "requires a client certificate");
  const Ended known = RunGprofhub(
      ask + Words{"--client-cert", tls.Path("client.pem"), "--client-key", tls.Path("client.key")});
  EXPECT_EQ(known.exit_code, 0) << known.err;
  const TlsFolder foreign;
  ExpectFails(ask + Words{"--client-cert", foreign.Path("server.pem"), "--client-key",
                          foreign.Path("server.key")},
              "rejects the client certificate of --client-cert");
}

TEST(TlsTest, ACertificateStandsForATokenUntilThatIsRevoked) {
  TlsFolder tls;
  tls.Issue("client");
  tls.Issue("stranger");
  const std::string data = store::MakeTempDir();
  const Ended made =
      RunGprofhub({"token", "create", "--data-dir", data, "--certificate", tls.Path("client.pem")});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(absl::StrContains(made.out, "authenticates as token 1")) << made.out;
  const ServeProcess server(tls.ServeOptionsForKnownClients() + Words{"--data-dir", data});
  const auto ask = [&](const std::string& name) {
    return Ask("https://" + server.address()) + Words{"--ca-file",     tls.Path("ca.pem"),
                                                      "--client-cert", tls.Path(name + ".pem"),
                                                      "--client-key",  tls.Path(name + ".key")};
  };
  const Ended known = RunGprofhub(ask("client"));
  EXPECT_EQ(known.exit_code, 0) << known.err;
  ExpectFails(ask("stranger"), "the certificate's token is unknown or revoked");
  ExpectFails(ask("client") + Words{"--project", "other"}, "belongs to another project");
  ASSERT_EQ(RunGprofhub({"token", "revoke", "--data-dir", data, "1"}).exit_code, 0);
  ExpectFails(ask("client"), "the certificate's token is unknown or revoked");
}

// Bazel 4 can send no token to a build event service.
TEST(TlsTest, CertificateStandsForATokenInBazelsCalls) {
  TlsFolder tls;
  tls.Issue("client");
  tls.Issue("stranger");
  const std::string data = store::MakeTempDir();
  ASSERT_EQ(RunGprofhub({"token", "create", "--data-dir", data, "--scope", "upload",
                         "--certificate", tls.Path("client.pem")})
                .exit_code,
            0);
  const ServeProcess server(tls.ServeOptionsForKnownClients() + Words{"--data-dir", data});
  const auto known = grpc::CreateChannel(server.address(), tls.ClientCredentials("client"));
  const grpc::Status file = WriteFile(known);
  EXPECT_TRUE(file.ok()) << file.error_message();
  const grpc::Status event = SendEvent(known);
  EXPECT_TRUE(event.ok()) << event.error_message();
  const auto unknown = grpc::CreateChannel(server.address(), tls.ClientCredentials("stranger"));
  EXPECT_EQ(WriteFile(unknown).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(SendEvent(unknown).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  const auto none = grpc::CreateChannel(server.address(), tls.ClientCredentials());
  EXPECT_EQ(SendEvent(none).error_code(), grpc::StatusCode::UNAVAILABLE) << "no connection";
}

TEST(TlsTest, ANewCertificateIsTakenWithoutACallThatFails) {
  TlsFolder tls;
  ServeProcess server(WithStore(tls.ServeOptions()));
  const auto before = Connect(server, tls);
  const auto stub = v1::Collector::NewStub(before);
  grpc::ClientContext call;
  v1::UploadResponse response;
  const auto stream = stub->Upload(&call, &response);
  const auto messages = FaultTestUpload(1).Messages();
  ASSERT_TRUE(stream->Write(messages.front()));
  tls.ChangeAuthority();
  tls.Issue("server");
  const auto after = Connect(server, tls);
  EXPECT_FALSE(Upload(after, 2).ok()) << "the server still shows the certificate before";
  server.SignalAndAwaitLog(SIGHUP, "SIGHUP received: reloaded");
  EXPECT_TRUE(Upload(Connect(server, tls), 3).ok());
  for (size_t i = 1; i < messages.size(); ++i) ASSERT_TRUE(stream->Write(messages[i]));
  ASSERT_TRUE(stream->WritesDone());
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_TRUE(Upload(before, 4).ok());
}

TEST(TlsTest, ABadNewCertificateLeavesTheOneBeforeInUse) {
  TlsFolder tls;
  ServeProcess server(WithStore(tls.ServeOptions()));
  tls.Write("server.key", "no key at all");
  server.SignalAndAwaitLog(SIGHUP, "the previous values stay in use");
  EXPECT_TRUE(Upload(Connect(server, tls), 1).ok());
  tls.Issue("server", absl::Hours(-1));
  server.SignalAndAwaitLog(SIGHUP, "expired at");
  EXPECT_TRUE(Upload(Connect(server, tls), 2).ok());
}

TEST(TlsTest, AHangUpKillsNoServer) {
  ServeProcess server(WithStore({}));
  server.SignalAndAwaitLog(SIGHUP, "SIGHUP received");
  EXPECT_TRUE(Upload(server.Connect(), 1).ok());
  EXPECT_EQ(server.Stop().exit_code, 0);
}

TEST(TlsTest, TheWarningOfANetworkKnowsWhatTlsDoes) {
  const TlsFolder tls;
  const Words everywhere = {"--listen", "0.0.0.0:0", "--allow-anonymous"};
  const ServeProcess plain(WithStore(everywhere));
  EXPECT_TRUE(absl::StrContains(plain.Log(), "without encryption")) << plain.Log();
  const ServeProcess encrypted(WithStore(everywhere + tls.ServeOptions()));
  EXPECT_FALSE(absl::StrContains(encrypted.Log(), "without encryption")) << encrypted.Log();
  EXPECT_TRUE(absl::StrContains(encrypted.Log(), "the protection of a reverse proxy"))
      << encrypted.Log();
  const ServeProcess closed(WithStore(everywhere + tls.ServeOptionsForKnownClients()));
  EXPECT_FALSE(absl::StrContains(closed.Log(), "the protection of a reverse proxy"))
      << closed.Log();
}

TEST(TlsTest, AServerWithBadFilesDoesNotStart) {
  const TlsFolder tls;
  const TlsFolder other;
  const Ended ended =
      RunGprofhub(WithStore({"serve", "--listen", "127.0.0.1:0", "--tls-cert",
                             tls.Path("server.pem"), "--tls-key", other.Path("server.key")}));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(absl::StrContains(ended.err, "does not match the certificate")) << ended.err;
}

}  // namespace
}  // namespace gprofhub::tests
