// The changed lines on a finding's page.
#include <gtest/gtest.h>
#include <httplib.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/memory_budget.h"
#include "collector/access/authorizer.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/testing/stored_runs.h"
#include "server/http/page_server.h"

namespace gprofhub::server {

namespace {

using reporter::kProject;

constexpr char kFile[] = "db/parser.cc";

absl::StatusOr<collector::Caller> Anybody(const collector::CallOrigin& call) {
  collector::Caller caller;
  caller.anonymous = true;
  caller.scopes = collector::Scopes().With(collector::Scope::kRead);
  caller.actor = {"", call.peer, 0};
  return caller;
}

// run in line 10 calls next from line 13; next is in line 30, other in line 50.
profile::ComputedProfile Program(uint64_t calls) {
  reporter::ProfileBuilder builder;
  builder.Function("_Z3runv", 10, 90, kFile, 10)
      .Function("_Z4nexti", 90, 0, kFile, 30)
      .Function("_Z5otherv", 10, 0, kFile, 50);
  builder.Arc("", "_Z3runv", 1).Arc("_Z3runv", "_Z4nexti", calls, 13, 34);
  builder.Arc("_Z3runv", "_Z5otherv", 5, 15, 60);
  return builder.Build();
}

// 60 lines; some are others.
std::string Source(const std::map<int, std::string>& others) {
  std::string text;
  for (int line = 1; line <= 60; ++line) {
    const auto other = others.find(line);
    absl::StrAppend(&text, other == others.end() ? absl::StrCat("line ", line) : other->second,
                    "\n");
  }
  return text;
}

class FindingDiffTest : public reporter::StoredRunsTest {
 protected:
  // The finding's page, where the sides have these texts by commit and path.
  std::string Page(ReadSource read_source) {
    Upload('a');
    Analyze(Program(1000));
    Upload('b', {reporter::Commit('a')});
    Analyze(Program(4000));
    PageServerOptions options;
    options.listen = {"127.0.0.1", 0};
    options.decoding = &decoding_;
    collector::Access access;
    access.authenticate = Anybody;
    page::SourceLinks links;
    links.range = "https://forge.example/acme/compare/{base}...{head}";
    links.range_file = "#diff-{sha256}R{line}";
    PageSources sources = {{store_.reading, store_.blobs, store_.gate, store_.invocations},
                           {{kProject, links}}};
    sources.read_source = std::move(read_source);
    auto server = PageServer::Start(options, std::move(sources), std::move(access));
    EXPECT_TRUE(server.ok()) << server.status();
    if (!server.ok()) return "";
    server_ = *std::move(server);
    const std::string comparison = Get("/p/acme/compare/latest");
    const std::string link = "/p/acme/compare/latest/";
    const size_t at = comparison.find(link);
    EXPECT_NE(at, std::string::npos) << comparison;
    if (at == std::string::npos) return "";
    return Get(comparison.substr(at, comparison.find('"', at) - at));
  }

  std::string Get(const std::string& path) {
    httplib::Client client("127.0.0.1", server_->address().port);
    client.set_read_timeout(300);
    const auto result = client.Get(path.c_str());
    EXPECT_TRUE(result) << path;
    return result ? result->body : "";
  }

