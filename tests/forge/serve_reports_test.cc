// The server process from an upload to the check on the pull request.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "reporter/forge/testing/fake_forge.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::tests {
namespace {

TEST(ServeReportsTest, AnUploadOfAPullRequestEndsAsACheckOnIt) {
  const auto github = reporter::MakeFakeGitHub(/*app=*/true);
  absl::Notification posted;
  github->hook = [&posted](const std::string& request) {
    const bool posts = request == "POST /repos/acme/db/check-runs";
    if (posts && !posted.HasBeenNotified()) posted.Notify();
    return reporter::Trouble();
  };
  const std::string folder = store::MakeTempDir();
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
  // The limit only ends what hangs.
  ASSERT_TRUE(posted.WaitForNotificationWithTimeout(absl::Minutes(15)));
  EXPECT_EQ(server.Stop().exit_code, 0);
  ASSERT_EQ(github->checks.size(), 1u);
  EXPECT_EQ(github->checks[0]["head_sha"], reporter::FakeForge::kHead);
  EXPECT_EQ(github->checks[0]["conclusion"], "neutral") << "there is no run of the main branch";
  EXPECT_TRUE(github->comments.empty());
}

TEST(ServeReportsTest, SaysWhichCredentialsAreMissing) {
  const Ended ended = RunGprofhub(
      {"serve", "--data-dir", store::MakeTempDir(), "--forge", "default=github:acme/db"});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_TRUE(absl::StrContains(ended.err, "--github-token-file")) << ended.err;
}

}  // namespace
}  // namespace gprofhub::tests
