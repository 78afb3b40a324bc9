#include <httplib.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/http/http.h"
#include "reporter/forge/github.h"
#include "reporter/testing/fake_forge.h"

namespace gprofhub::reporter {

namespace {

constexpr char kRepository[] = "/repos/acme/db";
constexpr char kInstallationToken[] = "installation-token";
constexpr int64_t kWorkflowRun = 900;

// UTF-8 characters.
size_t CountCharacters(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

class FakeGitHub final : public FakeForge {
 public:
  explicit FakeGitHub(bool app) : app_(app) {
    AddAccounts();
    AddPullRequest();
    AddComments();
    AddChecks();
    AddIssues();
    AddActions();
    Start();
  }

  std::string LinkOf(const FakeJob&) const override {
    return absl::StrCat("https://github.example/acme/db/actions/runs/", kWorkflowRun);
  }

  std::unique_ptr<Forge> Client() override {
    GitHubOptions options;
    options.base_url = url();
    options.repository = "acme/db";
    if (app_) {
      options.credentials = GitHubApp{"12345", TestRsaKey()};
    } else {
      options.credentials = std::string("personal-token");
    }
    return MakeGitHub(options, base::MakeCurlClient({}), clock());
  }

 private:
  static constexpr IssueFields kIssueFields = {"number", "body"};

  // A route that requires the repository's token.
  void RouteWithToken(const std::string& method, const std::string& pattern, Handler handler) {
    Route(method, absl::StrCat(kRepository, pattern),
          [this, handler](const httplib::Request& request, httplib::Response& response) {
            const char* const token = app_ ? kInstallationToken : "personal-token";
            if (request.get_header_value("Authorization") != absl::StrCat("Bearer ", token)) {
              Answer(response, {{"message", "Bad credentials"}}, 401);
            } else if (const std::string needed = MissingPermission(request); !needed.empty()) {
              response.set_header("X-Accepted-GitHub-Permissions", needed);
              Answer(response, {{"message", "Resource not accessible by integration"}}, 403);
            } else {
              handler(request, response);
            }
          });
  }

  // "checks=write" if the App's token lacks it; empty if it suffices.
  std::string MissingPermission(const httplib::Request& request) const {
    static constexpr std::pair<const char*, const char*> kPermissions[] = {
        {"/actions/", "actions"},   {"/check-runs", "checks"},       {"/contents/", "contents"},
        {"/compare/", "contents"},  {"/pulls/", "pull_requests"},    {"/issues", "issues"},
        {"/statuses/", "statuses"}, {"/collaborators/", "metadata"}, {"/rules/", "metadata"}};
    if (!app_) return "";
    const std::string path = request.path.substr(sizeof(kRepository) - 1);
    for (const auto& [part, permission] : kPermissions) {
      if (!absl::StrContains(path, part)) continue;
      const std::string level = request.method == "GET" ? "read" : "write";
      const auto has = token_permissions_.find(permission);
      const bool suffices =
          has != token_permissions_.end() && (has->second == level || has->second == "write");
      return suffices ? "" : absl::StrCat(permission, "=", level);
    }
    return "";
  }

  // As GitHub: the whole request is refused for one permission or repository.
  void AnswerToken(const httplib::Request& request, httplib::Response& response) {
    const Json body = BodyOf(request);
    if (body.contains("repositories") && body["repositories"] != Json::array({"db"})) {
      return Answer(response, {{"message", "There is at least one repository that does not exist"}},
                    422);
    }
    std::map<std::string, std::string> asked = app_permissions;
    if (body.contains("permissions"))
      asked = body["permissions"].get<std::map<std::string, std::string>>();
    for (const auto& [name, level] : asked) {
      const auto has = app_permissions.find(name);
      if (has == app_permissions.end() || (level == "write" && has->second != "write")) {
        return Answer(
            response,
            {{"message", "The permissions requested are not granted to this installation."}}, 422);
      }
    }
    token_permissions_ = asked;
    const absl::Time end = clock().now() + absl::Hours(1);
    Answer(response,
           {{"token", kInstallationToken},
            {"expires_at", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", end, absl::UTCTimeZone())}},
           201);
  }

  void AddAccounts() {
    Route("GET", "/user", [](const httplib::Request&, httplib::Response& response) {
      Answer(response, {{"login", kSelf}});
    });
    const auto as_app = [](Handler handler) -> Handler {
      return [handler](const httplib::Request& request, httplib::Response& response) {
        const std::string header = request.get_header_value("Authorization");
        if (std::count(header.begin(), header.end(), '.') != 2) {
          Answer(response, {{"message", "A JSON web token could not be decoded"}}, 401);
        } else {
          handler(request, response);
        }
      };
    };
    Route("GET", "/app", as_app([](const httplib::Request&, httplib::Response& response) {
            Answer(response, {{"slug", "gprofhub"}});
          }));
    Route("GET", absl::StrCat(kRepository, "/installation"),
          as_app([this](const httplib::Request&, httplib::Response& response) {
            Answer(response, {{"id", 77}, {"permissions", app_permissions}});
          }));
    Route("POST", "/app/installations/77/access_tokens",
          as_app([this](const httplib::Request& request, httplib::Response& response) {
            AnswerToken(request, response);
          }));
    RouteWithToken("GET", R"(/collaborators/([^/]+)/permission)",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     const std::string user = request.matches[1];
                     const bool administers =
                         std::count(administrators.begin(), administrators.end(), user) > 0;
                     Answer(response, {{"permission", administers    ? "admin"
                                                      : Writes(user) ? "write"
                                                                     : "read"}});
                   });
    RouteWithToken("GET", "/rules/branches/(.+)",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     Json list = Json::array();
                     for (const std::string& type : rules[request.matches[1]]) {
                       list.push_back({{"type", type},
                                       {"ruleset_source_type", "Repository"},
                                       {"ruleset_source", "acme/db"},
                                       {"ruleset_id", 7}});
                     }
                     AnswerPage(request, response, list);
                   });
  }

  void AddPullRequest() {
    RouteWithToken("GET", "", [this](const httplib::Request&, httplib::Response& response) {
      Answer(response, {{"full_name", "acme/db"}, {"default_branch", default_branch}});
    });
    RouteWithToken(
        "GET", "/pulls/17", [this](const httplib::Request&, httplib::Response& response) {
          Answer(response, {{"state", open ? "open" : "closed"},
                            {"html_url", "https://github.example/acme/db/pull/17"},
                            {"head", {{"sha", head}, {"repo", {{"id", from_fork ? 2 : 1}}}}},
                            {"base",
                             {{"ref", target_branch},
                              {"repo", {{"id", 1}, {"default_branch", default_branch}}}}}});
        });
    RouteWithToken("GET", "/pulls/17/files",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     Json list = Json::array();
                     for (const auto& [path, patch] : patches) {
                       list.push_back({{"filename", path}, {"patch", patch}});
                     }
                     AnswerPage(request, response, list);
                   });
    RouteWithToken("GET", R"(/compare/([0-9a-f]+)\.\.\.(.+))",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     const auto on = IsOn(request.matches[1], request.matches[2]);
                     if (!on.has_value()) return Answer(response, {{"message", "Not Found"}}, 404);
                     Answer(response, {{"status", *on ? "ahead" : "diverged"}});
                   });
    RouteWithToken("GET", R"(/contents/(.+))",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     const std::string* const file =
                         FindFile(request.get_param_value("ref"), request.matches[1]);
                     if (file == nullptr) {
                       Answer(response, {{"message", "Not Found"}}, 404);
                     } else {
                       response.set_content(*file, "application/vnd.github.raw+json");
                     }
                   });
  }

