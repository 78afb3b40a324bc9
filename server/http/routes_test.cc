// Each address of the pages for every name that a project may have, and pages of errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/http/percent_coding.h"
#include "base/memory_budget.h"
#include "reporter/testing/stored_runs.h"
#include "server/http/page_server.h"

namespace gprofhub::server {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Every caller may do everything.
absl::StatusOr<collector::Caller> AnyCaller(const collector::CallOrigin& call) {
  collector::Caller caller;
  caller.anonymous = true;
  caller.scopes = collector::Scopes::All();
  caller.actor = {"", call.peer, 0};
  return caller;
}

absl::StatusOr<collector::Caller> OnlyTokens(const collector::CallOrigin&) {
  return absl::UnauthenticatedError("a token is needed");
}

class RoutesTest : public reporter::StoredRunsTest {
 protected:
  void Start(const std::string& path_prefix = "", decltype(AnyCaller)* who = AnyCaller) {
    PageServerOptions options;
    options.listen = {"127.0.0.1", 0};
    options.decoding = &decoding_;
    options.visits.path_prefix = path_prefix;
    collector::Access access;
    access.authenticate = who;
    PageSources sources = {{store_.reading, store_.blobs, store_.gate, store_.invocations}, {}};
    sources.uploads = uploads_;
    auto server = PageServer::Start(options, std::move(sources), std::move(access));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_->address().port);
    client_->set_read_timeout(300);
  }

  httplib::Response Send(const std::string& method, const std::string& path,
                         const httplib::Headers& headers = {}, const std::string& body = "") {
    httplib::Request request;
    request.method = method;
    request.path = path;
    request.headers = headers;
    request.body = body;
    if (method == "POST") request.set_header("Content-Type", "application/x-www-form-urlencoded");
    const auto result = client_->send(request);
    EXPECT_TRUE(result) << method << " " << path;
    return result ? *result : httplib::Response();
  }
  httplib::Response Get(const std::string& path) { return Send("GET", path); }

  // Two runs; the number of the second.
  std::string TwoRuns(const std::string& project) {
    Upload({.commit = 'a', .key = project, .project = project});
    Analyze(reporter::Profile(1000));
    const int64_t run = Upload(
        {.commit = 'b', .ancestors = {reporter::Commit('a')}, .key = project, .project = project});
    Analyze(reporter::Profile(4000));
    return absl::StrCat(run);
  }

  // Sends a form of the page as a browser does; `fields` are "&name=value".
  httplib::Response Submit(const std::string& page, const std::string& action,
                           const std::string& fields) {
    const httplib::Response form = Get(page);
    const std::string cookie = form.get_header_value("Set-Cookie");
    const std::string before = "name=\"csrf\" value=\"";
    const size_t at = form.body.find(before);
    EXPECT_NE(at, std::string::npos) << form.body;
    if (at == std::string::npos) return {};
    const std::string csrf = form.body.substr(at + before.size(), 64);
    EXPECT_THAT(form.body, HasSubstr(absl::StrCat("action=\"", action, "\"")));
    return Send("POST", action, {{"Cookie", cookie.substr(0, cookie.find(';'))}},
                absl::StrCat("csrf=", csrf, fields));
  }

  base::MemoryBudget decoding_{uint64_t{768} << 20};
  std::optional<ListenAddress> uploads_;
  std::unique_ptr<PageServer> server_;
  std::unique_ptr<httplib::Client> client_;
};

// Names with whatever separates parts of addresses.
const std::vector<std::string> kProjects = {
    "my/repo",     "a b", "50%", "100%2Fb", "größe", "a?b=c", "a#b", "a+b", "a&b", "p",
    "acknowledge", "a;b", "/a",  "a/",      "a//b",  "a:b",   "a'b", "...", "~a",  "a\\b"};