  base::MemoryBudget decoding_{uint64_t{768} << 20};
  std::unique_ptr<PageServer> server_;
};

// Reads from texts by commit; other files and commits are not there.
ReadSource Texts(const std::string& before, const std::string& after) {
  return KeepSources([before, after](const std::string& project, const std::string& commit,
                                     const std::string& path) -> absl::StatusOr<std::string> {
    if (project != kProject || path != kFile) return absl::NotFoundError("not there");
    if (commit == reporter::Commit('a')) return before;
    if (commit == reporter::Commit('b')) return after;
    return absl::NotFoundError("no such commit");
  });
}

// From the heading to the next one.
std::string DiffOf(const std::string& page) {
  const size_t begin = page.find("Source change");
  EXPECT_NE(begin, std::string::npos) << page;
  return begin == std::string::npos ? "" : page.substr(begin, page.find("<h2>", begin) - begin);
}

TEST_F(FindingDiffTest, ChangedLinesOfTheCallerStandOnThePage) {
  const std::string page = Page(Texts(
      Source({{13, "for (int i = 0; i < 10; ++i) next(i);"}, {40, "same <b>"}}),
      Source({{13, "for (int i = 0; i < 40; ++i) next(i);"}, {40, "other <b>"}, {55, "more"}})));
  const std::string diff = DiffOf(page);
  const size_t others = diff.find("2 other places of the file changed");
  ASSERT_NE(others, std::string::npos) << diff;
  const std::string own = diff.substr(0, others);
  EXPECT_TRUE(absl::StrContains(own, "i &lt; 10; ++i) next(i);")) << own;
  EXPECT_TRUE(absl::StrContains(own, "i &lt; 40; ++i) next(i);")) << own;
  EXPECT_TRUE(absl::StrContains(own, "class=\"removed\"")) << own;
  // The finding's line is marked, where the head has it.
  EXPECT_TRUE(absl::StrContains(own, "class=\"added here\"")) << own;
  EXPECT_FALSE(absl::StrContains(own, "other &lt;b&gt;")) << own;
  EXPECT_TRUE(absl::StrContains(diff, "other &lt;b&gt;")) << "of the file's rest";
  EXPECT_FALSE(absl::StrContains(diff, "<b>")) << "source is text";
}

TEST_F(FindingDiffTest, TheForgesDiffIsOpenedAtTheLine) {
  const std::string page = Page(nullptr);
  // SHA-256 of "db/parser.cc".
  EXPECT_TRUE(absl::StrContains(
      page, absl::StrCat("https://forge.example/acme/compare/", reporter::Commit('a'), "...",
                         reporter::Commit('b'), "#diff-")))
      << page;
  EXPECT_TRUE(absl::StrContains(page, "R13\"")) << page;
}

TEST_F(FindingDiffTest, WhereTheFunctionDidNotChangeThatIsSaid) {
  const std::string diff = DiffOf(Page(Texts(Source({}), Source({{55, "more"}}))));
  EXPECT_TRUE(absl::StrContains(diff, "No line of ")) << diff;
  EXPECT_TRUE(absl::StrContains(diff, "1 other place of the file changed")) << diff;
}

TEST_F(FindingDiffTest, WhereTheFileIsTheSameThatIsSaid) {
  EXPECT_TRUE(absl::StrContains(DiffOf(Page(Texts(Source({}), Source({})))),
                                "The file is the same in both commits."));
}

TEST_F(FindingDiffTest, AFileThatIsNewIsAdded) {
  const ReadSource read = KeepSources([](const std::string&, const std::string& commit,
                                         const std::string&) -> absl::StatusOr<std::string> {
    if (commit == reporter::Commit('a')) return absl::NotFoundError("not there");
    return Source({});
  });
  const std::string diff = DiffOf(Page(read));
  EXPECT_TRUE(absl::StrContains(diff, "line 13")) << diff;
  EXPECT_TRUE(absl::StrContains(diff, "class=\"added\"")) << diff;
  EXPECT_FALSE(absl::StrContains(diff, "class=\"removed\"")) << diff;
}

TEST_F(FindingDiffTest, WithoutSourceThereIsTheForgesDiffOnly) {
  EXPECT_FALSE(absl::StrContains(Page(nullptr), "Source change"));
}

TEST_F(FindingDiffTest, AForgeThatIsAwayTakesNothingElseAway) {
  const std::string page = Page([](const auto&, const auto&, const auto&) {
    return absl::StatusOr<SourceText>(absl::UnavailableError("the forge is away"));
  });
  EXPECT_TRUE(absl::StrContains(DiffOf(page), "the forge is away"));
  EXPECT_TRUE(absl::StrContains(page, "Callers and callees"));
}

}  // namespace

}  // namespace gprofhub::server
