// Each link of the pages of a comparison with findings of every kind leads to a page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <spdlog/spdlog.h>

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/http/percent_coding.h"
#include "base/memory_budget.h"
#include "collector/access/authorizer.h"
#include "proto/findings.pb.h"
#include "reporter/findings/findings.h"
#include "reporter/queries/compare_runs.h"
#include "server/http/page_server.h"
#include "store/open_store.h"
#include "store/testing/temp_store.h"
#include "tests/page/made_store.h"

namespace gprofhub::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<collector::Caller> Anybody(const collector::CallOrigin& call) {
  collector::Caller caller;
  caller.anonymous = true;
  caller.scopes = collector::Scopes::All();
  caller.actor = {"", call.peer, 0};
  return caller;
}

class LinksTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    spdlog::set_level(spdlog::level::warn);
    folder_ = new std::string(store::MakeTempDir());
    const absl::Status made = tests::MakeKindsStore(*folder_);
    ASSERT_TRUE(made.ok()) << made;
  }

  LinksTest() : store_(*store::OpenStore(*folder_, store::OpenMode::kExisting)) {
    PageServerOptions options;
    options.listen = {"127.0.0.1", 0};
    options.decoding = &decoding_;
    collector::Access access;
    access.authenticate = Anybody;
    auto server = PageServer::Start(
        options, {{store_.reading, store_.blobs, store_.gate, store_.invocations}, {}}, access);
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

  v1::Report Report() const {
    v1::CompareRequest request;
    request.set_project(tests::kKindsProject);
    request.set_head("latest");
    absl::StatusOr<v1::Report> report =
        reporter::CompareRuns(store_.reading, store_.blobs, request, nullptr);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *std::move(report) : v1::Report();
  }

  // The page of the first finding of this function in this test.
  std::string FindingPage(const std::string& test, const std::string& function) {
    const v1::Report report = Report();
    for (const v1::Finding& finding : report.findings()) {
      if (finding.target() != test || finding.function() != function) continue;
      return Get(absl::StrCat(kProjectPath, "/compare/latest/", reporter::FindingId(finding))).body;
    }
    ADD_FAILURE() << test << ": " << function;
    return "";
  }

  const std::string kProjectPath = absl::StrCat("/p/", base::PercentEncoded(tests::kKindsProject));

  static const std::string* folder_;
  const store::Store store_;
  base::MemoryBudget decoding_{uint64_t{768} << 20};
  std::unique_ptr<PageServer> server_;
  std::unique_ptr<httplib::Client> client_;
};
const std::string* LinksTest::folder_ = nullptr;

// The paths of this server that the page links to, without fragments.
std::set<std::string> LinksIn(const std::string& page) {
  std::set<std::string> links;
  for (const std::string before : {"href=\"/", "src=\"/"}) {
    for (size_t at = page.find(before); at != std::string::npos; at = page.find(before, at)) {
      at += before.size() - 1;
      const std::string link =
          absl::StrReplaceAll(page.substr(at, page.find('"', at) - at), {{"&amp;", "&"}});
      links.insert(link.substr(0, link.find('#')));
    }
  }
  return links;
}

TEST_F(LinksTest, TheStoreHasEveryKindOfFinding) {
  using reporter::FindingKind;
  const v1::Report report = Report();
  const std::vector<FindingKind> kinds = reporter::FindingKinds(report);
  std::set<FindingKind> seen(kinds.begin(), kinds.end());
  // Not kTotalTime: a total time leads only if it was measured, which needs call stacks.
  EXPECT_THAT(seen, testing::IsSupersetOf({FindingKind::kCause, FindingKind::kFollower,
                                           FindingKind::kMinor, FindingKind::kShifted,
                                           FindingKind::kFolded, FindingKind::kCannotTell,
                                           FindingKind::kEquivalent, FindingKind::kChance}));
  bool has_toolchain = false, has_rewrite = false, has_total = false;
  std::set<v1::Finding::Verdict> verdicts;
  for (const v1::Finding& finding : report.findings()) {
    has_toolchain |= finding.has_toolchain();
    has_rewrite |= finding.has_rewrite();
    has_total |= finding.metric() == v1::Finding::TOTAL_TIME && reporter::Changed(finding);
    verdicts.insert(finding.verdict());
  }
  EXPECT_TRUE(has_toolchain);
  EXPECT_TRUE(has_rewrite);
  EXPECT_TRUE(has_total);
  EXPECT_EQ(verdicts.size(), static_cast<size_t>(v1::Finding::CANNOT_TELL)) << "all of them";
}

TEST_F(LinksTest, EachLeadsToAPageWithoutEmptyParts) {
  std::deque<std::pair<std::string, std::string>> waiting = {{"/", "start"}};
  std::set<std::string> seen = {"/"};
  size_t findings = 0;
  while (!waiting.empty()) {
    const auto [path, from] = waiting.front();
    waiting.pop_front();
    const httplib::Response page = Get(path);
    EXPECT_LT(page.status, 400) << path << "\nfrom " << from;
    if (!absl::StartsWith(page.get_header_value("Content-Type"), "text/html")) continue;
    if (absl::StartsWith(path, "/assets/")) continue;
    for (const char* empty : {"<tbody></tbody>", "<ul></ul>", "<ol></ol>", "</h2><h2>",
                              "</h2></main>", "</h2></section>", "</h3></main>"}) {
      EXPECT_THAT(page.body, Not(HasSubstr(empty))) << path << "\nfrom " << from;
    }
    if (absl::StrContains(path, "/graph?") && absl::StrContains(path, "function=")) {
      EXPECT_THAT(page.body, HasSubstr("class=\"middle\"")) << path << "\nfrom " << from;
    }
    if (absl::StrContains(path, "/compare/")) ++findings;
    for (const std::string& link : LinksIn(page.body)) {
      if (seen.insert(link).second) waiting.emplace_back(link, path);
    }
  }
  EXPECT_GT(findings, 30u);
  EXPECT_GT(seen.size(), 200u);
}

TEST_F(LinksTest, AFunctionThatTheCompilerClonedHasItsCallersAndCallees) {
  const std::string page = FindingPage("//kinds:clones_test", "Append");
  EXPECT_THAT(page, HasSubstr("<h2>Callers and callees</h2>"));
  EXPECT_THAT(page, HasSubstr("ToJson"));
  EXPECT_THAT(page, HasSubstr("function=Append.constprop.0"));
}

TEST_F(LinksTest, AFunctionThatIsGoneIsShownInTheBaseRun) {
  const std::string page = FindingPage("//kinds:moved_test", "Vanished");
  EXPECT_THAT(page, HasSubstr("/runs/1/graph?target=%2F%2Fkinds%3Amoved_test&amp;function="
                              "Vanished\" class=\"button\">Call graph of the base run</a>"));
}

TEST_F(LinksTest, ARewriteListsItsFunctions) {
  const v1::Report report = Report();
  for (const v1::Finding& finding : report.findings()) {
    if (!finding.has_rewrite()) continue;
    const std::string page =
        Get(absl::StrCat(kProjectPath, "/compare/latest/", reporter::FindingId(finding))).body;
    EXPECT_THAT(page, HasSubstr("<h2>Functions of json*</h2>"));
    for (const char* name : {"jsonParseText<", "jsonFreeAll", "jsonBlobAppend", "jsonEdit"}) {
      EXPECT_THAT(page, HasSubstr(name));
    }
    EXPECT_THAT(page, HasSubstr("On both sides: 1 function."));
    EXPECT_THAT(page, Not(HasSubstr("Callers and callees")));
  }
}

}  // namespace
}  // namespace gprofhub::server
