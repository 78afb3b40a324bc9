#include <httplib.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/http/curl_client.h"
#include "reporter/forge/gitlab.h"
#include "reporter/forge/testing/fake_forge.h"

namespace gprofhub::reporter {
namespace {

constexpr char kProject[] = "/api/v4/projects/acme/db";  // URL-decoded
constexpr int64_t kSelfId = 7;
constexpr int64_t kPipeline = 700;  // the pipeline of all jobs

// The id of a member is the length of the name.
int64_t IdOf(const std::string& user) {
  return user == FakeForge::kSelf ? kSelfId : static_cast<int64_t>(1000 + user.size());
}

class FakeGitLab final : public FakeForge {
 public:
  FakeGitLab() {
    Route("GET", "/api/v4/user", [](const httplib::Request& request, httplib::Response& response) {
      if (request.get_header_value("PRIVATE-TOKEN") != "project-token") {
        return Answer(response, {{"message", "401 Unauthorized"}}, 401);
      }
      Answer(response, {{"id", kSelfId}, {"username", kSelf}});
    });
    AddMergeRequest();
    AddNotes();
    AddStatuses();
    AddIssues();
    AddJobs();
    Start();
  }

  std::string LinkOf(const FakeJob& job) const override {
    return absl::StrCat("https://gitlab.example/acme/db/-/jobs/", job.id);
  }

  std::unique_ptr<Forge> Client() override {
    return MakeGitLab({absl::StrCat(url(), "/api/v4"), "acme/db", "project-token"},
                      base::MakeCurlClient({}), clock());
  }

 private:
  static constexpr IssueFields kIssueFields = {"iid", "description"};

