// Jobs of a CI system, from their variables and work trees to what the forge shows: real uploads to
// a real server, whose reporter works on a stateful fake of GitHub.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "ci/upload/testing/test_repository.h"
#include "collector/testing/sample_upload.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/elf/read_image.h"
#include "reporter/testing/fake_forge.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::tests {
namespace {

// The programs differ in how often parse calls next: 10 and 80 times.
constexpr char kBefore[] = "cli/testdata/before";
constexpr char kAfter[] = "cli/testdata/after";
constexpr char kEverythingFails[] =
    R"({"version": 1, "gates": [{"name": "all", "min_cpu_percent": 0}]})";

using Variables = std::map<std::string, std::string>;

// Variables of this process, for programs that it starts.
class Environment {
 public:
  explicit Environment(const Variables& variables) : variables_(variables) {
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : variables_) unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const Variables variables_;
};

class CiJobsTest : public testing::Test {
 protected:
  void SetUp() override {
    repository_.Git({"update-ref", "refs/remotes/origin/main", "main"});
    repository_.Git({"update-ref", "refs/remotes/origin/feature", "feature"});
    github_->head = At("f");
    github_->commits_on_main = {At("m1"), At("m2")};
    github_->queues = {{repository_.queue(), {At("m1"), At("m2"), At("f"), At("group")}}};
    github_->files[".gprofhub.json"] = kEverythingFails;
    std::ofstream(folder_ + "/token") << "personal-token";
    server_ =
        std::make_unique<ServeProcess>(std::vector<std::string>{"--data-dir", folder_ + "/data"});
  }

  const std::string& At(const std::string& name) const { return repository_.At(name); }

