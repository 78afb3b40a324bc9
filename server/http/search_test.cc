#include "server/http/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/http/percent_coding.h"
#include "base/memory_budget.h"
#include "collector/access/authorizer.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/testing/sample_reports.h"
#include "reporter/testing/stored_runs.h"
#include "server/http/page_server.h"

namespace gprofhub::server {

namespace {

using reporter::Commit;
using reporter::kProject;
using reporter::kTarget;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr size_t kLimit = 5;

class SearchTest : public reporter::StoredRunsTest {
 protected:
  // "GROUP: TEXT" of each hit.
  std::vector<std::string> Found(absl::string_view text, size_t limit = kLimit) {
    const auto groups = Search(pages_, kProject, text, limit);
    EXPECT_TRUE(groups.ok()) << groups.status();
    std::vector<std::string> found;
    if (!groups.ok()) return found;
    for (const page::SearchGroup& group : *groups) {
      for (const page::SearchHit& hit : group.hits) {
        found.push_back(absl::StrCat(group.title, ": ", hit.text));
      }
      if (group.has_more) found.push_back(absl::StrCat(group.title, ": more"));
    }
    return found;
  }

  // A run of main with these functions, the hottest first.
  int64_t RunWith(const std::vector<std::string>& names) {
    reporter::ProfileBuilder builder;
    double samples = 100;
    for (const std::string& name : names) builder.Function(name, 1, --samples);
    const int64_t run = Upload('a');
    Analyze(builder.Build());
    return run;
  }

  const PageStore pages_ = {store_.reading, store_.blobs, store_.gate, store_.invocations};
};

TEST_F(SearchTest, FunctionsAreFoundByPartsOfTheirNames) {
  RunWith({"_ZN2db8unparserEv", "_ZN2db5parseEi", "main"});
  EXPECT_THAT(Found("Pars"), ElementsAre("Functions: db::parse(int)", "Functions: db::unparser()"));
  EXPECT_THAT(Found("db:: unp"), ElementsAre("Functions: db::unparser()"));
  EXPECT_THAT(Found("_zn2db5"), ElementsAre("Functions: db::parse(int)"));
  EXPECT_THAT(Found("parse", 1), ElementsAre("Functions: db::parse(int)", "Functions: more"));
}

TEST_F(SearchTest, TargetsRunsCommitsPullRequestsAndBranchesAreFound) {
  const int64_t run = RunWith({"main"});
  const int64_t pull = Upload('b', {Commit('a')}, Commit('a'));
  Analyze(reporter::Profile(1000));
  EXPECT_THAT(Found(kTarget), ElementsAre(absl::StrCat("Targets: ", kTarget)));
  EXPECT_THAT(Found("eatur"), ElementsAre("Branches: feature"));
  EXPECT_THAT(Found("#12"), ElementsAre("Pull requests: #12"));
  EXPECT_THAT(Found("1"), ElementsAre(absl::StrCat("Runs: Run ", run), "Pull requests: #12"));
  EXPECT_THAT(Found(Commit('b').substr(0, 8)), ElementsAre("Commits: " + Commit('b')));
  EXPECT_THAT(Found(absl::StrCat(pull)),
              ElementsAre(absl::StrCat("Runs: Run ", pull), "Pull requests: #12"));
}

TEST_F(SearchTest, NoCharacterIsAWildcard) {
  RunWith({"100%_cpu", "main"});
  EXPECT_THAT(Found("%"), ElementsAre("Functions: 100%_cpu"));
  EXPECT_THAT(Found("_"), ElementsAre("Functions: 100%_cpu", absl::StrCat("Targets: ", kTarget)));
  EXPECT_THAT(Found("m_in"), IsEmpty());
  EXPECT_THAT(Found("!"), IsEmpty());
}

TEST_F(SearchTest, RunsOfOtherProjectsAreNotFound) {
  const int64_t run = RunWith({"main"});
  const auto groups = Search(pages_, "other", absl::StrCat(run), kLimit);
  ASSERT_TRUE(groups.ok()) << groups.status();
  for (const page::SearchGroup& group : *groups) EXPECT_THAT(group.hits, IsEmpty());
}

TEST_F(SearchTest, LongTextsAreRefused) {
  RunWith({"main"});
  EXPECT_THAT(Found(std::string(kMostSearchBytes, 'x')), IsEmpty());
  const auto refused = Search(pages_, kProject, std::string(kMostSearchBytes + 1, 'x'), kLimit);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Found(""), IsEmpty());
}

class SearchPageTest : public SearchTest {
 protected:
  SearchPageTest() {
    PageServerOptions options;
    options.listen = {"127.0.0.1", 0};
    options.decoding = &decoding_;
    collector::Access access;
    access.authenticate = [](const collector::CallOrigin&) {
      collector::Caller caller;
      caller.anonymous = true;
      caller.scopes = collector::Scopes().With(collector::Scope::kRead);
      return absl::StatusOr<collector::Caller>(caller);
    };
    auto server = PageServer::Start(
        options, {{store_.reading, store_.blobs, store_.gate, store_.invocations}, {}},
        std::move(access));
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_->address().port);
    client_->set_read_timeout(300);
  }

  httplib::Response Get(const std::string& path) {
    const auto result = client_->Get(path.c_str());
    EXPECT_TRUE(result) << path;
    return result ? *result : httplib::Response();
  }