  void AddIssues() {
    RouteProject("GET", "/issues",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   Json list = Json::array();
                   for (const FakeIssue& issue : issues) {
                     if (issue.label != request.get_param_value("labels")) continue;
                     list.push_back({{"iid", issue.number},
                                     {"description", issue.body},
                                     {"author", {{"id", IdOf(issue.author)}}}});
                   }
                   AnswerPage(request, response, list);
                 });
    RouteProject("POST", "/issues",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   const Json body = BodyOf(request);
                   AnswerNewIssue(body, kIssueFields, body.value("labels", ""), response);
                 });
    RouteProject("PUT", R"(/issues/(\d+))",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   const Json body = BodyOf(request);
                   AnswerEditedIssue(request, kIssueFields,
                                     body.contains("state_event")
                                         ? std::optional(body.at("state_event") == "reopen")
                                         : std::nullopt,
                                     response);
                 });
  }

  void AddJobs() {
    RouteProject("GET", R"(/jobs/(\d+))",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   const FakeJob* const job = FindJob(request.matches[1]);
                   if (job == nullptr) {
                     return Answer(response, {{"message", "404 Not found"}}, 404);
                   }
                   Answer(response, {{"id", job->id},
                                     {"name", job->name},
                                     {"ref", "refs/merge-requests/17/head"},
                                     {"pipeline", {{"id", kPipeline}}},
                                     {"commit", {{"id", job->commit}}}});
                 });
    RouteProject(
        "GET", absl::StrCat("/pipelines/", kPipeline, "/jobs"),
        [this](const httplib::Request& request, httplib::Response& response) {
          Json list = Json::array();
          for (const FakeJob& job : jobs) {
            if (job.starts > 0) continue;
            list.push_back(
                {{"id", job.id}, {"name", job.name}, {"status", job.ended ? "failed" : "running"}});
          }
          AnswerPage(request, response, list);
        });
    // Retrying creates another job.
    RouteProject(
        "POST", R"(/jobs/(\d+)/retry)",
        [this](const httplib::Request& request, httplib::Response& response) {
          FakeJob* const job = FindJob(request.matches[1]);
          if (job == nullptr || !job->ended) {
            return Answer(response, {{"message", "403 Forbidden - Job is not retryable"}}, 403);
          }
          ++job->starts;
          const FakeJob again = {next_id++, job->name, job->commit, false, 0};
          jobs.push_back(again);
          Answer(response, {{"id", again.id}, {"web_url", LinkOf(again)}}, 201);
        });
  }

  void RouteProject(const std::string& method, const std::string& pattern, Handler handler) {
    Route(method, absl::StrCat(kProject, pattern), std::move(handler));
  }

  void AddMergeRequest() {
    RouteProject(
        "GET", "/merge_requests/17", [this](const httplib::Request&, httplib::Response& response) {
          Answer(response, {{"state", open ? "opened" : "merged"},
                            {"sha", head},
                            {"source_project_id", from_fork ? 2 : 1},
                            {"target_project_id", 1},
                            {"target_branch", "main"},
                            {"web_url", "https://gitlab.example/acme/db/-/merge_requests/17"}});
        });
    RouteProject("GET", "/merge_requests/17/diffs",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   Json list = Json::array();
                   for (const auto& [path, patch] : patches) {
                     list.push_back({{"new_path", path}, {"diff", patch}});
                   }
                   AnswerPage(request, response, list);
                 });
    RouteProject("GET", "/repository/merge_base",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   const std::string commit = request.get_param_value("refs[]", 0);
                   const bool on =
                       request.get_param_value("refs[]", 1) == "main" &&
                       std::count(commits_on_main.begin(), commits_on_main.end(), commit) > 0;
                   Answer(response, {{"id", on ? commit : "0000"}});
                 });
    RouteProject("GET", R"(/repository/files/(.+)/raw)",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   const std::string* const file =
                       FindFile(request.get_param_value("ref"), request.matches[1]);
                   if (file == nullptr) {
                     return Answer(response, {{"message", "404 File Not Found"}}, 404);
                   }
                   response.set_content(*file, "text/plain");
                 });
    RouteProject("GET", R"(/members/all/(\d+))",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   for (const std::string& user : writers) {
                     if (absl::StrCat(IdOf(user)) == request.matches[1].str()) {
                       return Answer(response, {{"access_level", 30}});
                     }
                   }
                   Answer(response, {{"access_level", 20}});
                 });
  }

  void AddNotes() {
    RouteProject(
        "GET", "/merge_requests/17/notes",
        [this](const httplib::Request& request, httplib::Response& response) {
          Json list = Json::array();
          list.push_back({{"id", 900}, {"body", "changed the title"}, {"system", true}});
          for (const FakeComment& comment : comments) {
            list.push_back(
                {{"id", comment.id},
                 {"body", comment.body},
                 {"system", false},
                 {"author", {{"id", IdOf(comment.author)}, {"username", comment.author}}}});
          }
          AnswerPage(request, response, list);
        });
    RouteProject("POST", "/merge_requests/17/notes",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   const FakeComment& made = AddComment(kSelf, BodyOf(request).value("body", ""));
                   Answer(response, {{"id", made.id}}, 201);
                 });
    RouteProject("PUT", R"(/merge_requests/17/notes/(\d+))",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   FakeComment* const comment = FindComment(request.matches[1]);
                   if (comment == nullptr) {
                     return Answer(response, {{"message", "404 Not found"}}, 404);
                   }
                   comment->body = BodyOf(request).value("body", "");
                   Answer(response, {{"id", comment->id}});
                 });
    RouteProject("DELETE", R"(/merge_requests/17/notes/(\d+))",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   const std::string id = request.matches[1];
                   const size_t erased = std::erase_if(comments, [&id](const FakeComment& comment) {
                     return absl::StrCat(comment.id) == id;
                   });
                   response.status = erased == 1 ? 204 : 404;
                 });
  }

  void AddStatuses() {
    RouteProject("POST", R"(/statuses/([0-9a-f]+))",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   Json status = BodyOf(request);
                   status["sha"] = std::string(request.matches[1]);
                   for (const Json& known : checks) {
                     if (known["sha"] == status["sha"] && known["state"] == status["state"]) {
                       return Answer(
                           response,
                           {{"message", "Cannot transition status via :drop from :failed"}}, 400);
                     }
                   }
                   checks.push_back(status);
                   Answer(response, status, 201);
                 });
  }
};

}  // namespace

std::unique_ptr<FakeForge> MakeFakeGitLab() { return std::make_unique<FakeGitLab>(); }

}  // namespace gprofhub::reporter
