// Hung dependencies: a forge, a database, an analysis. The server ends within its grace period
// during each, and a hang delays no other work.
//
// No test looks at a clock: a server that does not end, or a report that does not come, is a test
// that does not end.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "reporter/testing/fake_forge.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {
namespace {

// Takes connections and never answers.
class SilentForge {
 public:
  SilentForge() {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, generic, length), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    EXPECT_EQ(getsockname(listener_, generic, &length), 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentForge() {
    for (const int fd : taken_) close(fd);
    close(listener_);
  }
  SilentForge(const SilentForge&) = delete;
  SilentForge& operator=(const SilentForge&) = delete;

  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_); }
  // Waits for a connection.
  void AwaitCall() { taken_.push_back(accept(listener_, nullptr, nullptr)); }

 private:
  int listener_ = -1;
  int port_ = 0;
  std::vector<int> taken_;
};

std::string FileWith(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

collector::SampleUpload OfPullRequest(uint32_t i, const std::string& project) {
  collector::SampleUpload upload = FaultTestUpload(i);
  upload.header.mutable_run()->set_project(project);
  upload.header.mutable_run()->set_commit(reporter::FakeForge::kHead);
  upload.header.mutable_run()->set_pull_request("17");
  return upload;
}

void Upload(const ServeProcess& server, const collector::SampleUpload& upload) {
  v1::UploadResponse response;
  const grpc::Status status = Send(
      server.Connect(), upload, "", [] {}, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
}

// The processes that analyse for the server, once there is one.
std::set<pid_t> AwaitAnalysisProcesses(pid_t server) {
  std::set<pid_t> found;
  while (found.empty()) {
    absl::SleepFor(absl::Milliseconds(10));
    // Each thread has children of its own.
    for (const auto& thread :
         std::filesystem::directory_iterator(absl::StrCat("/proc/", server, "/task"))) {
      std::ifstream children(thread.path() / "children");
      for (pid_t child = 0; children >> child;) found.insert(child);
    }
  }
  return found;
}

bool Lives(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  std::string line;
  std::getline(file, line);
  const size_t name_end = line.rfind(") ");
  return name_end != std::string::npos && line[name_end + 2] != 'Z';
}

TEST(HangTest, AServerEndsWhileItReportsToAForgeThatNeverAnswers) {
  SilentForge forge;
  const std::string folder = store::MakeTempDir();
  ServeProcess server({"--data-dir", folder + "/data", "--forge", "default=github:acme/db",
                       "--github-url", forge.url(), "--github-token-file",
                       FileWith(folder + "/token", "personal-token")});
  Upload(server, OfPullRequest(1, "default"));
  forge.AwaitCall();
  const Ended ended = server.Stop();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST(HangTest, AForgeThatNeverAnswersDelaysNoOtherProjectsReport) {
  SilentForge silent;
  const auto github = reporter::MakeFakeGitHub(/*app=*/false);
  absl::Notification posted;
  github->hook = [&posted](const std::string& request) {
    const bool posts = absl::StartsWith(request, "POST /repos/acme/db/statuses/");
    if (posts && !posted.HasBeenNotified()) posted.Notify();
    return reporter::Trouble();
  };
  const std::string folder = store::MakeTempDir();
  const std::string token = FileWith(folder + "/token", "personal-token");
  ServeProcess server({"--data-dir", folder + "/data", "--forge", "default=github:acme/db",
                       "--forge", "hung=gitlab:acme/hung", "--github-url", github->url(),
                       "--github-token-file", token, "--gitlab-url", silent.url(),
                       "--gitlab-token-file", token});
  for (uint32_t i = 0; i < 10; ++i) Upload(server, OfPullRequest(5 * i, "hung"));
  silent.AwaitCall();
  Upload(server, OfPullRequest(100, "default"));
  // The limit only ends what hangs.
  EXPECT_TRUE(posted.WaitForNotificationWithTimeout(absl::Minutes(15)));
  EXPECT_EQ(server.Stop().exit_code, 0);
}

TEST(HangTest, AServerEndsWhileAnAnalysisHangs) {
  const std::string folder = store::MakeTempDir();
  ServeProcess server({"--data-dir", folder, "--workers", "1"});
  v1::UploadResponse first;
  ASSERT_TRUE(Send(
                  server.Connect(), FaultTestUpload(0), "", [] {}, first)
                  .ok());
  EXPECT_EQ(AwaitAnalysis(server.Connect(), first.run_id()).jobs_done(), 1u);
  for (const pid_t child : AwaitAnalysisProcesses(server.pid())) kill(child, SIGSTOP);
  Upload(server, FaultTestUpload(1));
  const Ended ended = server.Stop();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  // The job was returned to the queue: the next worker does it.
  ServeProcess next({"--data-dir", folder});
  v1::UploadResponse response;
  ASSERT_TRUE(Send(
                  next.Connect(), FaultTestUpload(1), "", [] {}, response)
                  .ok());
  EXPECT_EQ(AwaitAnalysis(next.Connect(), response.run_id()).jobs_done(), 2u);
}

TEST(HangTest, AServerEndsWhileAnUploadIsOpen) {
  ServeProcess server({"--data-dir", store::MakeTempDir()});
  const auto stub = v1::Collector::NewStub(server.Connect());
  grpc::ClientContext call;
  v1::UploadResponse response;
  auto stream = stub->Upload(&call, &response);
  ASSERT_TRUE(stream->Write(FaultTestUpload(1).Messages().front()));
  const Ended ended = server.Stop();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_FALSE(stream->Finish().ok());
}

TEST(HangTest, AServerEndsWhileItsDatabaseHangs) {
  const auto postgres = PostgresServer::Start();
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  const auto url = (*postgres)->CreateDatabase("hang");
  ASSERT_TRUE(url.ok()) << url.status();
  ServeProcess server({"--store", *url});
  Upload(server, FaultTestUpload(1));
  (*postgres)->Pause();
  // Something has to be on its way to the database.
  const auto stub = v1::Query::NewStub(server.Connect());
  grpc::ClientContext call;
  grpc::CompletionQueue queue;
  const auto asked = stub->AsyncListRuns(&call, v1::ListRunsRequest(), &queue);
  const Ended ended = server.Stop();
  (*postgres)->Resume();
  EXPECT_GE(ended.exit_code, 0) << "it ended by a signal";
  EXPECT_TRUE(absl::StrContains(ended.err, "SIGTERM received"));
  v1::ListRunsResponse answer;
  grpc::Status status;
  asked->Finish(&answer, &status, &queue);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  EXPECT_FALSE(status.ok());
}

TEST(HangTest, AServerThatIsKilledLeavesNoAnalysisBehind) {
  ServeProcess server({"--data-dir", store::MakeTempDir(), "--workers", "1"});
  // The child has analysed, so it is not just being started.
  v1::UploadResponse response;
  ASSERT_TRUE(Send(
                  server.Connect(), FaultTestUpload(1), "", [] {}, response)
                  .ok());
  EXPECT_EQ(AwaitAnalysis(server.Connect(), response.run_id()).jobs_done(), 1u);
  const std::set<pid_t> children = AwaitAnalysisProcesses(server.pid());
  // Stopped, they do not see that the server's socket is closed.
  for (const pid_t child : children) kill(child, SIGSTOP);
  server.Kill();
  for (const pid_t child : children) {
    while (Lives(child)) absl::SleepFor(absl::Milliseconds(10));
  }
}

}  // namespace
}  // namespace gprofhub::tests
