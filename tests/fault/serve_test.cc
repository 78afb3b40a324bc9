// The server process as its operator sees it: start, end, and error messages of a failed start.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::tests {
namespace {

void ExpectSays(const std::string& text, const std::string& words) {
  EXPECT_TRUE(absl::StrContains(text, words)) << text;
}

TEST(ServeTest, StoresAnalysesAndEndsGracefully) {
  ServeProcess server({"--data-dir", store::MakeTempDir()});
  v1::UploadResponse response;
  const grpc::Status status = Send(
      server.Connect(), FaultTestUpload(1), "", [] {}, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::Run run = AwaitAnalysis(server.Connect(), response.run_id());
  EXPECT_EQ(run.jobs_done(), 1u);
  EXPECT_EQ(run.targets(0).state(), v1::Target::ANALYZED) << run.ShortDebugString();
  const Ended ended = server.Stop();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST(ServeTest, KeepsWhatItHadWhenStartedAgain) {
  const std::string dir = store::MakeTempDir();
  v1::UploadResponse first;
  {
    ServeProcess server({"--data-dir", dir});
    ASSERT_TRUE(Send(
                    server.Connect(), FaultTestUpload(1), "", [] {}, first)
                    .ok());
    EXPECT_EQ(server.Stop().exit_code, 0);
  }
  ServeProcess server({"--data-dir", dir});
  v1::UploadResponse second;
  ASSERT_TRUE(Send(
                  server.Connect(), FaultTestUpload(1), "", [] {}, second)
                  .ok());
  EXPECT_TRUE(second.already_present());
  EXPECT_EQ(second.run_id(), first.run_id());
}

TEST(ServeTest, EndsGracefullyWhileAStreamIsOpen) {
  ServeProcess server({"--data-dir", store::MakeTempDir()});
  const auto stub = v1::Collector::NewStub(server.Connect());
  const collector::SampleUpload upload = FaultTestUpload(1);
  grpc::ClientContext call;
  v1::UploadResponse response;
  auto stream = stub->Upload(&call, &response);
  for (const v1::UploadRequest& message : upload.Messages()) ASSERT_TRUE(stream->Write(message));
  // The stream and the server end at the same time. The stream is either answered or cancelled
  // without a trace. The server ends in both cases.
  stream->WritesDone();
  const Ended ended = server.Stop();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  stream->Finish();
}

TEST(ServeTest, AnswersHealthChecks) {
  ServeProcess server({"--data-dir", store::MakeTempDir()});
  grpc::GenericStub stub(server.Connect());
  grpc::ClientContext call;
  grpc::CompletionQueue queue;
  const grpc::Slice nothing;
  const grpc::ByteBuffer empty_request(&nothing, 1);
  auto reader = stub.PrepareUnaryCall(&call, "/grpc.health.v1.Health/Check", empty_request, &queue);
  reader->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  reader->Finish(&answer, &status, &queue);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  ASSERT_TRUE(status.ok()) << status.error_message();
  grpc::Slice bytes;
  ASSERT_TRUE(answer.DumpToSingleSlice(&bytes).ok());
  // HealthCheckResponse{status: SERVING}
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), std::string("\x08\x01"));
}

TEST(ServeTest, SaysThatThePortIsInUse) {
  ServeProcess server({"--data-dir", store::MakeTempDir()});
  const Ended ended =
      RunGprofhub({"serve", "--data-dir", store::MakeTempDir(), "--listen", server.address()});
  EXPECT_EQ(ended.exit_code, 1);
  ExpectSays(ended.err, server.address() + " is in use");
}

TEST(ServeTest, SaysThatTheDataDirectoryCannotBeMade) {
  const Ended ended = RunGprofhub({"serve", "--data-dir", "/dev/null/data"});
  EXPECT_NE(ended.exit_code, 0);
  ExpectSays(ended.err, "the data directory /dev/null/data cannot be created: Not a directory");
}

TEST(ServeTest, TwoDoNotShareADataDirectory) {
  const std::string dir = store::MakeTempDir();
  const ServeProcess first({"--data-dir", dir});
  const Ended second = RunGprofhub({"serve", "--data-dir", dir, "--listen", "127.0.0.1:0"});
  EXPECT_EQ(second.exit_code, 1);
  ExpectSays(second.err, "another `gprofhub serve` uses the data directory " + dir);
  EXPECT_EQ(RunGprofhub({"token", "list", "--data-dir", dir}).exit_code, 0);
}

TEST(ServeTest, SaysThatTheStoreIsUnknown) {
  const Ended ended = RunGprofhub({"serve", "--store", "mongodb://x"});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_NE(ended.err, "");
}

TEST(ServeTest, SaysThatTheAddressIsNone) {
  const Ended ended =
      RunGprofhub({"serve", "--data-dir", store::MakeTempDir(), "--listen", "7070"});
  EXPECT_EQ(ended.exit_code, 1);
  ExpectSays(ended.err, "\"7070\" is not HOST:PORT");
}

TEST(ServeTest, RefusesUnknownOptionsAndRoles) {
  EXPECT_EQ(RunGprofhub({"serve", "--no-such-option"}).exit_code, 2);
  EXPECT_EQ(RunGprofhub({"serve", "--role", "cook"}).exit_code, 2);
}

TEST(ServeTest, RefusesToListenBeyondThisMachineWithoutTokens) {
  const Ended ended =
      RunGprofhub({"serve", "--data-dir", store::MakeTempDir(), "--listen", "0.0.0.0:0"});
  EXPECT_NE(ended.exit_code, 0);
  ExpectSays(ended.err, "can be reached from other machines and no token exists");
}

TEST(ServeTest, ListensBeyondThisMachineWithATokenOrWhenToldTo) {
  const std::string dir = store::MakeTempDir();
  ASSERT_EQ(RunGprofhub({"token", "create", "--project", "p", "--data-dir", dir}).exit_code, 0);
  ServeProcess with_token({"--data-dir", dir, "--listen", "0.0.0.0:0"});
  EXPECT_NE(with_token.address(), "");
  ExpectSays(with_token.Stop().err, "without encryption");
  ServeProcess anonymous(
      {"--data-dir", store::MakeTempDir(), "--listen", "0.0.0.0:0", "--allow-anonymous"});
  EXPECT_NE(anonymous.address(), "");
}

TEST(ServeTest, ServesTheRolesItIsGivenOnly) {
  ServeProcess server({"--data-dir", store::MakeTempDir(), "--role", "query"});
  v1::UploadResponse response;
  EXPECT_EQ(Send(
                server.Connect(), FaultTestUpload(1), "", [] {}, response)
                .error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  ServeProcess worker({"--data-dir", store::MakeTempDir(), "--role", "worker"});
  EXPECT_EQ(worker.address(), "");
  EXPECT_EQ(worker.Stop().exit_code, 0);
}

TEST(ServeTest, AWrongRoleSaysWhichItIsAndWhatToAsk) {
  ServeProcess server({"--data-dir", store::MakeTempDir(), "--role", "collector"});
  const Ended ended = RunGprofhub({"runs", "--server", server.address()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(
      ended.err,
      "gprofhub: " + server.address() +
          " does not support this request (it does not serve /gprofhub.v1.Query/ListRuns; "
          "its roles: collector); name a server with the role query that is at least as new as "
          "this command, with --server or GPROFHUB_SERVER\n");
}

TEST(TokenTest, IsMadeListedAndRevoked) {
  const std::string dir = store::MakeTempDir();
  const Ended made = RunGprofhub({"token", "create", "--project", "default", "--label", "ci",
                                  "--scope", "upload-main", "--data-dir", dir});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string token(absl::StripSuffix(made.out, "\n"));
  EXPECT_EQ(token.size(), 68u) << made.out;
  const Ended listed = RunGprofhub({"token", "list", "--project", "default", "--data-dir", dir});
  ExpectSays(listed.out, "default");
  ExpectSays(listed.out, "valid");
  EXPECT_FALSE(absl::StrContains(listed.out, token));

  ServeProcess server({"--data-dir", dir});
  v1::UploadResponse response;
  const collector::SampleUpload upload = FaultTestUpload(1);
  EXPECT_EQ(Send(
                server.Connect(), upload, "", [] {}, response)
                .error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(Send(
                  server.Connect(), upload, token, [] {}, response)
                  .ok());
  ASSERT_EQ(RunGprofhub({"token", "revoke", "1", "--data-dir", dir}).exit_code, 0);
  EXPECT_EQ(Send(
                server.Connect(), upload, token, [] {}, response)
                .error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  ExpectSays(RunGprofhub({"token", "list", "--project", "default", "--data-dir", dir}).out,
             "revoked");
}

TEST(TokenTest, SaysThatThereIsNoSuchToken) {
  const Ended ended = RunGprofhub({"token", "revoke", "17", "--data-dir", store::MakeTempDir()});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
}

TEST(HelpTest, ShowsExamples) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"serve", "--help"},
                                                  {"token", "--help"},
                                                  {"token", "create", "--help"}}) {
    const Ended ended = RunGprofhub(command);
    EXPECT_EQ(ended.exit_code, 0);
    ExpectSays(ended.out, "Examples:\n  gprofhub ");
  }
}

}  // namespace
}  // namespace gprofhub::tests
