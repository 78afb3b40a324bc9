#include "server/http/page_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "base/http/percent_coding.h"
#include "base/memory_budget.h"
#include "collector/access/authorizer.h"
#include "collector/testing/fake_issuer.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/testing/sample_reports.h"
#include "reporter/testing/stored_runs.h"
#include "server/http/page_request.h"
#include "server/queries/served_listing.h"
#include "server/testing/raw_peer.h"

namespace gprofhub::server {

namespace {

using reporter::kProject;
using reporter::kTarget;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kGood[] = "Bearer good";

// The token "good" may all in the project; others are refused.
absl::StatusOr<collector::Caller> OnlyTheGoodToken(const collector::CallOrigin& call) {
  if (call.authorization != kGood) return absl::UnauthenticatedError("a token is needed");
  collector::Caller caller;
  caller.project = kProject;
  caller.scopes =
      collector::Scopes().With(collector::Scope::kRead).With(collector::Scope::kAcknowledge);
  caller.actor = {"ann", call.peer, 1};
  return caller;
}

absl::StatusOr<collector::Caller> Anybody(const collector::CallOrigin& call) {
  collector::Caller caller;
  caller.anonymous = true;
  caller.scopes =
      collector::Scopes().With(collector::Scope::kRead).With(collector::Scope::kAcknowledge);
  caller.actor = {"", call.peer, 0};
  return caller;
}

class PageServerTest : public reporter::StoredRunsTest {
 protected:
  void Start(PageServerOptions options = {}, decltype(Anybody)* who = OnlyTheGoodToken) {
    options.listen = {"127.0.0.1", 0};
    if (options.decoding == nullptr) options.decoding = &decoding_;
    collector::Access access;
    access.authenticate = who;
    PageSources sources = {{store_.reading, store_.blobs, store_.gate, store_.invocations}, {}};
    sources.login = login_;
    sources.read_source = read_source_;
    sources.as_of = as_of_;
    auto server = PageServer::Start(options, std::move(sources), std::move(access));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_->address().port);
    client_->set_read_timeout(300);
  }

  // Two runs of the main line, the second with more calls, and its number.
  std::string TwoRuns() {
    Upload('a');
    Analyze(reporter::Profile(1000));
    const int64_t run = Upload('b', {reporter::Commit('a')});
    Analyze(reporter::Profile(4000));
    return absl::StrCat(run);
  }

  httplib::Response Get(const std::string& path,
                        const httplib::Headers& headers = {{"Authorization", kGood}}) {
    const auto result = client_->Get(path.c_str(), headers);
    EXPECT_TRUE(result) << path;
    return result ? *result : httplib::Response();
  }

  httplib::Response Post(const std::string& path, const httplib::Params& form,
                         const httplib::Headers& headers) {
    const auto result = client_->Post(path.c_str(), headers, form);
    EXPECT_TRUE(result) << path;
    return result ? *result : httplib::Response();
  }

  // What a browser sends back after the response has set it.
  static std::string CookieIn(const httplib::Response& response) {
    const std::string cookie = response.get_header_value("Set-Cookie");
    return cookie.substr(0, cookie.find(';'));
  }

  // State of a browser after it loaded a page: its cookie, and the CSRF token of the page's forms.
  struct Browser {
    httplib::Headers headers;
    std::string csrf;
  };
  Browser Open(const httplib::Headers& headers, const std::string& path = "/login") {
    const httplib::Response page = Get(path, headers);
    Browser browser;
    browser.headers = {{"Cookie", CookieIn(page)}};
    const std::string before = "name=\"csrf\" value=\"";
    const size_t at = page.body.find(before);
    EXPECT_NE(at, std::string::npos) << page.body;
    if (at != std::string::npos) browser.csrf = page.body.substr(at + before.size(), 64);
    return browser;
  }

  // A connection that sends `text` and then nothing.
  int Peer(const std::string& text) const { return ConnectAndSay(server_->address().port, text); }

