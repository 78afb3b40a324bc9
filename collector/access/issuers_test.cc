#include "collector/access/issuers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "collector/testing/fake_issuer.h"

namespace gprofhub::collector {

// Claim names as in the providers' documentation (ci_job.h).

namespace {

using Json = nlohmann::json;
using Kind = RunFacts::Kind;

Json GitHub(const char* event, const char* ref) {
  return {{"repository", "acme/db"}, {"event_name", event}, {"ref", ref}, {"run_id", "17"}};
}

TEST(GitHubJobTest, ABranchsJobSaysItsBranch) {
  for (const char* event : {"push", "schedule", "workflow_dispatch"}) {
    const auto job = ReadCiJob(CiSystem::kGitHub, GitHub(event, "refs/heads/release/2"));
    ASSERT_TRUE(job.ok()) << job.status();
    EXPECT_EQ(job->repository, "acme/db");
    EXPECT_EQ(job->run.kind, Kind::kBranch);
    EXPECT_EQ(job->run.branch, "release/2");
    EXPECT_EQ(job->trusted_branch, "release/2");
    EXPECT_FALSE(job->run.untrusted);
  }
  EXPECT_EQ(ReadCiJob(CiSystem::kGitHub, GitHub("push", "refs/tags/main"))->trusted_branch, "");
}

TEST(GitHubJobTest, APullRequestsJobSaysItsNumber) {
  Json claims = GitHub("pull_request", "refs/pull/17/merge");
  claims["head_ref"] = "feature";
  const auto job = ReadCiJob(CiSystem::kGitHub, claims);
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->run.kind, Kind::kPullRequest);
  EXPECT_EQ(job->run.pull_request, "17");
  EXPECT_EQ(job->run.branch, "feature");
  EXPECT_EQ(job->trusted_branch, "");
  for (const char* ref : {"refs/heads/main", "refs/pull//merge", "refs/pull/x/merge", ""}) {
    EXPECT_TRUE(
        absl::IsUnauthenticated(ReadCiJob(CiSystem::kGitHub, GitHub("pull_request", ref)).status()))
        << ref;
  }
}

TEST(GitHubJobTest, AMergeQueuesJobIsOfTheGroupsPullRequest) {
  const std::string branch = "gh-readonly-queue/main/pr-17-" + std::string(40, 'a');
  const auto job =
      ReadCiJob(CiSystem::kGitHub, GitHub("merge_group", ("refs/heads/" + branch).c_str()));
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->run.kind, Kind::kPullRequest);
  EXPECT_EQ(job->run.pull_request, "17");
  EXPECT_EQ(job->run.branch, branch);
  EXPECT_EQ(job->trusted_branch, "") << "its run is no baseline of the main branch";
  for (const char* ref : {"refs/heads/main", "refs/heads/gh-readonly-queue/main", ""}) {
    EXPECT_TRUE(
        absl::IsUnauthenticated(ReadCiJob(CiSystem::kGitHub, GitHub("merge_group", ref)).status()))
        << ref;
  }
}

TEST(GitHubJobTest, JobsInTheMainBranchsNameMayRunAStrangersCode) {
  for (const char* event :
       {"pull_request_target", "workflow_run", "issue_comment", "an event to come"}) {
    const auto job = ReadCiJob(CiSystem::kGitHub, GitHub(event, "refs/heads/main"));
    ASSERT_TRUE(job.ok()) << job.status();
    EXPECT_TRUE(job->run.untrusted) << event;
    EXPECT_EQ(job->trusted_branch, "") << event;
  }
}

Json GitLab(const char* source, const char* ref, const char* is_protected) {
  return {{"project_path", "acme/db"}, {"pipeline_source", source},     {"ref", ref},
          {"ref_type", "branch"},      {"ref_protected", is_protected}, {"pipeline_id", "17"}};
}

TEST(GitLabJobTest, AProtectedBranchsJobIsTrusted) {
  const auto job = ReadCiJob(CiSystem::kGitLab, GitLab("push", "main", "true"));
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->repository, "acme/db");
  EXPECT_EQ(job->run.kind, Kind::kBranch);
  EXPECT_EQ(job->run.branch, "main");
  EXPECT_EQ(job->trusted_branch, "main");
  EXPECT_EQ(ReadCiJob(CiSystem::kGitLab, GitLab("push", "main", "false"))->trusted_branch, "");
  Json tag = GitLab("push", "main", "true");
  tag["ref_type"] = "tag";
  EXPECT_EQ(ReadCiJob(CiSystem::kGitLab, tag)->trusted_branch, "");
}