  void AddComments() {
    const std::string self = app_ ? "gprofhub[bot]" : kSelf;
    const auto author = [self](const FakeComment& comment) {
      return comment.author == kSelf ? self : comment.author;
    };
    RouteWithToken("GET", "/issues/17/comments",
                   [this, author](const httplib::Request& request, httplib::Response& response) {
                     Json list = Json::array();
                     for (const FakeComment& comment : comments) {
                       list.push_back({{"id", comment.id},
                                       {"body", comment.body},
                                       {"user", {{"login", author(comment)}}}});
                     }
                     AnswerPage(request, response, list);
                   });
    RouteWithToken("POST", "/issues/17/comments",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     const std::string body = BodyOf(request).value("body", "");
                     if (body.empty() || body.size() > 65536) {
                       return Answer(response, {{"message", "body is too long"}}, 422);
                     }
                     Answer(response, {{"id", AddComment(kSelf, body).id}}, 201);
                   });
    RouteWithToken("PATCH", R"(/issues/comments/(\d+))",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     FakeComment* const comment = FindComment(request.matches[1]);
                     if (comment == nullptr) {
                       return Answer(response, {{"message", "Not Found"}}, 404);
                     }
                     comment->body = BodyOf(request).value("body", "");
                     Answer(response, {{"id", comment->id}});
                   });
    RouteWithToken("DELETE", R"(/issues/comments/(\d+))",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     const std::string id = request.matches[1];
                     const size_t erased =
                         std::erase_if(comments, [&id](const FakeComment& comment) {
                           return absl::StrCat(comment.id) == id;
                         });
                     response.status = erased == 1 ? 204 : 404;
                   });
  }

  void AddChecks() {
    RouteWithToken("POST", R"(/statuses/([0-9a-f]+))",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     Json status = BodyOf(request);
                     if (CountCharacters(status.value("description", "")) > 140) {
                       return Answer(response, {{"message", "description is too long"}}, 422);
                     }
                     status["sha"] = std::string(request.matches[1]);
                     checks.push_back(status);
                     Answer(response, status, 201);
                   });
    RouteWithToken("GET", R"(/commits/([0-9a-f]+)/check-runs)",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     Json list = Json::array();
                     for (const Json& run : checks) {
                       if (run.value("head_sha", "") == request.matches[1].str() &&
                           run.value("name", "") == request.get_param_value("check_name")) {
                         list.push_back(run);
                       }
                     }
                     AnswerPage(request, response, list, "check_runs");
                   });
    RouteWithToken("POST", "/check-runs",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     Json run = BodyOf(request);
                     run["id"] = next_id++;
                     run["annotations"] = Json::array();
                     if (!TakeOutput(run, run)) {
                       return Answer(response, {{"message", "Invalid request"}}, 422);
                     }
                     checks.push_back(run);
                     Answer(response, run, 201);
                   });
    RouteWithToken("PATCH", R"(/check-runs/(\d+))",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     for (Json& run : checks) {
                       if (absl::StrCat(run.value("id", 0)) != request.matches[1].str()) continue;
                       Json changes = BodyOf(request);
                       if (!TakeOutput(changes, run)) {
                         return Answer(response, {{"message", "Invalid request"}}, 422);
                       }
                       return Answer(response, run);
                     }
                     Answer(response, {{"message", "Not Found"}}, 404);
                   });
  }

  void AddIssues() {
    const std::string self = app_ ? "gprofhub[bot]" : kSelf;
    RouteWithToken(
        "GET", "/issues",
        [this, self](const httplib::Request& request, httplib::Response& response) {
          Json list = Json::array();
          // GitHub lists pull requests as issues, too.
          list.push_back({{"number", 17}, {"body", ""}, {"pull_request", Json::object()}});
          for (const FakeIssue& issue : issues) {
            if (issue.label != request.get_param_value("labels")) continue;
            if (!issue.open && request.get_param_value("state") != "all") continue;
            list.push_back({{"number", issue.number},
                            {"body", issue.body},
                            {"user", {{"login", issue.author == kSelf ? self : issue.author}}}});
          }
          AnswerPage(request, response, list);
        });
    RouteWithToken("POST", "/issues",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     const Json body = BodyOf(request);
                     const std::string title = body.value("title", "");
                     if (title.empty() || CountCharacters(title) > 256) {
                       return Answer(response, {{"message", "title is too long"}}, 422);
                     }
                     AnswerNewIssue(body, kIssueFields, body.at("labels").at(0), response);
                   });
    RouteWithToken("PATCH", R"(/issues/(\d+))",
                   [this](const httplib::Request& request, httplib::Response& response) {
                     const Json body = BodyOf(request);
                     AnswerEditedIssue(request, kIssueFields,
                                       body.contains("state")
                                           ? std::optional(body.at("state") == "open")
                                           : std::nullopt,
                                       response);
                   });
  }

  // All jobs belong to one workflow run.
  void AddActions() {
    RouteWithToken("GET", absl::StrCat("/actions/runs/", kWorkflowRun),
                   [this](const httplib::Request&, httplib::Response& response) {
                     const bool ended = std::all_of(jobs.begin(), jobs.end(),
                                                    [](const FakeJob& job) { return job.ended; });
                     Answer(response, {{"id", kWorkflowRun},
                                       {"head_sha", jobs.empty() ? "" : jobs.front().commit},
                                       {"status", ended ? "completed" : "in_progress"},
                                       {"html_url", LinkOf({})}});
                   });
    RouteWithToken("GET", absl::StrCat("/actions/runs/", kWorkflowRun, "/jobs"),
                   [this](const httplib::Request& request, httplib::Response& response) {
                     Json list = Json::array();
                     for (const FakeJob& job : jobs) {
                       list.push_back({{"id", job.id}, {"name", job.name}});
                     }
                     AnswerPage(request, response, list, "jobs");
                   });
    RouteWithToken(
        "POST", R"(/actions/jobs/(\d+)/rerun)",
        [this](const httplib::Request& request, httplib::Response& response) {
          FakeJob* const job = FindJob(request.matches[1]);
          if (job == nullptr) {
            return Answer(response, {{"message", "Not Found"}}, 404);
          }
          if (!job->ended) {
            return Answer(response, {{"message", "This workflow is already running"}}, 403);
          }
          ++job->starts;
          job->ended = false;
          Answer(response, Json::object(), 201);
        });
  }

  // Adds the annotations of `from` to `run`, within GitHub's limits.
  static bool TakeOutput(const Json& from, Json& run) {
    const Json& output = from.at("output");
    if (output.at("annotations").size() > 50) return false;
    if (output.at("summary").get<std::string>().size() > 65535) return false;
    const Json added = output.at("annotations");
    for (const Json& annotation : added) run["annotations"].push_back(annotation);
    run["output"]["annotations_count"] = run["annotations"].size();
    run["output"].erase("annotations");
    return true;
  }

  const bool app_;
  std::map<std::string, std::string> token_permissions_;
};

}  // namespace

std::unique_ptr<FakeForge> MakeFakeGitHub(bool app) { return std::make_unique<FakeGitHub>(app); }

}  // namespace gprofhub::reporter
