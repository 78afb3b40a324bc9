#include "server/page_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "base/http/http.h"
#include "ci/upload/results/ci_systems.h"
#include "reporter/testing/fake_forge.h"
#include "store/testing/temp_store.h"

namespace gprofhub::server {

namespace {

const base::HttpClient kNoNetwork = [](const base::HttpRequest& request) {
  ADD_FAILURE() << request.url;
  return absl::StatusOr<base::HttpResponse>(absl::UnavailableError("no network"));
};

TEST(SourceReaderTest, ACheckoutHasFilesAtACommit) {
  const std::string folder = store::MakeTempDir();
  const ci::GitCommand git = ci::GitIn(folder);
  ASSERT_TRUE(git({"init", "-q"}).ok());
  std::ofstream(folder + "/a.cc") << "int a;\n";
  ASSERT_TRUE(git({"add", "a.cc"}).ok());
  ASSERT_TRUE(git({"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false",
                   "commit", "-q", "-m", "one"})
                  .ok());
  const std::string commit = *git({"rev-parse", "HEAD"});
  std::ofstream(folder + "/a.cc") << "changed since\n";
  const auto read = MakeSourceReader({"acme=" + folder}, {}, kNoNetwork);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(**(*read)("acme", commit, "a.cc"), "int a;\n");
  EXPECT_TRUE(absl::IsNotFound((*read)("other", commit, "a.cc").status()));
  EXPECT_TRUE(absl::IsNotFound((*read)("acme", commit, "none.cc").status()));
  const absl::Status unknown = (*read)("acme", std::string(40, 'a'), "a.cc").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(unknown)) << unknown;
}

TEST(SourceReaderTest, NothingBeyondTheRepositoryIsAskedFor) {
  const auto read = MakeSourceReader({"acme=/nowhere"}, {}, kNoNetwork);
  ASSERT_TRUE(read.ok()) << read.status();
  const std::string commit(40, 'a');
  for (const std::string path : {"", "/etc/passwd", "../a.cc", "a/../../b", "external/x/a.cc",
                                 "bazel-out/k8/bin/a.cc", "./a.cc"}) {
    EXPECT_TRUE(absl::IsNotFound((*read)("acme", commit, path).status())) << path;
  }
  for (const std::string bad : {"--output=x", "HEAD", "main", ""}) {
    EXPECT_TRUE(absl::IsNotFound((*read)("acme", bad, "a.cc").status())) << bad;
  }
}

std::string FileWith(const std::string& text) {
  const std::string file = store::MakeTempDir() + "/secret";
  std::ofstream(file) << text << "\n";
  return file;
}

// A fake forge with the real one's responses, and the options that configure it.
struct KnownForge {
  std::unique_ptr<reporter::FakeForge> forge;
  ForgeOptions options;
};

KnownForge GitHub() {
  KnownForge known = {reporter::MakeFakeGitHub(/*app=*/false), {}};
  known.options.projects = {"acme=github:acme/db"};
  known.options.github_url = known.forge->url();
  known.options.github_token_file = FileWith("personal-token");
  return known;
}

KnownForge GitLab() {
  KnownForge known = {reporter::MakeFakeGitLab(), {}};
  known.options.projects = {"acme=gitlab:acme/db"};
  known.options.gitlab_url = known.forge->url() + "/api/v4";
  known.options.gitlab_token_file = FileWith("project-token");
  return known;
}

KnownForge Gerrit() {
  KnownForge known = {reporter::MakeFakeGerrit(), {}};
  known.options.projects = {"acme=gerrit:acme/db"};
  known.options.gerrit_url = known.forge->url();
  known.options.gerrit_password_file = FileWith("gprofhub:secret");
  return known;
}

class ForgeSourceTest : public testing::TestWithParam<KnownForge (*)()> {};

TEST_P(ForgeSourceTest, AForgeHasFilesAtACommit) {
  const KnownForge known = GetParam()();
  const std::string before(40, 'a'), after(40, 'b');
  known.forge->files["db/json writer.cc"] = "at the tip\n";
  known.forge->files_at[before]["db/json writer.cc"] = "before\n";
  known.forge->files_at[after]["db/json writer.cc"] = "after\n\n";
  const auto read = MakeSourceReader({}, known.options, base::MakeCurlClient({}));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_NE(*read, nullptr);
  EXPECT_EQ(**(*read)("acme", before, "db/json writer.cc"), "before\n");
  EXPECT_EQ(**(*read)("acme", after, "db/json writer.cc"), "after\n\n");
  EXPECT_TRUE(absl::IsNotFound((*read)("acme", after, "db/none.cc").status()));
  EXPECT_TRUE(
      absl::IsNotFound((*read)("acme", std::string(40, 'c'), "db/json writer.cc").status()));
  EXPECT_TRUE(absl::IsNotFound((*read)("other", after, "db/json writer.cc").status()));
}

TEST_P(ForgeSourceTest, AFileOfACommitIsAskedForOnce) {
  const KnownForge known = GetParam()();
  const std::string commit(40, 'a');
  known.forge->files_at[commit]["a.cc"] = "int a;\n";
  const auto read = MakeSourceReader({}, known.options, base::MakeCurlClient({}));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE((*read)("acme", commit, "a.cc").ok());
  const size_t asked = known.forge->requests.size();
  EXPECT_TRUE((*read)("acme", commit, "a.cc").ok());
  EXPECT_EQ(known.forge->requests.size(), asked);
  // A failed read is retried.
  known.forge->hook = [](const std::string&) { return reporter::Trouble{403, {}, false}; };
  EXPECT_FALSE((*read)("acme", commit, "b.cc").ok());
  known.forge->hook = nullptr;
  known.forge->files_at[commit]["b.cc"] = "int b;\n";
  EXPECT_TRUE((*read)("acme", commit, "b.cc").ok());
}

TEST_P(ForgeSourceTest, WrongCredentialsAreInNoMessage) {
  KnownForge known = GetParam()();
  known.forge->hook = [](const std::string&) { return reporter::Trouble{401, {}, false}; };
  const auto read = MakeSourceReader({}, known.options, base::MakeCurlClient({}));
  ASSERT_TRUE(read.ok()) << read.status();
  const absl::Status status = (*read)("acme", std::string(40, 'a'), "a.cc").status();
  EXPECT_FALSE(status.ok());
  for (const char* const secret : {"personal-token", "project-token", "secret"}) {
    EXPECT_FALSE(absl::StrContains(status.message(), secret)) << status;
  }
}

INSTANTIATE_TEST_SUITE_P(Forges, ForgeSourceTest, testing::Values(&GitHub, &GitLab, &Gerrit));

TEST(SourceReaderTest, WithoutCheckoutsAndForgesThereIsNone) {
  const auto read = MakeSourceReader({}, {}, kNoNetwork);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, nullptr);
  EXPECT_TRUE(absl::IsInvalidArgument(MakeSourceReader({"acme"}, {}, kNoNetwork).status()));
}

