// Errors for clients of a server with a broken store advise to retry, or to ask the operator. They
// do not reveal where the server's files or its database are. The log has that.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {
namespace {

// The errors of calls that read, write and list.
std::string ErrorsOf(const ServeProcess& server, const std::string& run_id) {
  std::string errors;
  const auto stub = v1::Query::NewStub(server.Connect());
  {
    grpc::ClientContext call;
    v1::ListRunsRequest request;
    request.set_project("default");
    v1::ListRunsResponse response;
    errors += stub->ListRuns(&call, request, &response).error_message() + "\n";
  }
  {
    grpc::ClientContext call;
    v1::GetListingRequest request;
    request.set_project("default");
    request.set_run(run_id);
    request.set_target("//db:test_1");
    request.set_kind(v1::GetListingRequest::FLAT);
    auto stream = stub->GetListing(&call, request);
    v1::TextChunk chunk;
    while (stream->Read(&chunk)) {
    }
    errors += stream->Finish().error_message() + "\n";
  }
  v1::UploadResponse response;
  errors += Send(
                server.Connect(), FaultTestUpload(2), "", [] {}, response)
                .error_message();
  return errors;
}

std::string UploadAndAnalyse(const ServeProcess& server) {
  v1::UploadResponse response;
  const grpc::Status status = Send(
      server.Connect(), FaultTestUpload(1), "", [] {}, response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(AwaitAnalysis(server.Connect(), response.run_id()).jobs_done(), 1u);
  return response.run_id();
}

TEST(PublicErrorsTest, DoNotNameTheFoldersOfABrokenSqliteStore) {
  const std::string folder = store::MakeTempDir();
  ServeProcess server({"--data-dir", folder});
  const std::string run_id = UploadAndAnalyse(server);
  std::filesystem::remove_all(folder + "/blobs");
  const std::string gone = ErrorsOf(server, run_id);
  EXPECT_TRUE(absl::StrContains(gone, "see the server's log")) << gone;
  EXPECT_FALSE(absl::StrContains(gone, folder)) << gone;
  EXPECT_FALSE(absl::StrContains(gone, "blobs/")) << gone;
  for (const char* name : {"/gprofhub.db", "/gprofhub.db-wal"}) {
    std::ofstream(folder + name, std::ios::trunc) << std::string(1 << 16, 'x');
  }
  const std::string damaged = ErrorsOf(server, run_id);
  EXPECT_TRUE(absl::StrContains(damaged, "see the server's log")) << damaged;
  EXPECT_FALSE(absl::StrContains(damaged, folder)) << damaged;
  EXPECT_FALSE(absl::StrContains(damaged, "gprofhub.db")) << damaged;
  EXPECT_TRUE(absl::StrContains(server.Stop().err, folder)) << "the log does not say where";
}

TEST(PublicErrorsTest, DoNotNameTheHostOfADatabaseThatIsAway) {
  const auto postgres = PostgresServer::Start();
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  const auto url = (*postgres)->CreateDatabase("errors");
  ASSERT_TRUE(url.ok()) << url.status();
  ServeProcess server({"--store", *url});
  const std::string run_id = UploadAndAnalyse(server);
  ASSERT_TRUE((*postgres)->Stop().ok());
  const std::string away = ErrorsOf(server, run_id);
  EXPECT_TRUE(absl::StrContains(away, "the database cannot be reached: try again")) << away;
  for (const std::string& secret :
       {(*postgres)->directory(), std::string("postgresql://"), std::string("gprofhub@"),
        std::string("PGSQL"), std::string("errors")}) {
    EXPECT_FALSE(absl::StrContains(away, secret)) << secret << "\n" << away;
  }
  EXPECT_TRUE(absl::StrContains(server.Stop().err, (*postgres)->directory()));
}

}  // namespace
}  // namespace gprofhub::tests
