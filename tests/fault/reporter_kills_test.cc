// The reporter is killed again and again while it reports on a pull request. In the end each report
// exists, and the pull request has one comment.
//
// Reports wait ten seconds for more of their run, and ten minutes for a reporter that has died. The
// test does not: it sets the server's clock ahead, and ages times of PostgreSQL's clock.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/testing/sample_upload.h"
#include "profile/testing/sample_profile.h"
#include "reporter/testing/fake_forge.h"
#include "tests/fault/client.h"
#include "tests/fault/scale.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/shim/fault_control.h"
#include "tests/fault/stores.h"

namespace gprofhub::tests {
namespace {

constexpr int kKillsOfARun = 2;
// More than a report waits for a reporter that died.
constexpr int64_t kLongWait = 3600;
// Approximate number of a report's requests to the forge.
constexpr int kRequestsOfAReport = 12;

class ReporterKillsTest : public testing::TestWithParam<StoreMaker> {
 protected:
  ReporterKillsTest() {
    token_file_ = testing::TempDir() + "/token";
    std::ofstream(token_file_) << "personal-token";
    github_->commits_on_main = {kBase};
    github_->hook = [this](const std::string& request) {
      if (--requests_to_live_ == 0) {
        kill(pid_, SIGKILL);
        return reporter::Trouble();
      }
      if (absl::StartsWith(request, "POST /repos/acme/db/statuses/")) has_status_ = true;
      if (has_status_ && CommentIsAboutHead()) is_told_ = true;
      return reporter::Trouble();
    };
  }

  // For the hook only.
  bool CommentIsAboutHead() const {
    return !github_->comments.empty() &&
           absl::StrContains(github_->comments[0].body, github_->head);
  }

  std::unique_ptr<ServeProcess> Start() {
    auto server = std::make_unique<ServeProcess>(
        std::vector<std::string>{"--store", place_->location(), "--forge", "default=github:acme/db",
                                 "--github-url", github_->url(), "--github-token-file",
                                 token_file_},
        Surroundings{0, clock_.Environment(), {}, /*may_die=*/true});
    pid_ = server->pid();
    return server;
  }

  // Number of calls of parse() in the run of this commit.
  void Upload(const ServeProcess& server, const std::string& commit, bool is_pull_request,
              uint64_t calls) {
    collector::SampleUpload upload = collector::MakeSampleUpload(1);
    v1::RunInfo& run = *upload.header.mutable_run();
    run.set_run_key("run of " + commit);
    run.set_commit(commit);
    if (is_pull_request) {
      run.set_pull_request("17");
      run.set_base_commit(kBase);
    }
    collector::ReplaceProfile(upload, 0, profile::SampleGmon(calls));
    v1::UploadResponse response;
    const grpc::Status status = Send(
        server.Connect(), upload, "", [] {}, response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    AwaitAnalysis(server.Connect(), response.run_id());
  }

  // Starts the server, an hour later, to be killed at this request to the forge. 0: not at all.
  std::unique_ptr<ServeProcess> StartLater(int request) {
    clock_offset_ += kLongWait;
    clock_.SetClockOffset(clock_offset_);
    place_->AgeReports(kLongWait);
    requests_to_live_ = request;
    has_status_ = is_told_ = false;
    return Start();
  }

  // Waits for the commit status and then the comment: a server that stops between the two leaves
  // the comment to the next one. True: both arrived. False: the server was killed before.
  bool AwaitReport(const ServeProcess& server) {
    // The limit only ends what hangs.
    const absl::Time deadline = absl::Now() + absl::Minutes(15);
    while (!server.HasEnded() && !is_told_ && absl::Now() < deadline) {
    }
    return is_told_ && !server.HasEnded();
  }

  static constexpr char kBase[] = "1111111111111111111111111111111111111111";

  const std::unique_ptr<StorePlace> place_ = GetParam().make();
  const std::unique_ptr<reporter::FakeForge> github_ = reporter::MakeFakeGitHub(/*app=*/false);
  FaultControl clock_ = place_->Faults();
  int64_t clock_offset_ = 0;
  std::string token_file_;
  std::atomic<int> requests_to_live_{0};
  std::atomic<bool> has_status_{false};
  std::atomic<bool> is_told_{false};
  std::atomic<pid_t> pid_{-1};
};

TEST_P(ReporterKillsTest, ThePullRequestHasOneComment) {
  std::mt19937 random(Seed());
  const int runs = Scaled(10, 250);
  {
    const auto server = Start();
    ASSERT_NO_FATAL_FAILURE(Upload(*server, kBase, false, 100));
    EXPECT_EQ(server->Stop().exit_code, 0);
  }
  int kills = 0;
  for (int run = 0; run < runs; ++run) {
    const std::string head = absl::StrFormat("%040x", 0x2000 + run);
    github_->head = head;
    {
      const auto server = Start();
      ASSERT_NO_FATAL_FAILURE(Upload(*server, head, true, 1000 + 10 * static_cast<uint64_t>(run)));
      EXPECT_EQ(server->Stop().exit_code, 0);
    }
    bool told = false;
    for (int i = 0; i < kKillsOfARun && !told; ++i) {
      const auto server = StartLater(1 + static_cast<int>(random() % kRequestsOfAReport));
      told = AwaitReport(*server);
      kills += !told;
      server->Stop();
    }
    if (!told) {
      const auto server = StartLater(0);
      ASSERT_TRUE(AwaitReport(*server)) << "run " << run;
      EXPECT_EQ(server->Stop().exit_code, 0);
    }
    ASSERT_EQ(github_->comments.size(), 1u) << "run " << run;
    EXPECT_TRUE(absl::StrContains(github_->comments[0].body,
                                  absl::StrCat("regressed ", run + 2, " ", head)))
        << github_->comments[0].body;
  }
  EXPECT_GT(kills, 0);
  std::cout << kills << " kills in " << runs << " reports" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Stores, ReporterKillsTest, testing::ValuesIn(AllStores()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gprofhub::tests