std::string PageOptionsFileWith(const std::string& text) {
  const std::string file = store::MakeTempDir() + "/key";
  std::ofstream(file) << text << "\n";
  return file;
}

TEST(PictureOptionsTest, PicturesAreWhereThePagesAre) {
  PageOptions pages;
  pages.url = "https://gprofhub.example/";
  const auto options =
      ReadPictureOptions(PageOptionsFileWith(std::string(32, 'k')), ComparisonPageUrl(pages));
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->host, "https://gprofhub.example");
  EXPECT_EQ(options->key, std::string(32, 'k'));
}

TEST(PictureOptionsTest, PicturesAreBelowThePathOfThePages) {
  const std::string key = PageOptionsFileWith(std::string(32, 'k'));
  for (const std::string end : {"", "/", "//"}) {
    PageOptions pages;
    pages.url = "https://example.com/team/gprofhub" + end;
    EXPECT_EQ(ComparisonPageUrl(pages),
              "https://example.com/team/gprofhub/p/{project}/compare/{run}");
    const auto options = ReadPictureOptions(key, ComparisonPageUrl(pages));
    ASSERT_TRUE(options.ok()) << options.status();
    EXPECT_EQ(options->host, "https://example.com/team/gprofhub");
  }
}

// The message of a refused --http-url, or nothing.
std::string RefusalOfUrl(const std::string& url) {
  CLI::App command;
  PageOptions options;
  AddPageOptions(command, options);
  try {
    command.parse(std::vector<std::string>{"--http=127.0.0.1:0", "--http-url=" + url});
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(PublicUrlTest, HostAndPathAreThoseOfVisits) {
  struct Case {
    std::string url, host, path_prefix, origin;
  };
  for (const Case& one : std::vector<Case>{
           {"https://example.com", "example.com", "", "https://example.com"},
           {"https://example.com/", "example.com", "", "https://example.com"},
           {"https://example.com:8443/gprofhub", "example.com", "/gprofhub",
            "https://example.com:8443"},
           {"http://[::1]:80/team/gprofhub/", "::1", "/team/gprofhub", "http://[::1]:80"},
           {"https://example.com/papers-1.0_~", "example.com", "/papers-1.0_~",
            "https://example.com"}}) {
    EXPECT_EQ(RefusalOfUrl(one.url), "");
    PageOptions options;
    options.url = one.url;
    const VisitOptions visits = VisitOptionsOf(options);
    EXPECT_EQ(visits.own_host, one.host) << one.url;
    EXPECT_EQ(visits.path_prefix, one.path_prefix) << one.url;
    EXPECT_EQ(visits.own_origin, one.origin) << one.url;
  }
}

TEST(PublicUrlTest, WhatNoProxyCouldMapIsRefused) {
  for (const auto& [url, reason] : std::vector<std::pair<std::string, std::string>>{
           {"ftp://example.com", "must begin with https://"},
           {"https://", "must name a host"},
           {"https:///gprofhub", "must name a host"},
           {"https://example.com?a=b", "query, fragment or user"},
           {"https://example.com/gprofhub?", "query, fragment or user"},
           {"https://example.com/gprofhub#top", "query, fragment or user"},
           {"https://ann@example.com/gprofhub", "query, fragment or user"},
           {"https://example.com/a//b", "must have a path of names"},
           {"https://example.com/a/../b", "must have a path of names"},
           {"https://example.com/./b", "must have a path of names"},
           {"https://example.com/a%2Fb", "must have a path of names"},
           {"https://example.com/a;b", "must have a path of names"},
           {"https://example.com/p", "must not have a path that begins with /p,"},
           {"https://example.com/api/gprofhub", "must not have a path that begins with /api,"}}) {
    EXPECT_TRUE(absl::StrContains(RefusalOfUrl(url), reason)) << url << ": " << RefusalOfUrl(url);
  }
}

TEST(ClientPageUrl, IsThatOfCommentsElseOfThisMachine) {
  const std::string of_comments = "https://gprofhub.example/p/{project}/compare/{run}";
  const auto url = [](const std::string& listen, const std::string& page_url) {
    PageOptions pages;
    pages.listen = listen;
    return ClientPageUrl(pages, page_url).value();
  };
  EXPECT_EQ(url("127.0.0.1:8080", of_comments), of_comments);
  EXPECT_EQ(url("", of_comments), of_comments);
  EXPECT_EQ(url("127.0.0.1:8080", ""), "http://127.0.0.1:8080/p/{project}/compare/{run}");
  EXPECT_EQ(url("127.0.0.1:0", ""), "") << "the port is not known yet";
  EXPECT_EQ(url("0.0.0.0:8080", ""), "") << "clients know another name of this machine";
  EXPECT_EQ(url("", ""), "");
}

TEST(PictureOptionsTest, WithoutAKeyThereAreNone) {
  const auto options = ReadPictureOptions("", "");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->key.empty());
}

TEST(PictureOptionsTest, WhatCouldBeGuessedOrIsNowhereIsRefused) {
  const std::string url = "https://gprofhub.example/p/{project}/compare/{run}";
  EXPECT_TRUE(absl::IsInvalidArgument(
      ReadPictureOptions(PageOptionsFileWith(std::string(31, 'k')), url).status()));
  const std::string key = PageOptionsFileWith(std::string(32, 'k'));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadPictureOptions(key, "").status()));
  EXPECT_TRUE(
      absl::IsInvalidArgument(ReadPictureOptions(key, "https://elsewhere.example/{run}").status()));
  EXPECT_FALSE(ReadPictureOptions("/nowhere/key", url).ok());
}

}  // namespace

}  // namespace gprofhub::server