TEST(GitLabJobTest, AMergeRequestsJobIsNoBranchs) {
  for (const char* source : {"merge_request_event", "external_pull_request_event"}) {
    const auto job = ReadCiJob(CiSystem::kGitLab, GitLab(source, "main", "true"));
    ASSERT_TRUE(job.ok()) << job.status();
    EXPECT_EQ(job->run.kind, Kind::kPullRequest) << source;
    EXPECT_EQ(job->run.pull_request, "");
    EXPECT_EQ(job->trusted_branch, "") << "a fork's branch may be called main";
  }
  EXPECT_EQ(ReadCiJob(CiSystem::kGitLab, GitLab("parent_pipeline", "main", "true"))->trusted_branch,
            "");
}

TEST(BuildkiteJobTest, SaysItsBranch) {
  Json claims = {{"organization_slug", "acme"},
                 {"pipeline_slug", "db"},
                 {"build_branch", "main"},
                 {"build_number", 17}};
  const auto job = ReadCiJob(CiSystem::kBuildkite, claims);
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->repository, "acme/db");
  EXPECT_EQ(job->name, "buildkite acme/db main build 17");
  EXPECT_EQ(job->run.kind, Kind::kUnknown);
  EXPECT_EQ(job->run.branch, "main");
  EXPECT_EQ(job->trusted_branch, "main");
  claims["build_tag"] = "v1";
  EXPECT_EQ(ReadCiJob(CiSystem::kBuildkite, claims)->trusted_branch, "");
}

TEST(CiJobTest, WhatMustBeThereIs) {
  for (const CiSystem system : {CiSystem::kGitHub, CiSystem::kGitLab, CiSystem::kBuildkite}) {
    EXPECT_TRUE(absl::IsUnauthenticated(ReadCiJob(system, Json::object()).status()));
  }
  Json odd = GitHub("push", "refs/heads/main");
  odd["repository"] = Json::array({"acme/db"});
  EXPECT_TRUE(absl::IsUnauthenticated(ReadCiJob(CiSystem::kGitHub, odd).status()));
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFile[] = R"({"issuers": [
  {"issuer": "https://token.example", "system": "github", "audience": "https://gprofhub.example",
   "projects": [{"repository": "acme/db", "project": "db", "main": ["main", "release/*"]},
                {"repository": "acme/web", "project": "web"}]}]})";

TEST(IssuersTest, AreReadAsTheyAreWritten) {
  const auto issuers = ParseIssuers(kFile);
  ASSERT_TRUE(issuers.ok()) << issuers.status();
  ASSERT_EQ(issuers->size(), 1u);
  const Issuer& issuer = issuers->front();
  EXPECT_EQ(issuer.issuer, "https://token.example");
  EXPECT_EQ(issuer.system, CiSystem::kGitHub);
  EXPECT_EQ(issuer.audience, "https://gprofhub.example");
  EXPECT_EQ(issuer.keys, "");
  ASSERT_EQ(issuer.projects.size(), 2u);
  EXPECT_EQ(issuer.projects[0].repository, "acme/db");
  EXPECT_EQ(issuer.projects[0].project, "db");
  EXPECT_THAT(issuer.projects[0].main, ElementsAre("main", "release/*"));
  EXPECT_TRUE(issuer.projects[1].main.empty());
}

TEST(IssuersTest, WhatIsWrongIsNamed) {
  struct Case {
    const char* from;
    const char* to;
    const char* says;
  };
  for (const Case& each : {Case{"\"issuers\"", "\"issuer\"", "file.issuer"},
                           Case{"https://token.example", "", "issuers[0].issuer"},
                           Case{"token.example", "token.example/", "slash"},
                           Case{"github", "jenkins", "issuers[0].system"},
                           Case{"\"audience\"", "\"audiance\"", "issuers[0].audiance"},
                           Case{"\"https://gprofhub.example\"", "17", "issuers[0].audience"},
                           Case{"acme/web", "acme/db", "projects[1].repository"},
                           Case{"\"project\": \"web\"", "\"project\": \"\"", "projects[1].project"},
                           Case{"[\"main\", \"release/*\"]", "\"main\"", "projects[0].main"},
                           Case{"[\"main\", \"release/*\"]", "[]", "projects[0].main"},
                           Case{"]}]}", "", "not valid JSON"}}) {
    const absl::Status status =
        ParseIssuers(absl::StrReplaceAll(kFile, {{each.from, each.to}})).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << each.to;
    EXPECT_THAT(std::string(status.message()), HasSubstr(each.says));
  }
  EXPECT_TRUE(absl::IsInvalidArgument(ParseIssuers("").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ParseIssuers(R"({"issuers": []})").status()));
}

}  // namespace

