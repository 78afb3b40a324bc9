// The server process from an upload to the check on the pull request.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/hash.h"
#include "reporter/testing/fake_forge.h"
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

// A port that was free a moment ago, outside the ephemeral range: else the server's own listener,
// or any connection, may take it before the server does.
int FreePort() {
  constexpr int kFirst = 20000, kPorts = 12000;
  std::random_device draw;
  while (true) {
    const int port = kFirst + static_cast<int>(draw() % kPorts);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_free =
        bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    if (is_free) return port;
  }
}

std::string FileWith(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

constexpr char kNotify[] =
    R"({"version": 1, "channels": [{"name": "issues", "kind": "issue"}],
        "routes": [{"channels": ["issues"]}]})";

TEST(ServeReportsTest, ASignedWebhookMakesTheServerReadTheCommentsAtOnce) {
  constexpr char kSecret[] = "0123456789abcdef";
  const auto github = reporter::MakeFakeGitHub(/*app=*/false);
  absl::Notification posted, read_again;
  github->hook = [&](const std::string& request) {
    if (absl::StartsWith(request, "POST /repos/acme/db/statuses/") && !posted.HasBeenNotified()) {
      posted.Notify();
    }
    const bool reads = request == "GET /repos/acme/db/issues/17/comments";
    if (reads && posted.HasBeenNotified() && !read_again.HasBeenNotified()) read_again.Notify();
    return reporter::Trouble();
  };
  const std::string folder = store::MakeTempDir();
  const int port = FreePort();
  ServeProcess server({"--data-dir", folder + "/data", "--forge", "default=github:acme/db",
                       "--github-url", github->url(), "--github-token-file",
                       FileWith(folder + "/token", "personal-token"), "--notify",
                       FileWith(folder + "/notify.json", kNotify), "--forge-webhook",
                       absl::StrCat("127.0.0.1:", port), "--forge-webhook-secret-file",
                       FileWith(folder + "/secret", kSecret)});
  collector::SampleUpload upload = FaultTestUpload(1);
  upload.header.mutable_run()->set_commit(reporter::FakeForge::kHead);
  upload.header.mutable_run()->set_pull_request("17");
  v1::UploadResponse response;
  const grpc::Status status = Send(
      server.Connect(), upload, "", [] {}, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  // The limits only end what hangs.
  ASSERT_TRUE(posted.WaitForNotificationWithTimeout(absl::Minutes(15)));
  const std::string body =
      R"({"issue": {"number": 17, "pull_request": {}}, "repository": {"full_name": "acme/db"}})";
  httplib::Client forge("127.0.0.1", port);
  const auto post = [&](const std::string& signature) {
    const auto answer =
        forge.Post("/", {{"X-GitHub-Event", "issue_comment"}, {"X-Hub-Signature-256", signature}},
                   body, "application/json");
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(post("sha256=" + base::HmacSha256Hex("a guess", body)), 401);
  EXPECT_FALSE(read_again.HasBeenNotified()) << "the check passed: nothing is waited for";
  EXPECT_EQ(post("sha256=" + base::HmacSha256Hex(kSecret, body)), 204);
  ASSERT_TRUE(read_again.WaitForNotificationWithTimeout(absl::Minutes(15)));
  EXPECT_EQ(post("sha256=" + base::HmacSha256Hex(kSecret, body)), 409);
  EXPECT_EQ(server.Stop().exit_code, 0);
}

TEST(ServeReportsTest, AHangUpReadsCredentialsChannelsAndTheWebhooksSecretAgain) {
  constexpr char kOld[] = "an old secret of the webhook";
  constexpr char kNew[] = "a new secret of the webhook";
  const auto github = reporter::MakeFakeGitHub(/*app=*/false);
  absl::Notification posted;
  github->hook = [&](const std::string& request) {
    if (absl::StartsWith(request, "POST /repos/acme/db/statuses/") && !posted.HasBeenNotified()) {
      posted.Notify();
    }
    return reporter::Trouble();
  };
  const std::string folder = store::MakeTempDir();
  const std::string token = FileWith(folder + "/token", "a token that was revoked");
  const std::string notify = FileWith(folder + "/notify.json", kNotify);
  const std::string secret = FileWith(folder + "/secret", kOld);
  const int port = FreePort();
  ServeProcess server({"--data-dir", folder + "/data", "--forge", "default=github:acme/db",
                       "--github-url", github->url(), "--github-token-file", token, "--notify",
                       notify, "--forge-webhook", absl::StrCat("127.0.0.1:", port),
                       "--forge-webhook-secret-file", secret});
  httplib::Client forge("127.0.0.1", port);
  forge.set_read_timeout(300);
  int number = 0;
  const auto post = [&](const std::string& key) {
    const std::string body =
        absl::StrCat(R"({"issue": {"number": )", ++number,
                     R"(, "pull_request": {}}, "repository": {"full_name": "acme/db"}})");
    const auto answer = forge.Post(
        "/",
        {{"X-GitHub-Event", "issue_comment"},
         {"X-Hub-Signature-256", absl::StrCat("sha256=", base::HmacSha256Hex(key, body))}},
        body, "application/json");
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(post(kOld), 204);
  EXPECT_EQ(post(kNew), 401);

  FileWith(token, "personal-token");
  FileWith(secret, kNew);
  FileWith(notify, R"({"version": 1, "chanels": []})");
  server.SignalAndAwaitLog(SIGHUP, "the previous values stay in use");
  EXPECT_TRUE(absl::StrContains(server.Log(), "chanels: unknown field")) << server.Log();
  EXPECT_EQ(post(kOld), 204) << "all of it or nothing";

  FileWith(notify, kNotify);
  server.SignalAndAwaitLog(SIGHUP, "SIGHUP received: reloaded");
  EXPECT_EQ(post(kNew), 204);
  EXPECT_EQ(post(kOld), 401);
  // The forge takes the new token only.
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
}

TEST(ServeReportsTest, SaysWhatIsWrongWithTheChannelsFile) {
  const std::string folder = store::MakeTempDir();
  const Ended ended =
      RunGprofhub({"serve", "--data-dir", folder, "--notify",
                   FileWith(folder + "/n.json", R"({"version": 1, "chanels": []})")});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_TRUE(absl::StrContains(ended.err, "n.json: chanels: unknown field")) << ended.err;
  const Ended alone =
      RunGprofhub({"serve", "--data-dir", folder, "--forge-webhook", "127.0.0.1:0"});
  EXPECT_NE(alone.exit_code, 0);
  EXPECT_TRUE(absl::StrContains(alone.err, "--forge-webhook-secret-file")) << alone.err;
}

}  // namespace
}  // namespace gprofhub::tests
