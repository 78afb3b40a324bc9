#include <httplib.h>

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/http/curl_client.h"
#include "reporter/forge/gerrit.h"
#include "reporter/forge/testing/fake_forge.h"

namespace gprofhub::reporter {
namespace {

constexpr char kChange[] = "/a/changes/acme/db~17";  // URL-decoded
constexpr int64_t kSelfId = 7;

int64_t IdOf(const std::string& user) {
  return user == FakeForge::kSelf ? kSelfId : static_cast<int64_t>(1000 + user.size());
}

class FakeGerrit final : public FakeForge {
 public:
  FakeGerrit() {
    Route("GET", "/a/accounts/self",
          [](const httplib::Request& request, httplib::Response& response) {
            if (request.get_header_value("Authorization") !=
                absl::StrCat("Basic ", absl::Base64Escape("gprofhub:secret"))) {
              response.status = 401;
              return;
            }
            Guarded(response, {{"_account_id", kSelfId}});
          });
    AddChange();
    AddReviews();
    AddProject();
    Start();
  }

  std::string LinkOf(const FakeJob&) const override { return ""; }

  std::unique_ptr<Forge> Client() override {
    return MakeGerrit({url(), "acme/db", "gprofhub", "secret", "Performance"},
                      base::MakeCurlClient({}), clock());
  }

 private:
  // All JSON has Gerrit's XSSI prefix.
  static void Guarded(httplib::Response& response, const Json& body) {
    response.set_content(absl::StrCat(")]}'\n", body.dump()), "application/json");
  }

  void AddChange() {
    Route("GET", kChange, [this](const httplib::Request&, httplib::Response& response) {
      Guarded(
          response,
          {{"status", open ? "NEW" : "MERGED"}, {"current_revision", head}, {"branch", "main"}});
    });
    Route("GET", absl::StrCat(kChange, "/messages"),
          [this](const httplib::Request&, httplib::Response& response) {
            Json list = Json::array();
            for (const FakeComment& comment : comments) {
              list.push_back(
                  {{"id", absl::StrCat("m", comment.id)},
                   {"message", absl::StrCat("Patch Set 1: Performance-1\n\n", comment.body)},
                   {"tag", comment.tag},
                   {"author",
                    {{"_account_id", IdOf(comment.author)}, {"username", comment.author}}}});
            }
            Guarded(response, list);
          });
    Route("GET", absl::StrCat(kChange, R"(/revisions/([0-9a-f]+)/patch)"),
          [this](const httplib::Request&, httplib::Response& response) {
            std::string diff = "From 2222222 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] topic\n\n";
            for (const auto& [path, patch] : patches) {
              absl::StrAppend(&diff, "diff --git a/", path, " b/", path, "\n--- a/", path,
                              "\n+++ b/", path, "\n", patch, "\n");
            }
            response.set_content(absl::Base64Escape(diff), "text/plain");
          });
  }

  void AddReviews() {
    Route("POST", absl::StrCat(kChange, R"(/revisions/([0-9a-f]+)/review)"),
          [this](const httplib::Request& request, httplib::Response& response) {
            const Json review = BodyOf(request);
            FakeComment& made = AddComment(kSelf, review.value("message", ""));
            made.tag = review.value("tag", "");
            if (review.contains("labels") || review.contains("comments")) {
              checks.push_back(review);
              checks.back()["sha"] = request.matches[1].str();
            }
            Guarded(response, Json::object());
          });
  }

  void AddProject() {
    Route("GET", R"(/a/projects/acme/db/commits/([0-9a-f]+)/in)",
          [this](const httplib::Request& request, httplib::Response& response) {
            const bool on = std::count(commits_on_main.begin(), commits_on_main.end(),
                                       std::string(request.matches[1])) > 0;
            Json branches = {"topic"};
            if (on) branches.push_back("main");
            Guarded(response, {{"branches", branches}});
          });
    const auto content = [this](const httplib::Request& request, httplib::Response& response) {
      const std::string* const file = FindFile(request.matches[1], request.matches[2]);
      if (file == nullptr) {
        response.status = 404;
      } else {
        response.set_content(absl::Base64Escape(*file), "text/plain");
      }
    };
    // Separate routes for branches and commits: a commit is not a branch.
    Route("GET", R"(/a/projects/acme/db/branches/(main)/files/(.+)/content)", content);
    Route("GET", R"(/a/projects/acme/db/commits/([0-9a-f]{40})/files/(.+)/content)", content);
    Route("GET", "/a/projects/acme/db/check.access",
          [this](const httplib::Request& request, httplib::Response& response) {
            for (const std::string& user : writers) {
              if (absl::StrCat(IdOf(user)) == request.get_param_value("account")) {
                return Guarded(response, {{"status", 200}});
              }
            }
            Guarded(response, {{"status", 403}});
          });
  }
};

}  // namespace

std::unique_ptr<FakeForge> MakeFakeGerrit() { return std::make_unique<FakeGerrit>(); }

}  // namespace gprofhub::reporter