// Attacks with ID tokens, signed with generated keys.

namespace {

using ::testing::HasSubstr;
constexpr char kIssuer[] = "https://issuer.example";

std::string Encoded(const Json& part) { return absl::WebSafeBase64Escape(part.dump()); }

class IdTokensTest : public testing::Test {
 protected:
  static std::vector<Issuer> Trusted() {
    Issuer github;
    github.issuer = kIssuer;
    github.system = CiSystem::kGitHub;
    github.audience = "https://gprofhub.example";
    github.keys = "https://issuer.example/keys";
    github.projects = {{"acme/db", "db", {"main", "release/*"}}, {"acme/web", "web", {}}};
    Issuer gitlab = github;
    gitlab.issuer = "https://gitlab.example";
    gitlab.system = CiSystem::kGitLab;
    gitlab.keys = "";
    gitlab.projects = {{"acme/db", "db", {"main"}}};
    return {github, gitlab};
  }

  // Claims of a push to the main branch.
  Json Claims() const {
    const int64_t now = absl::ToUnixSeconds(now_);
    return {{"iss", kIssuer},
            {"aud", "https://gprofhub.example"},
            {"exp", now + 300},
            {"nbf", now - 10},
            {"iat", now},
            {"repository", "acme/db"},
            {"ref", "refs/heads/main"},
            {"event_name", "push"},
            {"run_id", "17"}};
  }
  std::string Signed(const Json& claims) const {
    return Sign(claims, "RS256", "rsa", rsa_.PrivatePem());
  }
  absl::StatusOr<Caller> Show(const std::string& token) { return tokens_.Identify(token, now_); }
  void ExpectRefused(const std::string& token, const std::string& words) {
    const absl::Status status = Show(token).status();
    EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(words));
  }

  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  const FakeKey rsa_ = FakeKey::Rsa();
  const FakeKey ec_ = FakeKey::Ec();
  std::map<std::string, std::string> pages_ = {
      {"https://issuer.example/keys", KeySet({rsa_.Jwk("rsa"), ec_.Jwk("ec")})}};
  std::vector<std::string> fetched_;
  const IdTokens tokens_{Trusted(), [this](const std::string& url) -> absl::StatusOr<std::string> {
                           fetched_.push_back(url);
                           const auto page = pages_.find(url);
                           if (page == pages_.end()) return absl::UnavailableError("no answer");
                           return page->second;
                         }};
};

TEST_F(IdTokensTest, AMainBranchsJobMaySendTheMainLine) {
  for (const std::string& token :
       {Signed(Claims()), Sign(Claims(), "ES256", "ec", ec_.PrivatePem())}) {
    const absl::StatusOr<Caller> caller = Show(token);
    ASSERT_TRUE(caller.ok()) << caller.status();
    EXPECT_EQ(caller->project, "db");
    EXPECT_EQ(caller->scopes.Names(), "upload,upload-main,read");
    EXPECT_EQ(caller->actor.name, "github acme/db refs/heads/main run 17");
    EXPECT_EQ(caller->actor.token_id, 0);
    ASSERT_TRUE(caller->run.has_value());
    EXPECT_EQ(caller->run->branch, "main");
  }
}

TEST_F(IdTokensTest, OtherJobsMayNot) {
  Json claims = Claims();
  claims["ref"] = "refs/heads/feature";
  EXPECT_EQ(Show(Signed(claims))->scopes.Names(), "upload,read");
  claims["ref"] = "refs/heads/release/2";
  EXPECT_EQ(Show(Signed(claims))->scopes.Names(), "upload,upload-main,read");
  claims["event_name"] = "pull_request_target";  // runs with the main branch as `ref`
  EXPECT_EQ(Show(Signed(claims))->scopes.Names(), "upload,read");
  EXPECT_TRUE(Show(Signed(claims))->run->untrusted);
  claims = Claims();
  claims["repository"] = "acme/web";  // its entry has no main branches
  EXPECT_EQ(Show(Signed(claims))->scopes.Names(), "upload,read");
  EXPECT_EQ(Show(Signed(claims))->project, "web");
}

