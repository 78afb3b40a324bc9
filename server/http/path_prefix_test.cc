// Pages that a proxy serves below a path: each address in them has it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/http/percent_coding.h"
#include "base/memory_budget.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/testing/stored_runs.h"
#include "server/http/page_server.h"

namespace gprofhub::server {

namespace {

using ::testing::HasSubstr;

constexpr char kPrefix[] = "/team/gprof.hub";

absl::StatusOr<collector::Caller> WithTheToken(const collector::CallOrigin& call) {
  if (call.authorization != "Bearer good") return absl::UnauthenticatedError("a token is needed");
  collector::Caller caller;
  caller.project = reporter::kProject;
  caller.scopes =
      collector::Scopes().With(collector::Scope::kRead).With(collector::Scope::kAcknowledge);
  caller.actor = {"ann", call.peer, 1};
  return caller;
}

class PathPrefixTest : public reporter::StoredRunsTest {
 protected:
  void SetUp() override {
    StoredRunsTest::SetUp();
    Upload('a');
    Analyze(reporter::Profile(1000));
    run_ = absl::StrCat(Upload('b', {reporter::Commit('a')}));
    Analyze(reporter::Profile(4000));
    PageServerOptions options;
    options.listen = {"127.0.0.1", 0};
    options.decoding = &decoding_;
    options.visits.path_prefix = kPrefix;
    collector::Access access;
    access.authenticate = WithTheToken;
    auto server = PageServer::Start(
        options, {{store_.reading, store_.blobs, store_.gate, store_.invocations}, {}}, access);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_->address().port);
    client_->set_read_timeout(300);
  }

  httplib::Response Get(const std::string& path,
                        const httplib::Headers& headers = {{"Authorization", "Bearer good"}}) {
    const auto result = client_->Get(path.c_str(), headers);
    EXPECT_TRUE(result) << path;
    return result ? *result : httplib::Response();
  }

  // The pages of the run, below "/".
  std::vector<std::string> Pages() const {
    const std::string of_run = absl::StrCat("/p/acme/runs/", run_);
    const std::string target = absl::StrCat("?target=", base::PercentEncoded(reporter::kTarget));
    return {"/",
            "/p/acme",
            "/p/acme/runs",
            "/p/acme/changes",
            "/p/acme/gate",
            "/p/acme/invocations",
            "/p/acme/function?name=parse",
            "/p/acme/function?name=_Z5parsei",
            "/licences",
            of_run,
            absl::StrCat("/p/acme/compare/", run_),
            absl::StrCat(of_run, "/graph", target),
            absl::StrCat(of_run, "/drawn", target)};
  }