  base::MemoryBudget decoding_{uint64_t{1} << 30};
  std::unique_ptr<PageServer> server_;
  std::unique_ptr<httplib::Client> client_;
};

TEST_F(SearchPageTest, HostileTextsStayText) {
  RunWith({"<script>alert(1)</script>"});
  for (std::string text : reporter::HostileNames()) {
    text = base::PercentEncoded(text.substr(0, kMostSearchBytes));
    const httplib::Response page = Get("/p/acme/search?q=" + text);
    EXPECT_THAT(page.body, Not(HasSubstr("<script>alert"))) << text;
    const httplib::Response api = Get("/api/v1/projects/acme/search?q=" + text);
    EXPECT_TRUE(nlohmann::json::accept(api.body)) << api.body;
  }
  const httplib::Response page = Get("/p/acme/search?q=alert");
  EXPECT_THAT(page.body, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(page.body, Not(HasSubstr("<script>alert")));
}

TEST_F(SearchPageTest, TheListOfRunsIsFilteredByParts) {
  RunWith({"main"});
  Upload('b', {}, Commit('a'));
  Analyze(reporter::Profile(1000));
  EXPECT_THAT(Get("/p/acme/runs?branch=FEAT").body, HasSubstr(Commit('b').substr(0, 10)));
  EXPECT_THAT(Get("/p/acme/runs?branch=FEAT").body, Not(HasSubstr(Commit('a').substr(0, 10))));
  EXPECT_THAT(Get("/p/acme/runs?pull_request=%232").body, HasSubstr(Commit('b').substr(0, 10)));
  EXPECT_THAT(Get("/p/acme/runs?commit=" + Commit('a').substr(0, 2)).body,
              Not(HasSubstr(Commit('b').substr(0, 10))));
  const std::string none = Get("/p/acme/runs?branch=x").body;
  EXPECT_THAT(none, HasSubstr("No run matches these filters."));
  EXPECT_THAT(none, HasSubstr("<option value=\"feature\">"));
}

TEST_F(SearchPageTest, TwoChosenRunsAreComparedTheOlderAsBase) {
  const int64_t newer = Upload('b');
  Analyze(reporter::Profile(1000));
  const int64_t older = RunWith({"main"});
  const httplib::Response answer =
      Get(absl::StrCat("/p/acme/compare?run-", newer, "=1&run-", older, "=1&other=1"));
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(answer.get_header_value("Location"),
            absl::StrCat("/p/acme/compare/", newer, "?base=", older));
  EXPECT_EQ(Get(absl::StrCat("/p/acme/compare?run-", newer, "=1")).status, 400);
  EXPECT_EQ(Get("/p/acme/compare?run-1=1&run-2=1&run-latest=1").status, 400);
  EXPECT_EQ(Get(absl::StrCat("/p/acme/compare?run-", newer, "=1&run-999=1")).status, 404);
}

TEST_F(SearchPageTest, TrendsHaveARangeOfDatesAndChoices) {
  Upload('a');
  Analyze(reporter::Profile(1000));
  const std::string page = "/p/acme/function?name=_Z5parsei";
  EXPECT_THAT(Get(page).body, HasSubstr(absl::StrCat("<option value=\"", kTarget, "\">")));
  EXPECT_THAT(Get(page + "&branch=main").body,
              HasSubstr("<option value=\"main\" selected=\"selected\">"));
  EXPECT_THAT(Get(page).body, HasSubstr("data-runs=\"1\""));
  EXPECT_THAT(Get(page + "&until=2001-01-01").body, HasSubstr("data-runs=\"\""));
  EXPECT_THAT(Get(page + "&from=2001-01-01").body, HasSubstr("data-runs=\"1\""));
  EXPECT_EQ(Get(page + "&from=yesterday").status, 400);
}

TEST_F(SearchPageTest, AFunctionHasItsTimesInEachTarget) {
  Upload('a');
  Analyze(reporter::Profile(1000));
  const std::string body = Get("/p/acme/function?name=_Z5parsei").body;
  const size_t begin = body.find("<caption>Targets of run 1 that reach it");
  ASSERT_NE(begin, std::string::npos);
  const std::string table = body.substr(begin, body.find("</table>", begin) - begin);
  for (const char* column : {"Calls", "Self", "Total", "Share"}) {
    EXPECT_THAT(table, HasSubstr(absl::StrCat("data-label=\"", column, "\""))) << table;
  }
}

TEST_F(SearchPageTest, TitlesTellTabsApart) {
  const int64_t run = RunWith({"main"});
  const auto title = [this](const std::string& path) {
    const std::string body = Get(path).body;
    const size_t begin = body.find("<title>") + 7;
    return body.substr(begin, body.find("</title>") - begin);
  };
  const std::string place = absl::StrCat("/p/acme/runs/", run);
  EXPECT_EQ(title("/"), "Projects · gprofhub");
  EXPECT_EQ(title("/p/acme"), "acme");
  EXPECT_EQ(title(place), absl::StrCat("Run ", run, " of main · Runs · acme"));
  EXPECT_EQ(title(absl::StrCat(place, "/graph?target=", kTarget)),
            absl::StrCat("Call graph of ", kTarget, " · Run ", run, " · acme"));
  EXPECT_EQ(title("/p/acme/function?name=main"), "main · acme");
  EXPECT_EQ(title("/p/acme/search?q=a"), "Search for a · acme");
}

}  // namespace

}  // namespace gprofhub::server
