// The server process from an upload to the check on the pull request.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <string>

#include "absl/strings/match.h"
#include "collector/testing/temp_store.h"
#include "reporter/forge/testing/fake_forge.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::tests {
namespace {

TEST(ServeReportsTest, AnUploadOfAPullRequestEndsAsACheckOnIt) {
  const auto github = reporter::MakeFakeGitHub(/*app=*/true);
  std::promise<void> posted;
  github->hook = [&posted](const std::string& request) {
    if (request == "POST /repos/acme/db/check-runs") posted.set_value();
    return reporter::Trouble();
  };
  const std::string folder = collector::MakeTempDir();
  const std::string key = folder + "/app.pem";
  std::ofstream(key) << reporter::TestRsaKey();
  ServeProcess server({"--data-dir", folder + "/data", "--forge", "default=github:acme/db",
                       "--github-url", github->url(), "--github-app-id", "12345",
                       "--github-app-key-file", key});
  collector::SampleUpload upload = FaultTestUpload(1);
  upload.header.mutable_run()->set_commit(reporter::FakeForge::kHead);
  upload.header.mutable_run()->set_pull_request("17");
  v1::UploadResponse response;
  const grpc::Status status = Send(
      server.Connect(), upload, "", [] {}, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(posted.get_future().wait_for(std::chrono::minutes(2)), std::future_status::ready);
  EXPECT_EQ(server.Stop().exit_code, 0);
  ASSERT_EQ(github->checks.size(), 1u);
  EXPECT_EQ(github->checks[0]["head_sha"], reporter::FakeForge::kHead);
  EXPECT_EQ(github->checks[0]["conclusion"], "neutral") << "there is no run of the main branch";
  EXPECT_TRUE(github->comments.empty());
}

TEST(ServeReportsTest, SaysWhichCredentialsAreMissing) {
  const Ended ended = RunGprofhub(
      {"serve", "--data-dir", collector::MakeTempDir(), "--forge", "default=github:acme/db"});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_TRUE(absl::StrContains(ended.err, "--github-token-file")) << ended.err;
}

}  // namespace
}  // namespace gprofhub::tests