TEST_F(IdTokensTest, WithoutASignatureItIsNobodys) {
  const std::string payload = Encoded(Claims());
  for (const char* algorithm : {"none", "None", "NONE", "nOnE", ""}) {
    const std::string header = Encoded({{"alg", algorithm}, {"kid", "rsa"}});
    ExpectRefused(absl::StrCat(header, ".", payload, "."), "not signed with RS256 or ES256");
    ExpectRefused(absl::StrCat(header, ".", payload, ".c2ln"), "not signed with RS256 or ES256");
  }
  ExpectRefused(absl::StrCat(Encoded({{"alg", "RS256"}, {"kid", "rsa"}}), ".", payload, "."),
                "signature");
  ExpectRefused(Sign(Claims(), "none", "rsa", ""), "not signed with RS256 or ES256");
}

TEST_F(IdTokensTest, AMacMadeWithThePublicKeyIsNoSignature) {
  ExpectRefused(Sign(Claims(), "HS256", "rsa", rsa_.PublicPem()), "not signed with RS256 or ES256");
  // Nor with a duplicate "alg": parsers differ in whether the first or the last one counts.
  const std::string mac = Sign(Claims(), "HS256", "rsa", rsa_.PublicPem());
  const std::vector<std::string> parts = absl::StrSplit(mac, '.');
  for (const char* header : {R"({"alg":"HS256","kid":"rsa","alg":"RS256"})",
                             R"({"alg":"RS256","kid":"rsa","alg":"HS256"})"}) {
    EXPECT_TRUE(absl::IsUnauthenticated(
        Show(absl::StrCat(absl::WebSafeBase64Escape(header), ".", parts[1], ".", parts[2]))
            .status()))
        << header;
  }
}

TEST_F(IdTokensTest, AKeysAlgorithmIsItsOwn) {
  ExpectRefused(Sign(Claims(), "RS256", "ec", rsa_.PrivatePem()), "another algorithm");
  ExpectRefused(Sign(Claims(), "ES256", "rsa", ec_.PrivatePem()), "another algorithm");
  ExpectRefused(Sign(Claims(), "RS512", "rsa", rsa_.PrivatePem()),
                "not signed with RS256 or ES256");
}

TEST_F(IdTokensTest, AnothersKeyOrChangedClaimsAreRefused) {
  ExpectRefused(Sign(Claims(), "RS256", "rsa", FakeKey::Rsa().PrivatePem()), "signature");
  ExpectRefused(Sign(Claims(), "ES256", "ec", FakeKey::Ec().PrivatePem()), "signature");
  const std::vector<std::string> parts = absl::StrSplit(Signed(Claims()), '.');
  Json other = Claims();
  other["repository"] = "acme/web";
  ExpectRefused(absl::StrCat(parts[0], ".", Encoded(other), ".", parts[2]), "signature");
}

TEST_F(IdTokensTest, AKeyThatIsNotThereIsRefusedAndAskedForOnceAMinute) {
  ASSERT_TRUE(Show(Signed(Claims())).ok());
  ASSERT_EQ(fetched_.size(), 1u);
  for (int i = 0; i < 100; ++i) {
    ExpectRefused(Sign(Claims(), "RS256", absl::StrCat("guess ", i), rsa_.PrivatePem()),
                  "not in the issuer's key set");
  }
  EXPECT_EQ(fetched_.size(), 1u);
  now_ += KeyCache::kPause;
  ExpectRefused(Sign(Claims(), "RS256", "guess", rsa_.PrivatePem()), "not in the issuer's key set");
  EXPECT_EQ(fetched_.size(), 2u);
  Json without = Claims();
  ExpectRefused(Sign(without, "RS256", "", rsa_.PrivatePem()), "has no key ID");
}

TEST_F(IdTokensTest, AnotherAudienceIsRefused) {
  for (const Json& audience :
       {Json("https://elsewhere.example"), Json::array({"https://elsewhere.example"}), Json(),
        Json(17), Json(""), Json("https://gprofhub.example/"), Json(Json::array())}) {
    Json claims = Claims();
    claims["aud"] = audience;
    ExpectRefused(Signed(claims), "another audience");
  }
  Json none = Claims();
  none.erase("aud");
  ExpectRefused(Signed(none), "another audience");
  Json several = Claims();
  several["aud"] = Json::array({"https://elsewhere.example", "https://gprofhub.example"});
  EXPECT_TRUE(Show(Signed(several)).ok());
}

