// Pages of Bazel's invocations in a browser: while they run, at their end, and who may see them.
#include <gtest/gtest.h>
#include <httplib.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "collector/access/authorizer.h"
#include "reporter/testing/stored_runs.h"
#include "server/http/page_server.h"

namespace gprofhub::server {

namespace {

using absl::StrContains;
using reporter::kNow;
using reporter::kProject;
using reporter::kTarget;

constexpr char kId[] = "24655241-a967-4e47-9b92-65e6b453d655";

// The token is a project's name, and may read the project.
absl::StatusOr<collector::Caller> TokenOfAProject(const collector::CallOrigin& call) {
  absl::string_view project = call.authorization;
  if (!absl::ConsumePrefix(&project, "Bearer ")) return absl::UnauthenticatedError("a token");
  collector::Caller caller;
  caller.project = std::string(project);
  caller.scopes = collector::Scopes().With(collector::Scope::kRead);
  return caller;
}

class InvocationPagesTest : public reporter::StoredRunsTest {
 protected:
  InvocationPagesTest() {
    PageServerOptions options;
    options.listen = {"127.0.0.1", 0};
    collector::Access access;
    access.authenticate = TokenOfAProject;
    auto server = PageServer::Start(
        options, {{store_.reading, store_.blobs, store_.gate, store_.invocations}, {}},
        std::move(access));
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_->address().port);
    client_->set_read_timeout(300);
  }

  // A running invocation; returns its number.
  int64_t Begin(const std::string& project = kProject) {
    store::InvocationRecord record;
    record.project = project;
    record.invocation_id = kId;
    record.first_event = "event 1";
    record.started = kNow;
    const auto opened = store_.invocations.Open(record, "", 10, kNow);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? opened->id : 0;
  }
  void PutTarget(int64_t id, const std::string& label, const std::string& status,
                 const std::string& note = "", const std::string& log_end = "") {
    store::InvocationTarget target;
    target.label = label;
    target.status = status;
    target.attempts = status.empty() ? 0 : 1;
    target.note = note;
    target.log_end = log_end;
    EXPECT_TRUE(store_.invocations.PutTargets(id, {target}).ok());
  }
  // Its run, analysed.
  int64_t MakeRun(int64_t id) {
    const int64_t run = Upload('a');
    EXPECT_TRUE(store_.invocations.SetRun(id, run).ok());
    return run;
  }
  void Finish(int64_t id) {
    EXPECT_TRUE(
        store_.invocations.Finish(id, store::InvocationState::kEnded, kNow + absl::Minutes(1))
            .ok());
  }

  httplib::Response Get(const std::string& path, const std::string& project = kProject) {
    httplib::Headers headers;
    if (!project.empty()) headers = {{"Authorization", "Bearer " + project}};
    const auto result = client_->Get(path.c_str(), headers);
    EXPECT_TRUE(result) << path;
    return result ? *result : httplib::Response();
  }
  // Where Bazel's link leads to; empty: nowhere.
  std::string Link(const std::string& project = kProject) {
    return Get(absl::StrCat("/invocations/", kId), project).get_header_value("Location");
  }

  std::unique_ptr<PageServer> server_;
  std::unique_ptr<httplib::Client> client_;
};

TEST_F(InvocationPagesTest, WhileItRunsTestsAreShownAsTheyEnd) {
  const int64_t id = Begin();
  PutTarget(id, "//db:slow_test", "");
  PutTarget(id, kTarget, "PASSED");
  PutTarget(id, "//db:bad_test", "FAILED", "it left no profile");
  const std::string page = Link();
  EXPECT_EQ(page, absl::StrCat("/p/acme/invocations/", kId));
  const httplib::Response shown = Get(page);
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.get_header_value("Refresh"), "3");
  for (const char* words : {"… running", "2 of 3", "//db:slow_test", "… not yet", "✓ passed",
                            "✗ failed", "it left no profile"}) {
    EXPECT_TRUE(StrContains(shown.body, words)) << words << "\n" << shown.body;
  }
}

TEST_F(InvocationPagesTest, AtItsEndTheLinkLeadsToTheComparison) {
  const int64_t id = Begin();
  PutTarget(id, kTarget, "PASSED");
  const int64_t run = MakeRun(id);
  Finish(id);
  EXPECT_TRUE(StrContains(Link(), "/invocations/")) << "its run is not analysed yet";
  EXPECT_EQ(Get(Link()).get_header_value("Refresh"), "3");
  Analyze(reporter::Profile(1000));
  EXPECT_EQ(Link(), absl::StrCat("/p/acme/compare/", run));
  const httplib::Response page = Get(absl::StrCat("/p/acme/invocations/", kId));
  EXPECT_EQ(page.get_header_value("Refresh"), "");
  EXPECT_TRUE(StrContains(page.body, absl::StrCat("href=\"/p/acme/compare/", run, "\"")));
  EXPECT_TRUE(StrContains(page.body, "✓ analysed"));
}

TEST_F(InvocationPagesTest, WhatWasLeftOutIsSaidBeforeTheComparison) {
  const int64_t id = Begin();
  PutTarget(id, kTarget, "PASSED", "outputs.zip was not handed over");
  MakeRun(id);
  Analyze(reporter::Profile(1000));
  Finish(id);
  EXPECT_TRUE(StrContains(Link(), "/p/acme/invocations/"));
}