TEST_F(RoutesTest, EachPageIsThereForEachProject) {
  for (const std::string prefix : {"", "/team/gprof.hub"}) {
    for (const std::string& project : kProjects) {
      if (prefix.empty()) TwoRuns(project);
      Start(prefix);
      const std::string place = absl::StrCat(prefix, "/p/", base::PercentEncoded(project));
      for (const char* page : {"", "/runs", "/changes", "/gate", "/invocations", "/function",
                               "/runs/latest", "/compare/latest"}) {
        EXPECT_EQ(Get(place + page).status, 200) << place << page;
      }
      EXPECT_THAT(Get(place).body, HasSubstr(absl::StrCat("href=\"", place, "/runs\""))) << project;
      EXPECT_EQ(Get(absl::StrCat(prefix, "/api/v1/projects/", base::PercentEncoded(project),
                                 "/runs/latest/comparison"))
                    .status,
                200)
          << project;
    }
  }
}

TEST_F(RoutesTest, ChangesOfEachProjectAreAcceptedAndTakenBack) {
  for (const std::string prefix : {"", "/team"}) {
    for (const std::string& project : kProjects) {
      if (prefix.empty()) TwoRuns(project);
      Start(prefix);
      const std::string place = absl::StrCat(prefix, "/p/", base::PercentEncoded(project));
      const std::string comparison = Get(place + "/compare/latest").body;
      const std::string link = absl::StrCat("href=\"", place, "/compare/latest/");
      const size_t at = comparison.find(link);
      ASSERT_NE(at, std::string::npos) << project;
      const std::string finding = comparison.substr(at + link.size(), 10);
      const httplib::Response accepted = Submit(
          absl::StrCat(place, "/compare/latest/", finding), place + "/acknowledge",
          absl::StrCat("&function=_Z5parsei&target=", base::PercentEncoded(reporter::kTarget),
                       "&author=ann&reason=wanted&run=latest&finding=", finding));
      EXPECT_EQ(accepted.status, 303) << project << accepted.body;
      EXPECT_THAT(Get(absl::StrCat(place, "/compare/latest/", finding)).body,
                  HasSubstr("Accepted by ann: wanted"));
      const std::string gate = Get(place + "/gate").body;
      const std::string before = "name=\"id\" value=\"";
      const size_t id = gate.find(before);
      ASSERT_NE(id, std::string::npos) << project;
      const size_t from = id + before.size();
      const httplib::Response taken =
          Submit(place + "/gate", place + "/take-back",
                 absl::StrCat("&id=", gate.substr(from, gate.find('"', from) - from)));
      EXPECT_EQ(taken.status, 303) << project << taken.body;
      EXPECT_THAT(Get(absl::StrCat(place, "/compare/latest/", finding)).body,
                  Not(HasSubstr("Accepted by ann")));
    }
  }
}

// A page with its title, an advice, and a way home.
void ExpectErrorPage(const httplib::Response& page, int code, const std::string& prefix,
                     const std::string& what) {
  EXPECT_EQ(page.status, code) << what;
  EXPECT_TRUE(absl::StartsWith(page.body, "<!doctype html>")) << what << page.body;
  EXPECT_THAT(page.body, HasSubstr("</h1>")) << what;
  EXPECT_THAT(page.body, HasSubstr(absl::StrCat("<a href=\"", prefix,
                                                "/\" class=\"button\">All projects</a>")))
      << what;
  EXPECT_TRUE(page.has_header("Content-Security-Policy")) << what;
}

