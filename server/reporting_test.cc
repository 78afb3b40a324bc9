#include "server/reporting.h"

#include <gmock/gmock.h>

#include <fstream>
#include <vector>

#include "absl/time/clock.h"

namespace gprofhub::server {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::string FileWith(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

// Records the requests to forges, in place of a network.
struct Asked {
  std::vector<base::HttpRequest> requests;
  base::HttpClient Client() {
    return [this](const base::HttpRequest& request) -> absl::StatusOr<base::HttpResponse> {
      requests.push_back(request);
      return base::HttpResponse{404, {}, ""};
    };
  }
};

absl::StatusOr<reporter::ForgeByProject> Make(const ForgeOptions& options, Asked& asked) {
  return MakeForges(options, asked.Client(), {absl::Now, [](absl::Duration) {}});
}

TEST(MakeForgesTest, EachProjectHasItsRepositoryAndCredentials) {
  ForgeOptions options;
  options.projects = {"db=github:acme/db", "web=gitlab:acme/sub/web", "core=gerrit:core"};
  options.github_token_file = FileWith("github", "github-secret\n");
  options.gitlab_url = "https://gitlab.example/api/v4/";
  options.gitlab_token_file = FileWith("gitlab", "gitlab-secret\n");
  options.gerrit_url = "https://review.example/";
  options.gerrit_password_file = FileWith("gerrit", "robot:pass:word\n");
  Asked asked;
  const auto forges = Make(options, asked);
  ASSERT_TRUE(forges.ok()) << forges.status();
  ASSERT_THAT(*forges, SizeIs(3));
  for (const char* project : {"db", "web", "core"}) {
    EXPECT_TRUE(absl::IsNotFound(forges->at(project)->ReadPullRequest("17").status()));
  }
  ASSERT_THAT(asked.requests, SizeIs(3));
  EXPECT_EQ(asked.requests[0].url, "https://api.github.com/repos/acme/db/pulls/17");
  EXPECT_EQ(asked.requests[0].headers.at("Authorization"), "Bearer github-secret");
  EXPECT_EQ(asked.requests[1].url,
            "https://gitlab.example/api/v4/projects/acme%2Fsub%2Fweb/merge_requests/17");
  EXPECT_EQ(asked.requests[1].headers.at("PRIVATE-TOKEN"), "gitlab-secret");
  EXPECT_EQ(asked.requests[2].url, "https://review.example/a/changes/core~17?o=CURRENT_REVISION");
  EXPECT_EQ(asked.requests[2].headers.at("Authorization"), "Basic cm9ib3Q6cGFzczp3b3Jk");
}

TEST(MakeForgesTest, SaysWhatIsMissingAndNoSecret) {
  const std::string token = FileWith("token", "secret");
  Asked asked;
  const auto error = [&](const std::string& project, ForgeOptions options = {}) {
    options.projects.push_back(project);
    return std::string(Make(options, asked).status().message());
  };
  EXPECT_THAT(error("db=github:acme/db"), HasSubstr("--github-token-file"));
  EXPECT_THAT(error("db=gitlab:acme/db"), HasSubstr("--gitlab-token-file"));
  EXPECT_THAT(error("db=gerrit:db"), HasSubstr("--gerrit-url"));
  for (const char* entry :
       {"", "db", "=github:acme/db", "db=github", "db=github:acme", "db=github:acme/db/x",
        "db=github:acme/..", "db=github:acme/d b", "db=forgejo:acme/db", "db=gitlab:acme/%2e"}) {
    EXPECT_THAT(error(entry), HasSubstr("is not of the form PROJECT=github:OWNER/NAME")) << entry;
  }
  ForgeOptions twice;
  twice.projects = {"db=github:acme/db"};
  twice.github_token_file = token;
  EXPECT_THAT(error("db=github:acme/other", twice), HasSubstr("given twice"));
  ForgeOptions app;
  app.github_app_id = "1";
  app.github_app_key_file = token;
  EXPECT_THAT(error("db=github:acme/db", app), HasSubstr("no RSA private key"));
  EXPECT_THAT(error("db=github:acme/db", app), Not(HasSubstr("secret")));
  ForgeOptions gone;
  gone.github_token_file = token + ".gone";
  EXPECT_THAT(error("db=github:acme/db", gone), HasSubstr("No such file or directory"));
  EXPECT_TRUE(asked.requests.empty());
}

TEST(ProjectsOf, AreThoseOfTheRepositoryOnItsForge) {
  ForgeOptions options;
  options.projects = {"db=github:acme/db", "db-nightly=github:acme/db", "other=github:acme/other",
                      "lab=gitlab:acme/db"};
  using reporter::HookForge;
  EXPECT_EQ(ProjectsOf(options, {HookForge::kGitHub, "Acme/DB", "17"}),
            (std::vector<std::string>{"db", "db-nightly"}));
  EXPECT_EQ(ProjectsOf(options, {HookForge::kGitLab, "acme/db", "17"}),
            (std::vector<std::string>{"lab"}));
  EXPECT_TRUE(ProjectsOf(options, {HookForge::kGitHub, "acme/d", "17"}).empty());
  EXPECT_TRUE(ProjectsOf(options, {HookForge::kGitHub, "acme/db/", "17"}).empty());
}

}  // namespace

}  // namespace gprofhub::server