TEST_F(IdTokensTest, ATokenHasAnEndAndABeginning) {
  const std::string token = Signed(Claims());
  now_ += absl::Seconds(300) + kTokenSkew - absl::Seconds(1);
  const auto caller = Show(token);
  ASSERT_TRUE(caller.ok()) << caller.status();
  now_ += absl::Seconds(1);
  EXPECT_EQ(caller->expires, now_);
  ExpectRefused(token, "has expired");
  for (const Json& end : {Json("soon"), Json(-1), Json(1e300)}) {
    Json claims = Claims();
    claims["exp"] = end;
    ExpectRefused(Signed(claims), "not a valid time");
  }
  Json endless = Claims();
  endless.erase("exp");
  ExpectRefused(Signed(endless), "has expired");
  Json early = Claims();
  early["nbf"] = absl::ToUnixSeconds(now_) + 61;
  ExpectRefused(Signed(early), "not valid yet");
  early["nbf"] = absl::ToUnixSeconds(now_) + 59;
  EXPECT_TRUE(Show(Signed(early)).ok());
}

TEST_F(IdTokensTest, AnotherIssuerIsRefusedWithoutAskingIt) {
  Json claims = Claims();
  for (const Json& issuer : {Json("https://evil.example"), Json(std::string(kIssuer) + "/"), Json(),
                             Json::array({kIssuer})}) {
    claims["iss"] = issuer;
    ExpectRefused(Signed(claims), "untrusted issuer");
  }
  EXPECT_TRUE(fetched_.empty());
}

TEST_F(IdTokensTest, OneIssuersKeysAreNotAnothers) {
  const FakeKey theirs = FakeKey::Rsa();
  pages_["https://gitlab.example/.well-known/openid-configuration"] =
      R"({"issuer": "https://gitlab.example", "jwks_uri": "https://gitlab.example/keys"})";
  pages_["https://gitlab.example/keys"] = KeySet({theirs.Jwk("rsa")});
  Json claims = Claims();
  claims["iss"] = "https://gitlab.example";
  claims["project_path"] = "acme/db";
  claims["pipeline_source"] = "push";
  ExpectRefused(Signed(claims), "signature");
  EXPECT_TRUE(Show(Sign(claims, "RS256", "rsa", theirs.PrivatePem())).ok());
  claims["iss"] = kIssuer;
  ExpectRefused(Sign(claims, "RS256", "rsa", theirs.PrivatePem()), "signature");
}

TEST_F(IdTokensTest, AConfigurationThatIsAnothersIsNotFollowed) {
  Json claims = Claims();
  claims["iss"] = "https://gitlab.example";
  const std::string url = "https://gitlab.example/.well-known/openid-configuration";
  for (const char* page :
       {R"({"issuer": "https://evil.example", "jwks_uri": "https://issuer.example/keys"})",
        R"({"issuer": "https://gitlab.example"})", R"([])", "not JSON"}) {
    pages_[url] = page;
    EXPECT_TRUE(absl::IsUnavailable(Show(Signed(claims)).status())) << page;
    now_ += KeyCache::kPause;
    claims["exp"] = absl::ToUnixSeconds(now_) + 300;
  }
}

TEST_F(IdTokensTest, AnotherRepositoryOpensNothing) {
  for (const char* repository : {"evil/db", "acme/db2", "acme/DB", "acme", ""}) {
    Json claims = Claims();
    claims["repository"] = repository;
    EXPECT_TRUE(absl::IsUnauthenticated(Show(Signed(claims)).status())) << repository;
  }
  Json hostile = Claims();
  hostile["repository"] = "evil/\x1b[2J\n" + std::string(5000, 'x');
  const absl::Status status = Show(Signed(hostile)).status();
  EXPECT_LT(status.message().size(), 2000u);
  EXPECT_EQ(status.message().find('\x1b'), absl::string_view::npos);
}

TEST_F(IdTokensTest, AnIssuerThatDoesNotAnswerIsAskedForOnceAMinute) {
  pages_.clear();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(absl::IsUnavailable(Show(Signed(Claims())).status()));
  }
  EXPECT_EQ(fetched_.size(), 1u);
}

TEST_F(IdTokensTest, WhatIsNoTokenIsRefused) {
  const std::string good = Signed(Claims());
  for (const std::string& token :
       {std::string(), std::string("."), std::string(".."), std::string("a.b"), good + ".x",
        good.substr(0, good.size() / 2), "*" + good, std::string(20'000, 'x'),
        "W10.W10." + good.substr(0, 10), std::string("e30.e30.e30")}) {
    EXPECT_TRUE(absl::IsUnauthenticated(Show(token).status())) << token.substr(0, 50);
  }
}

}  // namespace

}  // namespace gprofhub::collector