TEST_F(InvocationPagesTest, WhatAFailingTestSaidLastIsSaidBeforeTheComparison) {
  const int64_t id = Begin();
  PutTarget(id, kTarget, "FAILED", "", "expected 3,\nis 4\n\x1b[2J\u202e");
  MakeRun(id);
  Analyze(reporter::Profile(1000));
  Finish(id);
  EXPECT_TRUE(StrContains(Link(), "/p/acme/invocations/"));
  const httplib::Response page = Get(Link());
  EXPECT_TRUE(StrContains(page.body, "expected 3,\nis 4\n")) << page.body;
  EXPECT_FALSE(StrContains(page.body, "\x1b")) << "no terminal's commands";
  EXPECT_FALSE(StrContains(page.body, "\u202e")) << "no other direction of writing";
}

TEST_F(InvocationPagesTest, TheRunLeadsToTheLogAndBothSayAttemptsAndTime) {
  const int64_t id = Begin();
  const int64_t run = Upload({.attempt = 1, .status = "FAILED", .duration_ms = 1500});
  Upload({.attempt = 2, .duration_ms = 500});
  EXPECT_TRUE(store_.invocations.SetRun(id, run).ok());
  PutTarget(id, kTarget, "FLAKY", "", "expected 3, is 4");
  const std::string invocation = absl::StrCat("/p/acme/invocations/", kId);
  const std::string run_page = Get(absl::StrCat("/p/acme/runs/", run)).body;
  const std::string link = absl::StrCat("href=\"", invocation, "#");
  const size_t at = run_page.find(link);
  ASSERT_NE(at, std::string::npos) << run_page;
  const size_t from = at + link.size();
  const std::string place = run_page.substr(from, run_page.find('"', from) - from);
  const std::string page = Get(invocation).body;
  EXPECT_TRUE(StrContains(page, absl::StrCat("id=\"", place, "\""))) << page;
  EXPECT_TRUE(StrContains(page, absl::StrCat("href=\"#", place, "\""))) << page;
  for (const std::string& shown : {run_page, page}) {
    for (const char* words : {"~ flaky", "<summary>2</summary>", "attempt 1", "✗ failed", "2 s"}) {
      EXPECT_TRUE(StrContains(shown, words)) << words << "\n" << shown;
    }
  }
}

TEST_F(InvocationPagesTest, CommandLineAndTimesAreShownAndTheRunLeadsThere) {
  const int64_t id = Begin();
  const int64_t run = MakeRun(id);
  EXPECT_TRUE(store_.invocations.SetCommandLine(id, "bazel test //db/... <b>").ok());
  store::InvocationTarget target;
  target.label = kTarget;
  target.status = "PASSED";
  target.started = kNow + absl::Seconds(15);
  target.ended = kNow + absl::Seconds(45);
  target.duration_ms = 29'500;
  EXPECT_TRUE(store_.invocations.PutTargets(id, {target}).ok());
  Finish(id);
  const std::string place = absl::StrCat("/p/acme/invocations/", kId);
  const std::string page = Get(place).body;
  for (const char* words : {"bazel test //db/... &lt;b&gt;", "<dt>Duration</dt><dd>1m</dd>",
                            "29.5 s", "<rect x=\"25\" width=\"50\""}) {
    EXPECT_TRUE(StrContains(page, words)) << words << "\n" << page;
  }
  EXPECT_TRUE(StrContains(Get("/p/acme/invocations").body, "bazel test //db/... &lt;b&gt;"));
  const std::string run_page = Get(absl::StrCat("/p/acme/runs/", run)).body;
  EXPECT_TRUE(StrContains(run_page, absl::StrCat("href=\"", place, "\""))) << run_page;
}

TEST_F(InvocationPagesTest, OfManyProjectsOnlyTheReadableAreShown) {
  Begin();
  Begin("secret");
  EXPECT_EQ(Link(), absl::StrCat("/p/acme/invocations/", kId));
  EXPECT_EQ(Link("secret"), absl::StrCat("/p/secret/invocations/", kId));
  EXPECT_EQ(Get(absl::StrCat("/invocations/", kId), "other").status, 404);
  EXPECT_EQ(Get(absl::StrCat("/p/secret/invocations/", kId)).status, 403);
  EXPECT_EQ(Link(""), absl::StrCat("/login?next=/invocations/", kId));
  EXPECT_EQ(Get("/invocations/none").status, 404);
  EXPECT_EQ(Get("/p/acme/invocations/none").status, 404);
}

TEST_F(InvocationPagesTest, TheNewestOfAProjectAreListed) {
  Begin();
  Begin("secret");
  const httplib::Response page = Get("/p/acme/invocations");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(StrContains(page.body, absl::StrCat("href=\"/p/acme/invocations/", kId, "\"")));
  EXPECT_FALSE(StrContains(page.body, "secret"));
}

TEST_F(InvocationPagesTest, HostileWordsOpenNoElement) {
  const int64_t id = Begin();
  PutTarget(id, "//db:<script>alert(1)</script>", "<i class=x>", "<img src=x onerror=alert(1)>",
            "</pre><script>alert(2)</script>");
  const httplib::Response page = Get(absl::StrCat("/p/acme/invocations/", kId));
  EXPECT_FALSE(StrContains(page.body, "<script>alert"));
  EXPECT_FALSE(StrContains(page.body, "<img src=x"));
  EXPECT_FALSE(StrContains(page.body, "<i class=x>"));
  EXPECT_FALSE(StrContains(page.body, "</pre><script"));
}

}  // namespace

}  // namespace gprofhub::server
