// A real server with its archive in a bucket of a third-party S3 server.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/query.grpc.pb.h"
#include "store/testing/temp_dir.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/s3/s3_server.h"

namespace gprofhub::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ArchiveTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("AWS_ACCESS_KEY_ID", S3Server::kAccessKey, 1);
    setenv("AWS_SECRET_ACCESS_KEY", S3Server::kSecretKey, 1);
    auto started = S3Server::Start();
    ASSERT_TRUE(started.ok()) << started.status();
    bucket_ = *std::move(started);
    archive_ = absl::StrCat("s3://", S3Server::kBucket,
                            "/old?endpoint=http://127.0.0.1:", bucket_->port());
  }

  std::vector<std::string> OfStore(std::vector<std::string> arguments, bool with_archive = true) {
    arguments.insert(arguments.end(), {"--data-dir", folder_});
    if (with_archive) arguments.insert(arguments.end(), {"--archive", archive_});
    return arguments;
  }

  // Sends runs with profiles of ten kilobytes and more, and waits for their analyses.
  void SendTo(const ServeProcess& server) {
    for (uint32_t i = 1; i <= 5; ++i) {
      v1::UploadResponse response;
      const grpc::Status status = Send(
          server.Connect(), FaultTestUpload(i), "", [] {}, response);
      ASSERT_TRUE(status.ok()) << status.error_message();
      runs_.push_back(AwaitAnalysis(server.Connect(), response.run_id()));
    }
  }

  // A listing, which needs the uploaded profile and symbols. Empty: it failed.
  static std::string ListingOf(const ServeProcess& server, const v1::Run& run,
                               const std::string& target) {
    grpc::ClientContext call;
    v1::GetListingRequest request;
    request.set_project("default");
    request.set_run(run.run_id());
    request.set_target(target);
    request.set_kind(v1::GetListingRequest::FLAT);
    const auto query = v1::Query::NewStub(server.Connect());
    const auto reader = query->GetListing(&call, request);
    std::string text;
    for (v1::TextChunk chunk; reader->Read(&chunk);) text += chunk.text();
    return reader->Finish().ok() ? text : "";
  }

  std::vector<std::string> Listings(const ServeProcess& server) const {
    std::vector<std::string> listings;
    for (const v1::Run& run : runs_) {
      for (const v1::Target& target : run.targets()) {
        listings.push_back(ListingOf(server, run, target.label()));
      }
    }
    return listings;
  }

  const std::string folder_ = store::MakeTempDir();
  std::unique_ptr<S3Server> bucket_;
  std::string archive_;
  std::vector<v1::Run> runs_;
};

TEST_F(ArchiveTest, OldBlobsAreReadFromTheBucket) {
  ServeProcess server({"--data-dir", folder_, "--archive", archive_});
  SendTo(server);
  const std::vector<std::string> before = Listings(server);
  ASSERT_FALSE(before.empty());
  EXPECT_THAT(before, Not(testing::Contains("")));

  const Ended archived =
      RunGprofhub(OfStore({"admin", "archive", "--older-than", "0", "--format=json"}));
  ASSERT_EQ(archived.exit_code, 0) << archived.err;
  const auto json = nlohmann::json::parse(archived.out, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(json.is_object()) << archived.out;
  EXPECT_GT(json["blobs"].get<int>(), 0);
  EXPECT_GT(json["segments"].get<int>(), 0);

  EXPECT_EQ(Listings(server), before) << "the server reads what another process moved";
  const Ended checked = RunGprofhub(OfStore({"admin", "fsck"}));
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;

  const Ended back = RunGprofhub(OfStore({"admin", "archive", "--back"}));
  EXPECT_EQ(back.exit_code, 0) << back.err;
  bucket_->Stop();
  EXPECT_EQ(Listings(server), before) << "nothing lies in the bucket any more";
}

TEST_F(ArchiveTest, MissingBucketIsAnErrorWithoutLoss) {
  ServeProcess server({"--data-dir", folder_, "--archive", archive_});
  SendTo(server);
  const Ended archived = RunGprofhub(OfStore({"admin", "archive", "--older-than", "0"}));
  ASSERT_EQ(archived.exit_code, 0) << archived.err;
  server.Stop();
  // Without the archive everything else works, and archived blobs are not reported as lost.
  ServeProcess without({"--data-dir", folder_});
  const auto query = v1::Query::NewStub(without.Connect());
  grpc::ClientContext call;
  v1::GetListingRequest request;
  request.set_project("default");
  request.set_run(runs_[0].run_id());
  request.set_target(runs_[0].targets(0).label());
  request.set_kind(v1::GetListingRequest::FLAT);
  const auto reader = query->GetListing(&call, request);
  v1::TextChunk chunk;
  EXPECT_FALSE(reader->Read(&chunk));
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("this server has no archive"));
  v1::UploadResponse response;
  EXPECT_TRUE(Send(
                  without.Connect(), FaultTestUpload(7), "", [] {}, response)
                  .ok());
}

}  // namespace
}  // namespace gprofhub::tests