  base::MemoryBudget decoding_{uint64_t{768} << 20};
  std::string run_;
  std::unique_ptr<PageServer> server_;
  std::unique_ptr<httplib::Client> client_;
};

// Values of attributes that are paths; "//db:test" is a label.
std::vector<std::string> PathsIn(const std::string& page) {
  std::vector<std::string> paths;
  const std::string before = "=\"/";
  for (size_t at = page.find(before); at != std::string::npos; at = page.find(before, at)) {
    at += before.size() - 1;
    if (page[at + 1] != '/') paths.push_back(page.substr(at, page.find('"', at) - at));
  }
  return paths;
}

TEST_F(PathPrefixTest, EachAddressOfAPageHasIt) {
  for (const std::string& path : Pages()) {
    const httplib::Response page = Get(absl::StrCat(kPrefix, path));
    EXPECT_EQ(page.status, 200) << path << page.body;
    const std::vector<std::string> addresses = PathsIn(page.body);
    EXPECT_GT(addresses.size(), 3u) << path;
    for (const std::string& address : addresses) {
      EXPECT_TRUE(absl::StartsWith(address, absl::StrCat(kPrefix, "/"))) << path << ": " << address;
    }
  }
  for (const std::string path : {"/nothing", "/assets/0/app.js", "/p/%FF"}) {
    for (const std::string& address : PathsIn(Get(path).body)) {
      EXPECT_TRUE(absl::StartsWith(address, absl::StrCat(kPrefix, "/"))) << path << ": " << address;
    }
  }
}

TEST_F(PathPrefixTest, ThePagesOfAProxyThatStripsItAreTheSame) {
  for (const std::string& path : Pages()) {
    // Forms' tokens differ without a cookie.
    const httplib::Headers headers = {{"Authorization", "Bearer good"},
                                      {"Cookie", "gprofhub_session=" + std::string(64, 'a')}};
    EXPECT_EQ(Get(path, headers).body, Get(absl::StrCat(kPrefix, path), headers).body) << path;
  }
  EXPECT_EQ(Get(kPrefix).body, Get("/").body) << "without a slash at the end";
}

TEST_F(PathPrefixTest, AddressesOfPagesLeadToAnswers) {
  const std::string page = Get(absl::StrCat(kPrefix, "/p/acme/runs/", run_)).body;
  size_t scripts = 0;
  for (const std::string& address : PathsIn(page)) {
    // 400: these runs have no symbols.
    EXPECT_NE(Get(address.substr(0, address.find("&amp;"))).status, 404) << address;
    if (absl::StrContains(address, "/assets/")) ++scripts;
  }
  EXPECT_GT(scripts, 2u);
}

TEST_F(PathPrefixTest, OtherPathsAreNotIt) {
  for (const std::string path :
       {"/team", "/team/p/acme", "/team/gprof.hubx", "/team/gprof.hubx/p/acme",
        "/team/gprofxhub/p/acme", "/team/gprof.hub/../p/acme", "/team/gprof.hub/../../p/acme",
        "/team/gprof.hub//p/acme", "/team/gprof.hub/team/gprof.hub/p/acme"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
  }
}

TEST_F(PathPrefixTest, RedirectionsAndCookiesHaveIt) {
  const std::string runs = absl::StrCat(kPrefix, "/p/acme/runs");
  for (const std::string& path : {runs, std::string("/p/acme/runs")}) {
    const httplib::Response away = Get(path, {});
    EXPECT_EQ(away.status, 303);
    EXPECT_EQ(away.get_header_value("Location"), absl::StrCat(kPrefix, "/login?next=/p/acme/runs"));
  }
  const httplib::Response form = Get(absl::StrCat(kPrefix, "/login?next=/p/acme/runs"), {});
  const std::string cookie = form.get_header_value("Set-Cookie");
  EXPECT_THAT(cookie, HasSubstr(absl::StrCat("; Path=", kPrefix, "; ")));
  const std::string before = "name=\"csrf\" value=\"";
  const std::string csrf = form.body.substr(form.body.find(before) + before.size(), 64);
  const httplib::Headers browser = {{"Cookie", cookie.substr(0, cookie.find(';'))}};
  for (const std::string& path : {std::string("/login"), absl::StrCat(kPrefix, "/login")}) {
    const auto in =
        client_->Post(path, browser,
                      httplib::Params{{"csrf", csrf}, {"token", "good"}, {"next", "/p/acme/runs"}});
    ASSERT_TRUE(in) << path;
    EXPECT_EQ(in->status, 303) << in->body;
    EXPECT_EQ(in->get_header_value("Location"), runs);
    EXPECT_THAT(in->get_header_value("Set-Cookie"), HasSubstr(absl::StrCat("; Path=", kPrefix)));
  }
  const std::string flame =
      Get(absl::StrCat("/p/acme/runs/", run_,
                       "/flame?run=latest&target=", base::PercentEncoded(reporter::kTarget)))
          .get_header_value("Location");
  EXPECT_TRUE(absl::StartsWith(flame, absl::StrCat(runs, "/latest/flame?target="))) << flame;
}

TEST_F(PathPrefixTest, TheApisDescriptionAndErrorsNameIt) {
  const std::string description = absl::StrCat(kPrefix, "/api/v1/openapi.json");
  for (const std::string& path : {description, std::string("/api/v1/openapi.json")}) {
    const nlohmann::json api = nlohmann::json::parse(Get(path).body);
    EXPECT_EQ(api.at("servers").at(0).at("url"), absl::StrCat(kPrefix, "/api/v1"));
  }
  EXPECT_EQ(Get(absl::StrCat(kPrefix, "/api/v1/projects/acme/runs")).status, 200);
  EXPECT_THAT(Get(absl::StrCat(kPrefix, "/api/v1/none")).body,
              HasSubstr(absl::StrCat("not found: ", kPrefix, "/api/v1/none; see ", description)));
}

}  // namespace

}  // namespace gprofhub::server