  base::MemoryBudget decoding_{uint64_t{768} << 20};
  std::shared_ptr<LoginIssuer> login_;  // where people log in; null: with tokens only
  ReadSource read_source_;              // null: source is unavailable
  // Null: the server has the newest.
  std::function<std::optional<absl::Time>()> as_of_;
  std::unique_ptr<PageServer> server_;
  std::unique_ptr<httplib::Client> client_;
};

// A token whose check ends with the test.
absl::Notification* slow_tokens_end = nullptr;
std::atomic<int> slow_tokens = 0;

absl::StatusOr<collector::Caller> SlowOrGoodToken(const collector::CallOrigin& call) {
  if (call.authorization == "Bearer slow") {
    ++slow_tokens;
    slow_tokens_end->WaitForNotification();
  }
  return OnlyTheGoodToken(call);
}

TEST_F(PageServerTest, StrangersDoNotDelayPeople) {
  absl::Notification end;
  slow_tokens_end = &end;
  Start({}, SlowOrGoodToken);
  Get("/", {});  // from now on it is known that tokens are needed
  const Browser stranger = Open({});
  std::vector<std::thread> strangers;
  for (int i = 0; i < 8; ++i) {
    strangers.emplace_back([&] {
      httplib::Client client("127.0.0.1", server_->address().port);
      client.set_read_timeout(300);
      client.Post("/login", stranger.headers,
                  httplib::Params{{"csrf", stranger.csrf}, {"token", "slow"}});
    });
  }
  while (slow_tokens < 3) std::this_thread::yield();
  EXPECT_EQ(Get("/").status, 200) << "from the same address";
  EXPECT_EQ(slow_tokens, 3) << "all threads of one network of strangers";
  end.Notify();
  for (std::thread& one : strangers) one.join();
}

TEST_F(PageServerTest, OfACopyOfTheDatabaseEachAnswerSaysHowOldItIs) {
  as_of_ = [] { return absl::FromUnixSeconds(1'795'000'000); };
  Upload('a');
  Start();
  for (const std::string path : {"/p/acme/runs", "/api/v1/projects/acme/runs"}) {
    EXPECT_EQ(Get(path).get_header_value("Gprofhub-As-Of"), "2026-11-18T11:06:40+00:00") << path;
  }
  EXPECT_THAT(Get("/p/acme/runs").body,
              HasSubstr("reads a copy of the database, as of 2026-11-18 11:06:40 UTC."));
}

TEST_F(PageServerTest, WithTheNewestNothingIsSaidOfAge) {
  Upload('a');
  Start();
  const httplib::Response page = Get("/p/acme/runs");
  EXPECT_FALSE(page.has_header("Gprofhub-As-Of"));
  EXPECT_THAT(page.body, Not(HasSubstr("copy of the database")));
}

TEST_F(PageServerTest, ARunThatGoesOnIsShownAnew) {
  const std::string run = absl::StrCat(Upload('a'));
  Start();
  // web/src/live.ts looks for this.
  const std::string live = "<div id=\"live\" data-live=\"true\">";
  EXPECT_TRUE(absl::StrContains(Get("/p/acme/runs/" + run).body, live));
  Analyze(reporter::Profile(1000));
  const std::string ended = Get("/p/acme/runs/" + run).body;
  EXPECT_TRUE(absl::StrContains(ended, "<div id=\"live\">")) << ended;
}

TEST_F(PageServerTest, TheApiSaysWhatItHasNoListingFor) {
  const std::string run = TwoRuns();
  Start();
  const std::string listing = absl::StrCat("/api/v1/projects/acme/runs/", run, "/listing");
  for (const std::string query : {"?kind=png", "?lines=2", "?format=png", "?brief=yes"}) {
    const httplib::Response refused = Get(listing + query);
    EXPECT_EQ(refused.status, 400) << query;
    EXPECT_EQ(nlohmann::json::parse(refused.body)["error"]["code"], "invalid_argument") << query;
  }
  EXPECT_EQ(Get(listing + "?kind=source").status, 404) << "no source here";
  EXPECT_EQ(Get(listing, {}).status, 401);
}

// Pages that need the images' symbols are tested in tests/page: these runs have no symbols.
TEST_F(PageServerTest, EveryPageOfARunIsThere) {
  const std::string run = TwoRuns();
  Start();
  const std::string target = absl::StrCat("?target=", base::PercentEncoded(kTarget));
  const std::string of_run = absl::StrCat("/p/acme/runs/", run);
  for (const std::string& path : std::vector<std::string>{
           "/", "/p/acme", "/p/acme/runs", "/p/acme/changes", "/p/acme/gate", "/licences", of_run,
           absl::StrCat("/p/acme/compare/", run), "/p/acme/function?name=parse",
           absl::StrCat(of_run, "/graph", target),
           absl::StrCat(of_run, "/graph", target, "&function=_Z5parsei"),
           absl::StrCat(of_run, "/drawn", target)}) {
    const httplib::Response page = Get(path);
    EXPECT_EQ(page.status, 200) << path << "\n" << page.body;
    EXPECT_TRUE(absl::StartsWith(page.body, "<!doctype html>")) << path;
    const std::string policy = page.get_header_value("Content-Security-Policy");
    EXPECT_TRUE(absl::StartsWith(policy, "default-src 'none'; script-src 'self'")) << policy;
    EXPECT_FALSE(absl::StrContains(policy, "unsafe-inline")) << path;
    EXPECT_TRUE(absl::StrContains(policy, "frame-ancestors 'none'")) << path;
    EXPECT_FALSE(absl::StrContains(page.body, "<script>")) << path;
  }
  EXPECT_TRUE(absl::StrContains(Get("/p/acme/compare/" + run).body, "parse(int)"));
}

TEST_F(PageServerTest, APageThatNeedsMoreMemoryThanThereIsIsRefused) {
  const std::string run = TwoRuns();
  base::MemoryBudget tiny(1);
  PageServerOptions options;
  options.decoding = &tiny;
  Start(options);
  for (const std::string& path :
       {"/p/acme/compare/" + run,
        absl::StrCat("/api/v1/projects/acme/runs/", run, "/comparison")}) {
    const httplib::Response page = Get(path);
    EXPECT_NE(page.status, 200) << path;
    EXPECT_TRUE(absl::StrContains(page.body, "--decoding-memory")) << path << page.body;
  }
  EXPECT_EQ(Get("/p/acme/runs").status, 200) << "it needs none";
  EXPECT_EQ(tiny.used(), 0u);
}

TEST_F(PageServerTest, WhatIsNotThereIsSaid) {
  TwoRuns();
  Start();
  for (const char* path : {"/p/acme/runs/999", "/nothing", "/p", "/p/acme/runs/999/flame",
                           "/p/acme/compare/999", "/assets/0/app.js", "/api", "/api/v1",
                           "/api/v2/projects", "/api/v1/projects/acme/runs/999"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
  }
  EXPECT_EQ(Get("/p/%FF").status, 400);
  for (const std::string query :
       {"runs?limit=x", "runs?limit=1001", "function?function=f&by=year"}) {
    EXPECT_EQ(Get("/api/v1/projects/acme/" + query).status, 400) << query;
  }
}

TEST_F(PageServerTest, NobodySeesAProjectWithoutATokenOrWithThatOfAnother) {
  TwoRuns();
  Start();
  const httplib::Response page = Get("/p/acme/runs", {});
  EXPECT_EQ(page.status, 303);
  EXPECT_EQ(page.get_header_value("Location"), "/login?next=/p/acme/runs");
  EXPECT_EQ(Get("/api/v1/projects/acme/runs", {}).status, 401);
  EXPECT_EQ(Get("/p/acme", {{"Authorization", "Bearer bad"}}).status, 401);
  EXPECT_EQ(Get("/p/other").status, 403);
  EXPECT_EQ(Get("/api/v1/projects/other/runs").status, 403);
}

TEST_F(PageServerTest, APublicProjectIsOpenAndNoOther) {
  TwoRuns();
  PageServerOptions options;
  options.visits.public_projects = {kProject};
  Start(options);
  EXPECT_EQ(Get("/p/acme/runs", {}).status, 200);
  EXPECT_EQ(Get("/p/other/runs", {}).status, 303);
}

// It is read from the forge with this server's credentials.
TEST_F(PageServerTest, APublicProjectsSourceIsForItsReadersOnly) {
  const std::string run = TwoRuns();
  PageServerOptions options;
  options.visits.public_projects = {kProject};
  Start(options);
  const std::string listing = absl::StrCat(
      "/p/acme/runs/", run, "/listing?target=", base::PercentEncoded(kTarget), "&kind=source");
  const std::string closed = "log in to see it";
  const httplib::Response page = Get(listing, {});
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(absl::StrContains(page.body, closed)) << page.body;
  EXPECT_FALSE(absl::StrContains(Get(listing).body, closed));
}

TEST_F(PageServerTest, NoWayToAPublicProjectsSourceIsOpenToStrangers) {
  const std::string run = TwoRuns();
  std::atomic<int> read = 0;
  read_source_ = [&read](const std::string&, const std::string& commit, const std::string&) {
    ++read;
    return std::make_shared<const std::string>("int secret_of_" + commit + ";\n");
  };
  PageServerOptions options;
  options.visits.public_projects = {kProject};
  Start(options);
  const std::string comparison = Get("/p/acme/compare/" + run, {}).body;
  const std::string before = "href=\"/p/acme/compare/" + run + "/";
  const size_t at = comparison.find(before);
  ASSERT_NE(at, std::string::npos) << comparison;
  const size_t name = at + std::string("href=\"").size();
  const std::string finding = comparison.substr(name, comparison.find('"', name) - name);
  const std::string target = absl::StrCat("target=", base::PercentEncoded(kTarget));
  const std::vector<std::string> ways = {
      finding, absl::StrCat("/p/acme/runs/", run, "/listing?kind=source&", target),
      absl::StrCat("/api/v1/projects/acme/runs/", run, "/listing?kind=source&", target)};
  for (const std::string& way : ways) {
    EXPECT_FALSE(absl::StrContains(Get(way, {}).body, "secret_of")) << way;
  }
  EXPECT_EQ(read, 0);
  EXPECT_TRUE(absl::StrContains(Get(finding).body, "secret_of")) << finding;
  EXPECT_GT(read, 0);
}

TEST_F(PageServerTest, ATokenOpensASessionUntilItIsLeft) {
  TwoRuns();
  Start();
  Browser browser = Open({});
  EXPECT_EQ(Post("/login", {{"csrf", browser.csrf}, {"token", "bad"}}, browser.headers).status,
            401);
  const httplib::Response in =
      Post("/login", {{"csrf", browser.csrf}, {"token", "good"}, {"next", "/p/acme/runs"}},
           browser.headers);
  EXPECT_EQ(in.status, 303);
  EXPECT_EQ(in.get_header_value("Location"), "/p/acme/runs");
  const std::string cookie = in.get_header_value("Set-Cookie");
  EXPECT_TRUE(absl::StrContains(cookie, "; HttpOnly; SameSite=Lax")) << cookie;
  EXPECT_FALSE(absl::StrContains(cookie, "good")) << "the token itself stays with the server";
  const httplib::Headers session = {{"Cookie", CookieIn(in)}};
  EXPECT_NE(session.find("Cookie")->second, browser.headers.find("Cookie")->second);
  const httplib::Response page = Get("/p/acme/runs", session);
  EXPECT_EQ(page.status, 200);
  const size_t at = page.body.find("name=\"csrf\" value=\"");
  ASSERT_NE(at, std::string::npos);
  const std::string csrf = page.body.substr(at + 19, 64);
  EXPECT_EQ(Post("/logout", {{"csrf", browser.csrf}}, session).status, 403) << "of another session";
  EXPECT_EQ(Post("/logout", {{"csrf", csrf}}, session).status, 303);
  EXPECT_EQ(Get("/p/acme/runs", session).status, 303);
}

TEST_F(PageServerTest, AnIssuersUserReadsAndOnlyTheBrowserThatBeganIsLetIn) {
  TwoRuns();
  const collector::FakeKey key = collector::FakeKey::Rsa();
  nlohmann::json claims = {{"iss", "https://id.example"},
                           {"aud", "us"},
                           {"email", "ann@acme.example"},
                           {"email_verified", true},
                           {"exp", absl::ToUnixSeconds(absl::Now() + absl::Minutes(5))}};
  LoginIssuerOptions issuer;
  issuer.issuer = "https://id.example";
  issuer.client = "us";
  issuer.back = "https://gprofhub.example/login/done";
  issuer.users = {"*@acme.example"};
  login_ = std::make_shared<LoginIssuer>(issuer, [&](const base::HttpRequest& request) {
    nlohmann::json body = {{"issuer", "https://id.example"},
                           {"authorization_endpoint", "https://id.example/authorize"},
                           {"token_endpoint", "https://id.example/token"},
                           {"jwks_uri", "https://id.example/keys"}};
    if (absl::EndsWith(request.url, "/keys")) body = {{"keys", {key.Jwk("k1")}}};
    if (absl::EndsWith(request.url, "/token")) {
      body = {{"id_token", collector::Sign(claims, "RS256", "k1", key.PrivatePem())}};
    }
    return absl::StatusOr<base::HttpResponse>(base::HttpResponse{200, {}, body.dump()});
  });
  Start();
  EXPECT_TRUE(absl::StrContains(Get("/login", {}).body, "Log in at id.example"));
  const httplib::Response first = Get("/login/issuer", {});
  EXPECT_EQ(first.get_header_value_count("Set-Cookie"), 2u) << "the session's, too";
  const Browser browser = Open({});
  const httplib::Response away = Get("/login/issuer?next=/p/acme/runs", browser.headers);
  EXPECT_EQ(away.status, 303);
  const std::string address = away.get_header_value("Location");
  EXPECT_TRUE(absl::StartsWith(address, "https://id.example/authorize?")) << address;
  auto asked = ParseForm(address.substr(address.find('?') + 1));
  claims["nonce"] = asked["nonce"];
  const std::string both = browser.headers.find("Cookie")->second + "; " + CookieIn(away);
  const httplib::Headers returned = {{"Cookie", both}};
  const std::string back = "/login/done?code=c&state=" + asked["state"];
  EXPECT_EQ(Get(back, Open({}).headers).status, 401) << "another browser";
  EXPECT_EQ(Get(back, browser.headers).status, 401) << "without what the browser holds";
  const httplib::Response in = Get(back, returned);
  EXPECT_EQ(in.status, 303);
  EXPECT_EQ(in.get_header_value("Location"), "/p/acme/runs");
  const httplib::Headers session = {{"Cookie", CookieIn(in)}};
  const httplib::Response page = Get("/p/acme/runs", session);
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(absl::StrContains(page.body, "ann@acme.example"));
  EXPECT_TRUE(absl::StrContains(in.get_header_value("Set-Cookie", 1), "Max-Age=0"));
  EXPECT_EQ(Get(back, returned).status, 401) << "a state is taken once";
}

TEST_F(PageServerTest, LogInLeadsToNoOtherSite) {
  Start();
  const Browser browser = Open({});
  for (const char* next : {"https://evil.example/", "//evil.example", "/\\evil.example",
                           "/p/\r\nSet-Cookie: a=b", "javascript:alert(1)"}) {
    const httplib::Response in = Post(
        "/login", {{"csrf", browser.csrf}, {"token", "good"}, {"next", next}}, browser.headers);
    EXPECT_EQ(in.get_header_value("Location"), "/") << next;
  }
}

TEST_F(PageServerTest, AnAcknowledgementNeedsItsFormsSign) {
  const std::string run = TwoRuns();
  Start({}, Anybody);
  const httplib::Params said = {
      {"function", "_Z5parsei"}, {"target", kTarget}, {"reason", "wanted"},
      {"kind", "intended"},      {"run", run},        {"finding", "f"}};
  EXPECT_EQ(Post("/p/acme/acknowledge", said, {}).status, 403);
  const auto count = [this] {
    return nlohmann::json::parse(Get("/api/v1/projects/acme/acknowledgements", {}).body)
        .at("acknowledgements")
        .size();
  };
  EXPECT_EQ(count(), 0u);
}

TEST_F(PageServerTest, ANameOfAnotherSiteOpensNothingWhereNoTokenIsNeeded) {
  TwoRuns();
  Start({}, Anybody);
  EXPECT_EQ(Get("/p/acme", {{"Host", "evil.example"}}).status, 403);
  EXPECT_EQ(Get("/p/acme", {{"Host", "localhost"}}).status, 200);
}

TEST_F(PageServerTest, AProxysWordIsBelievedFromItsAddressOnly) {
  TwoRuns();
  PageServerOptions options;
  options.user_header = "X-User";
  options.visits.proxies = {"10.9.8.7"};
  Start(options);
  EXPECT_EQ(Get("/p/acme", {{"X-User", "eve"}}).status, 303);
  options.visits.proxies = {"127.0.0.1"};
  Start(options);
  EXPECT_EQ(Get("/p/acme", {{"X-User", "ann"}}).status, 200);
  EXPECT_EQ(Get("/p/acme", {}).status, 303);
}

// Another site can set a cookie for this host, and knows the CSRF token that it got for that
// cookie.
TEST_F(PageServerTest, FormOfAnotherUserOrSiteIsRefused) {
  const std::string run = TwoRuns();
  PageServerOptions options;
  options.user_header = "X-User";
  options.visits.proxies = {"127.0.0.1"};
  Start(options);
  const Browser mallory = Open({{"X-User", "mallory"}});
  const httplib::Params said = {{"csrf", mallory.csrf}, {"function", "_Z5parsei"},
                                {"target", kTarget},    {"reason", "wanted"},
                                {"kind", "intended"},   {"run", run},
                                {"finding", "f"}};
  const auto post = [&](const std::string& user, const std::string& name,
                        const std::string& value) {
    httplib::Headers headers = mallory.headers;
    headers.emplace("X-User", user);
    if (!name.empty()) headers.emplace(name, value);
    return Post("/p/acme/acknowledge", said, headers).status;
  };
  EXPECT_EQ(post("alice", "", ""), 403);
  EXPECT_EQ(post("mallory", "Sec-Fetch-Site", "cross-site"), 403);
  EXPECT_EQ(post("mallory", "Sec-Fetch-Site", "same-site"), 403);
  EXPECT_EQ(post("mallory", "Origin", "https://evil.example"), 403);
  EXPECT_EQ(post("mallory", "Origin", "null"), 403);
  EXPECT_EQ(post("mallory", "Origin", "http://127.0.0.1:1"), 403);
  const std::string here = absl::StrCat("http://127.0.0.1:", server_->address().port);
  EXPECT_EQ(post("mallory", "Origin", here), 303);
  EXPECT_EQ(post("mallory", "Sec-Fetch-Site", "same-origin"), 303);
  EXPECT_EQ(post("mallory", "", ""), 303);
}

TEST_F(PageServerTest, CookieBelongsToThisHostAlone) {
  PageServerOptions options;
  options.visits.secure_cookies = true;
  options.visits.path_prefix = "/gprofhub";
  Start(options);
  const std::string cookie = Get("/login", {}).get_header_value("Set-Cookie");
  EXPECT_TRUE(absl::StartsWith(cookie, "__Host-gprofhub_session_")) << cookie;
  EXPECT_TRUE(absl::StrContains(cookie, "; Path=/; ")) << cookie;
  EXPECT_TRUE(absl::EndsWith(cookie, "; Secure")) << cookie;
  const httplib::Headers tossed = {{"Cookie", "gprofhub_session=" + std::string(64, 'a')}};
  EXPECT_TRUE(Get("/login", tossed).has_header("Set-Cookie")) << "it is no session";
}

TEST_F(PageServerTest, HostileNamesOpenNoElement) {
  reporter::ProfileBuilder builder;
  builder.Function("main", 1, 50).Arc("", "main", 1);
  for (const std::string& name : reporter::HostileNames()) {
    builder.Function(name, 5).Arc("main", name, 100);
  }
  const int64_t run = Upload('a');
  Analyze(builder.Build());
  Start();
  const std::string target = absl::StrCat("?target=", base::PercentEncoded(kTarget));
  std::vector<std::string> paths = {"/p/acme/function?name=" + base::PercentEncoded("<script>")};
  for (const std::string& name : reporter::HostileNames()) {
    paths.push_back(absl::StrCat("/p/acme/runs/", run, "/graph", target,
                                 "&function=", base::PercentEncoded(name)));
    paths.push_back("/p/acme/function?name=" + base::PercentEncoded(name));
    paths.push_back("/p/" + base::PercentEncoded(name));
  }
  for (const char* kind : {"/graph", "/drawn", "/flame", "/listing"}) {
    paths.push_back(absl::StrCat("/p/acme/runs/", run, kind, target));
  }
  for (const std::string& path : paths) {
    const std::string body = Get(path).body;
    for (const char* bad : {"<script>", "<img", "onerror=\"", "href=\"javascript:"}) {
      EXPECT_FALSE(absl::StrContains(body, bad)) << path << ": " << bad;
    }
  }
}

bool IsOfType(const nlohmann::json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "null" && value.is_null();
}

// Whether the value matches the schema, which has only the keywords that the server uses.
void ExpectFits(const nlohmann::json& value, const nlohmann::json& schema,
                const nlohmann::json& api, const std::string& where) {
  if (schema.contains("$ref")) {
    const std::string pointer = schema["$ref"].get<std::string>().substr(1);
    ASSERT_TRUE(api.contains(nlohmann::json::json_pointer(pointer))) << pointer;
    ExpectFits(value, api.at(nlohmann::json::json_pointer(pointer)), api, where);
    return;
  }
  if (schema.contains("anyOf")) {
    ASSERT_EQ(schema["anyOf"].at(1), nlohmann::json({{"type", "null"}})) << where;
    if (!value.is_null()) ExpectFits(value, schema["anyOf"].at(0), api, where);
    return;
  }
  const std::string type = schema.at("type");
  ASSERT_TRUE(IsOfType(value, type)) << where << ": " << value << " is no " << type;
  if (schema.contains("enum")) {
    EXPECT_NE(std::find(schema["enum"].begin(), schema["enum"].end(), value), schema["enum"].end())
        << where << ": " << value;
  }
  if (type == "object") {
    for (const auto& [name, member] : value.items()) {
      ASSERT_TRUE(schema.at("properties").contains(name)) << where << "/" << name;
      ExpectFits(member, schema["properties"][name], api, absl::StrCat(where, "/", name));
    }
    for (const auto& name : schema.value("required", nlohmann::json::array())) {
      EXPECT_TRUE(value.contains(name.get<std::string>())) << where << "/" << name;
    }
  } else if (type == "array") {
    for (const auto& item : value) ExpectFits(item, schema.at("items"), api, where + "/0");
  }
}

TEST_F(PageServerTest, TheApiNamesExecutionsIfAskedTo) {
  Upload({.attempt = 1, .status = "FAILED", .duration_ms = 1500});
  const std::string path =
      absl::StrCat("/api/v1/projects/acme/runs/", Upload({.attempt = 2, .duration_ms = 500}));
  Start();
  const auto target = [&](const std::string& query) {
    return nlohmann::json::parse(Get(path + query).body).at("targets").at(0);
  };
  EXPECT_TRUE(target("").value("execution_list", nlohmann::json::array()).empty());
  const nlohmann::json executions = target("?with_executions=1").at("execution_list");
  ASSERT_EQ(executions.size(), 2u);
  EXPECT_EQ(executions.at(0).at("status"), "FAILED");
  EXPECT_EQ(executions.at(0).at("duration_ms"), 1500);
  EXPECT_EQ(executions.at(1).at("attempt"), 2);
  EXPECT_EQ(Get(path + "?with_executions=2").status, 400);
  const auto api = nlohmann::json::parse(Get("/api/v1/openapi.json").body);
  const auto& about = api.at("components").at("schemas").at("gprofhub.v1.Execution");
  EXPECT_TRUE(about.at("properties").contains("duration_ms")) << about;
}

TEST_F(PageServerTest, TheApiAnswersAsItsDescriptionSays) {
  const std::string run = TwoRuns();
  Start();
  const nlohmann::json api = nlohmann::json::parse(Get("/api/v1/openapi.json", {}).body);
  EXPECT_EQ(api.at("openapi"), "3.1.0");
  const nlohmann::json comparison = nlohmann::json::parse(
      Get(absl::StrCat("/api/v1/projects/acme/runs/", run, "/comparison")).body);
  EXPECT_EQ(comparison.at("schema"), 1);
  const nlohmann::json& first = comparison.at("findings").at(0);
  EXPECT_EQ(first.at("verdict"), "regressed");
  const std::string finding = first.at("id");
  size_t answered = 0;
  for (const auto& [path, operations] : api.at("paths").items()) {
    std::string address = absl::StrCat(
        "/api/v1",
        absl::StrReplaceAll(
            path,
            {{"{project}", "acme"}, {"{run}", run}, {"{head}", run}, {"{finding}", finding}}));
    std::string query;
    for (const auto& parameter : operations.at("get").at("parameters")) {
      if (parameter.at("name") == "target") {
        absl::StrAppend(&query, "&target=", base::PercentEncoded(kTarget));
      }
      if (parameter.at("name") == "branch") absl::StrAppend(&query, "&branch=main");
      if (parameter.at("name") == "with_executions") {
        absl::StrAppend(&query, "&with_executions=1");
      }
      if (parameter.at("name") == "function") absl::StrAppend(&query, "&function=_Z5parsei");
      if (parameter.at("name") == "by") absl::StrAppend(&query, "&by=run");
    }
    if (!query.empty()) address += "?" + query.substr(1);
    const httplib::Response answer = Get(address);
    // These need the images' symbols, and these runs have no symbols.
    const bool is_error = absl::StrContains(path, "/stacks") || absl::StrContains(path, "/listing");
    EXPECT_EQ(answer.status, is_error ? 400 : 200) << address << answer.body;
    const auto value = nlohmann::json::parse(answer.body, nullptr, false);
    ASSERT_FALSE(value.is_discarded()) << address;
    ExpectFits(value,
               operations.at("get")
                   .at("responses")
                   .at(is_error ? "default" : "200")
                   .at("content")
                   .at("application/json")
                   .at("schema"),
               api, address);
    ++answered;
  }
  EXPECT_GE(answered, 12u);
}

TEST_F(PageServerTest, SilentPeersDoNotKeepOthersOut) {
  PageServerOptions options;
  options.peers = 8;
  options.patience = absl::Hours(1);
  Start(options);
  std::vector<int> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(Peer(i % 2 == 0 ? "" : "GET / HTTP/1.1\r\nX-Slow:"));
  }
  EXPECT_EQ(Get("/login", {}).status, 200);
  for (const int fd : silent) close(fd);
}

TEST_F(PageServerTest, APageIsGivenUpWhenItsPeerLeaves) {
  const std::string run = TwoRuns();
  base::MemoryBudget budget(base::MemoryBudget::kSeatBytes, /*longest_wait=*/absl::Hours(1));
  base::DecodingCall all(budget, "somebody else", nullptr);
  ASSERT_TRUE(all.Take(base::MemoryBudget::kSeatBytes).ok());
  PageServerOptions options;
  options.decoding = &budget;
  options.patience = absl::Hours(1);
  options.threads = 2;  // one of them for each address
  Start(options);
  close(
      Peer(absl::StrCat("GET /p/acme/runs/", run, "/graph?target=", base::PercentEncoded(kTarget),
                        " HTTP/1.1\r\nHost: 127.0.0.1\r\n", "Authorization: ", kGood, "\r\n\r\n")));
  // It would wait for memory for an hour, and block other pages from this client.
  EXPECT_EQ(Get("/licences").status, 200);
}

TEST_F(PageServerTest, EndlessHeadersAndLongBodiesEnd) {
  Start();
  const int fd = Peer("GET / HTTP/1.1\r\n");
  const std::string line = "X-More: " + std::string(4000, 'x') + "\r\n";
  for (int i = 0; i < 100000; ++i) {
    if (send(fd, line.data(), line.size(), MSG_NOSIGNAL) < 0) break;
  }
  ReadAll(fd);
  const std::string head = "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  for (const auto& [header, status] : std::vector<std::pair<std::string, std::string>>{
           {"Content-Length: 8193", "413"},
           {"Content-Length: 99999999999999999", "413"},
           {"Transfer-Encoding: chunked", "411"},
           {"Content-Encoding: gzip\r\nContent-Length: 10", "415"}}) {
    const std::string answer = ReadAll(Peer(absl::StrCat(head, header, "\r\n\r\n")));
    EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 " + status) << header;
  }
  EXPECT_EQ(
      ReadAll(Peer("PUT / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")).substr(0, 12),
      "HTTP/1.1 405");
  EXPECT_EQ(Get("/login", {}).status, 200);
}

}  // namespace

}  // namespace gprofhub::server