  // A job of GitHub Actions that measures the program at the checked out commit.
  Ended Job(const Variables& variables, const std::string& checked_out, const std::string& program,
            const std::vector<std::string>& options = {}) {
    repository_.Git({"checkout", "--quiet", checked_out});
    Variables all = {{"GITHUB_ACTIONS", "true"},
                     {"GITHUB_EVENT_PATH", folder_ + "/event.json"},
                     {"XDG_CACHE_HOME", folder_ + "/cache"},
                     {"HOME", folder_}};
    all.insert(variables.begin(), variables.end());
    const Environment environment(all);
    std::vector<std::string> words = {"upload",
                                      "--server",
                                      server_->address(),
                                      "--workspace",
                                      repository_.folder(),
                                      "--target",
                                      "//:parser_test",
                                      "--image",
                                      program,
                                      "--run-key",
                                      absl::StrCat("job ", ++jobs_),
                                      "--wait"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(program + std::string(".gmon"));
    return RunGprofhub(words);
  }
  void Passes(const Ended& ended) { ASSERT_EQ(ended.exit_code, 0) << ended.err; }

  void PushToMain(const std::string& commit, const std::vector<std::string>& options = {}) {
    Passes(Job({{"GITHUB_REF", "refs/heads/main"}, {"GITHUB_SHA", At(commit)}}, At(commit), kBefore,
               options));
  }
  Variables OfPullRequest(const std::string& ref, const std::string& commit) {
    std::ofstream(folder_ + "/event.json")
        << R"({"pull_request": {"number": 17, "head": {"sha": ")" << At("f")
        << R"(", "repo": {"id": 1}}, "base": {"repo": {"id": 1}}}})";
    return {{"GITHUB_REF", ref},
            {"GITHUB_SHA", At(commit)},
            {"GITHUB_HEAD_REF", "feature"},
            {"GITHUB_BASE_REF", "main"}};
  }
  void PullRequest(const std::string& program, const std::vector<std::string>& options = {}) {
    Passes(Job(OfPullRequest("refs/pull/17/merge", "group"), At("f"), program, options));
  }

  // Ends the collector, and lets a reporter work until it has reported on the pull request, for
  // each of the projects, and `is_done`.
  void Report(
      const std::vector<std::string>& projects = {"default"},
      const std::function<bool()>& is_done = [] { return true; }) {
    ASSERT_FALSE(HasFailure()) << "it would wait for what does not come";
    EXPECT_EQ(server_->Stop().exit_code, 0);
    std::vector<std::string> words = {"--data-dir",      folder_ + "/data", "--role=reporter",
                                      "--github-url",    github_->url(),    "--github-token-file",
                                      folder_ + "/token"};
    for (const std::string& project : projects) {
      words.insert(words.end(), {"--forge", project + "=github:acme/db"});
    }
    ServeProcess reporter(words);
    for (const std::string& project : projects) {
      reporter.AwaitLog(absl::StrCat("on pull request 17 of ", project, ": "));
    }
    while (!is_done()) {
    }
    EXPECT_EQ(reporter.Stop().exit_code, 0);
  }

  nlohmann::json Runs() {
    const Ended ended = RunGprofhub({"runs", "--server", server_->address(), "--format=json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return nlohmann::json::parse(ended.out)["runs"];
  }
  // "COMMIT STATE" of the last status.
  std::string LastStatus() const {
    if (github_->checks.empty()) return "";
    const nlohmann::json& check = github_->checks.back();
    std::string commit = check.value("sha", "");
    for (const auto& [name, hash] : repository_.hashes()) {
      if (hash == commit) return absl::StrCat(name, " ", check.value("state", ""));
    }
    return commit;
  }

  const std::string folder_ = store::MakeTempDir();
  const ci::TestRepository repository_ = ci::TestRepository::Make(store::MakeTempDir());
  int jobs_ = 0;
  const std::unique_ptr<reporter::FakeForge> github_ = reporter::MakeFakeGitHub(/*app=*/false);
  std::unique_ptr<ServeProcess> server_;
};

TEST_F(CiJobsTest, ARegressionInOneOfTwoConfigurationsFailsWhicheverComesLast) {
  for (const char* configuration : {"opt", "dbg"}) {
    PushToMain("m1", {absl::StrCat("--configuration=", configuration)});
  }
  PullRequest(kAfter, {"--configuration=opt"});
  PullRequest(kBefore, {"--configuration=dbg"});
  Report();
  EXPECT_EQ(LastStatus(), "f failure");
  ASSERT_EQ(github_->comments.size(), 1u);
  EXPECT_TRUE(absl::StrContains(github_->comments[0].body, "opt")) << github_->comments[0].body;
}

TEST_F(CiJobsTest, TwoWorkspacesOfARepositoryHaveOneCheckAndOneComment) {
  for (const char* project : {"db", "tools"}) {
    PushToMain("m1", {"--project", project});
  }
  PullRequest(kAfter, {"--project", "db"});
  PullRequest(kBefore, {"--project", "tools"});
  Report({"db", "tools"});
  EXPECT_EQ(LastStatus(), "f failure");
  EXPECT_EQ(github_->comments.size(), 1u);
}

TEST_F(CiJobsTest, AMergeQueueIsAnsweredAtItsCommitAndIsNotMain) {
  PushToMain("m2");
  const Variables job = {{"GITHUB_REF", "refs/heads/" + repository_.queue()},
                         {"GITHUB_SHA", At("group")}};
  Passes(Job(job, At("group"), kAfter));
  const nlohmann::json run = Runs().at(0);
  EXPECT_EQ(run["pull_request"], "17");
  EXPECT_EQ(run["base_commit"], At("m2"));
  const Ended changes = RunGprofhub({"changes", "--server", server_->address(), "--format=json"});
  EXPECT_TRUE(absl::StrContains(changes.out, R"("runs": 1)")) << changes.out << changes.err;
  Report();
  EXPECT_EQ(LastStatus(), "group failure");
  EXPECT_TRUE(github_->comments.empty());
}

TEST_F(CiJobsTest, APullRequestIsNotMeasuredWhereMainIsCheckedOut) {
  const Ended ended = Job(OfPullRequest("refs/heads/main", "m2"), At("m2"), kAfter);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(absl::StrContains(ended.err, "was not measured")) << ended.err;
  EXPECT_TRUE(Runs().empty());
}

TEST_F(CiJobsTest, AScheduledJobOnAnotherBranchIsOfThatBranch) {
  const Ended ended =
      Job({{"GITHUB_REF", "refs/heads/main"}, {"GITHUB_SHA", At("m2")}}, "feature", kAfter);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(absl::StrContains(ended.err, "not at the CI job's commit")) << ended.err;
  EXPECT_EQ(Runs().at(0)["commit"], At("f"));
  EXPECT_EQ(Runs().at(0)["branch"], "feature");
}

TEST_F(CiJobsTest, ATagsBuildIsNotMain) {
  PushToMain("m1");
  Passes(Job({{"GITHUB_REF", "refs/tags/v1.0"}, {"GITHUB_SHA", At("m2")}}, "v1.0", kAfter));
  EXPECT_EQ(Runs().at(0)["branch"], "refs/tags/v1.0");
  const Ended main = RunGprofhub({"admin", "main-branch", "--data-dir", folder_ + "/data"});
  EXPECT_EQ(main.out, "main\n") << main.err;
}

TEST_F(CiJobsTest, TheForgeNamesTheMainBranch) {
  PushToMain("m1");
  PushToMain("m2");
  Passes(Job({{"GITHUB_REF", "refs/heads/trunk"}, {"GITHUB_SHA", At("m2")}}, At("m2"), kBefore));
  PullRequest(kBefore);
  github_->default_branch = "trunk";
  const auto main = [this] {
    return RunGprofhub({"admin", "main-branch", "--data-dir", folder_ + "/data"}).out;
  };
  EXPECT_EQ(main(), "main\n");
  // It is asked beside the reports.
  Report({"default"}, [&main] { return main() != "main\n"; });
  EXPECT_EQ(main(), "trunk\n");
}

// More findings than a report shows, all of them permitted but one.
TEST_F(CiJobsTest, TheGateSeesTheLastFindingOfMany) {
  constexpr int kTests = 1001;
  github_->files[".gprofhub.json"] =
      R"({"version": 1, "gates": [{"name": "many", "targets": ["//a:*"], "fails": false},
                                  {"name": "all", "min_cpu_percent": 0}]})";
  for (const char* program : {kBefore, kAfter}) {
    const auto symbols = profile::ReadElfSymbols(program);
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    collector::SampleUpload upload = collector::MakeSampleUpload(1);
    v1::RunInfo& run = *upload.header.mutable_run();
    const bool is_head = program == kAfter;
    run.set_run_key(program);
    run.set_commit(At(is_head ? "f" : "m1"));
    run.set_branch(is_head ? "feature" : "main");
    if (is_head) {
      run.set_pull_request("17");
      run.set_base_commit(At("m1"));
    }
    upload.header.mutable_images(0)->set_build_id(symbols->build_id);
    upload.header.mutable_profiles(0)->set_build_id(symbols->build_id);
    collector::ReplaceBundle(upload, 0, profile::EncodeSymbolBundle(*symbols));
    collector::ReplaceProfile(upload, 0, *base::ReadFile(program + std::string(".gmon"), 1 << 20));
    const auto channel = server_->Connect();
    v1::UploadResponse response;
    for (int i = 0; i < kTests; ++i) {
      upload.header.mutable_execution()->set_target(i + 1 < kTests ? absl::StrCat("//a:test_", i)
                                                                   : "//z:last_test");
      const grpc::Status status = Send(
          channel, upload, "", [] {}, response);
      ASSERT_TRUE(status.ok()) << status.error_message();
    }
    AwaitAnalysis(channel, response.run_id());
  }
  Report();
  EXPECT_EQ(LastStatus(), "f failure");
}

}  // namespace
}  // namespace gprofhub::tests