TEST_F(RoutesTest, EachErrorHasAPage) {
  const std::string run = TwoRuns("my/repo");
  for (const std::string prefix : {"", "/team"}) {
    Start(prefix);
    const std::string place = prefix + "/p/my%2Frepo";
    const std::string target = absl::StrCat("?target=", base::PercentEncoded(reporter::kTarget));
    for (const auto& [method, path, code] : std::vector<std::tuple<const char*, std::string, int>>{
             {"GET", "/nothing", 404},
             {"GET", "/p", 404},
             {"GET", "/p/my/repo", 404},  // a slash that is not encoded ends the name
             {"GET", "/p/nosuch", 404},
             {"GET", "/p/nosuch/runs", 404},
             {"GET", "/p/nosuch/gate", 404},
             {"GET", "/p/nosuch/function?name=f", 404},
             {"GET", "/p/nosuch/invocations", 404},
             {"GET", "/p/nosuch/compare/latest", 404},
             {"GET", "/p/%FF", 400},
             {"GET", "/assets/0/app.js", 404},
             {"POST", "/p/nosuch", 405},
             {"POST", "/nothing", 404},
             {"POST", "/login", 403},
             {"POST", "/p/my%2Frepo/acknowledge", 403},
             {"POST", "/p/my%2Frepo/runs", 405},
             {"GET", "/p/my%2Frepo/acknowledge", 405},
             {"GET", "/p/my%2Frepo/take-back", 405},
             {"GET", "/logout", 405},
             {"GET", "/" + std::string(9000, 'a'), 414},
             {"POST", "/" + std::string(8000, 'a'), 404},
             {"PUT", "/p/my%2Frepo", 405},
             {"DELETE", "/", 405},
             {"OPTIONS", "/", 405}}) {
      ExpectErrorPage(Send(method, prefix + path), code, prefix, absl::StrCat(method, " ", path));
    }
    for (const std::string& path : {absl::StrCat("/runs/999"), absl::StrCat("/compare/999"),
                                    absl::StrCat("/compare/", run, "/0000000000"),
                                    absl::StrCat("/runs/", run, "/nothing", target),
                                    absl::StrCat("/runs/", run, "/graph?target=%2F%2Fno:test")}) {
      const httplib::Response page = Get(place + path);
      ExpectErrorPage(page, 404, prefix, path);
      EXPECT_THAT(page.body, HasSubstr(absl::StrCat("href=\"", place, "\" class=\"button\"")))
          << "the project itself exists";
    }
  }
}

TEST_F(RoutesTest, AWrongMethodIsToldTheRightOne) {
  TwoRuns("acme");
  Start();
  EXPECT_EQ(Send("PUT", "/p/acme").get_header_value("Allow"), "GET, HEAD");
  EXPECT_EQ(Send("POST", "/p/acme").get_header_value("Allow"), "GET, HEAD");
  EXPECT_EQ(Get("/p/acme/acknowledge").get_header_value("Allow"), "POST");
}

TEST_F(RoutesTest, TheApiHasErrorsInJson) {
  TwoRuns("acme");
  for (const std::string prefix : {"", "/team"}) {
    Start(prefix);
    for (const auto& [method, path, code] : std::vector<std::tuple<const char*, const char*, int>>{
             {"GET", "/api/v1/nothing", 404},
             {"GET", "/api/v1/projects/nosuch/runs", 404},
             {"GET", "/api/v1/projects/nosuch/acknowledgements", 404},
             {"GET", "/api/v1/projects/acme/runs/999", 404},
             {"GET", "/api/v1/projects/acme/runs?limit=x", 400},
             {"POST", "/api/v1/projects", 405},
             {"PUT", "/api/v1/projects", 405}}) {
      const httplib::Response answer = Send(method, prefix + path);
      EXPECT_EQ(answer.status, code) << method << path;
      EXPECT_EQ(answer.get_header_value("Content-Type"), "application/json") << method << path;
      EXPECT_NE(nlohmann::json::parse(answer.body)["error"]["message"], "") << path;
    }
  }
}

TEST_F(RoutesTest, AnEmptyServerNamesTheCommandThatUploads) {
  uploads_ = ListenAddress{"127.0.0.1", 7171};
  Start();
  const std::string page = Get("/").body;
  EXPECT_THAT(page, HasSubstr("bazel test --config=gprof --build_event_binary_file=bep.bin //...\n"
                              "gprofhub upload --bep bep.bin --server 127.0.0.1:7171 --project "
                              "my/repo\n</pre>"));
  EXPECT_THAT(page, Not(HasSubstr("U+000A")));
  EXPECT_THAT(page, Not(HasSubstr("--token-file"))) << "no token exists";
  // The browser's name of this machine replaces an address of all interfaces.
  for (const char* any : {"0.0.0.0", "::"}) {
    uploads_ = ListenAddress{any, 7171};
    Start();
    EXPECT_THAT(Get("/").body, HasSubstr("--server 127.0.0.1:7171 ")) << any;
  }
}

TEST_F(RoutesTest, WhereTokensAreNeededAnEmptyServerAsksForALogIn) {
  Start("", OnlyTokens);
  EXPECT_THAT(Get("/").body, HasSubstr("<h1>Log in</h1>"));
}

}  // namespace

}  // namespace gprofhub::server
