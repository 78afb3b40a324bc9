#include "reporter/testing/fake_forge.h"

#include <httplib.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/http/http.h"
#include "reporter/forge/gerrit.h"
#include "reporter/forge/gitlab.h"

namespace gprofhub::reporter {

FakeForge::FakeForge() : server_(std::make_unique<httplib::Server>()) {}

FakeForge::~FakeForge() {
  server_->stop();
  if (thread_.joinable()) thread_.join();
}

void FakeForge::Start() {
  port_ = server_->bind_to_any_port("127.0.0.1");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
}

std::string FakeForge::url() const { return absl::StrCat("http://127.0.0.1:", port_); }

ForgeClock FakeForge::clock() {
  return {[this] { return now_; },
          [this](absl::Duration duration) {
            slept.push_back(duration);
            now_ += duration;
          }};
}

FakeComment& FakeForge::AddComment(const std::string& author, const std::string& body) {
  comments.push_back({next_id++, author, body, ""});
  return comments.back();
}

void FakeForge::Route(const std::string& method, const std::string& pattern, Handler handler) {
  const auto wrapped = [this, handler = std::move(handler)](const httplib::Request& request,
                                                            httplib::Response& response) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string name = absl::StrCat(request.method, " ", request.path);
    requests.push_back(name);
    const Trouble trouble = hook ? hook(name) : Trouble();
    if (trouble.status == 0 || trouble.after) handler(request, response);
    if (trouble.status == 0) return;
    response.status = trouble.status;
    response.body = Json{{"message", trouble.message}}.dump();
    for (const auto& [header, value] : trouble.headers) response.set_header(header.c_str(), value);
  };
  if (method == "GET") server_->Get(pattern, wrapped);
  if (method == "POST") server_->Post(pattern, wrapped);
  if (method == "PUT") server_->Put(pattern, wrapped);
  if (method == "PATCH") server_->Patch(pattern, wrapped);
  if (method == "DELETE") server_->Delete(pattern, wrapped);
}

void FakeForge::AnswerPage(const httplib::Request& request, httplib::Response& response,
                           const Json& list, const std::string& field) {
  const size_t page =
      request.has_param("page") ? std::stoul(request.get_param_value("page")) : size_t{1};
  Json part = Json::array();
  for (size_t i = (page - 1) * page_size; i < list.size() && i < page * page_size; ++i) {
    part.push_back(list[i]);
  }
  if (page * page_size < list.size()) {
    std::string target = absl::StrCat(url(), request.path, "?");
    for (const auto& [name, value] : request.params) {
      if (name != "page") absl::StrAppend(&target, name, "=", value, "&");
    }
    response.set_header("Link", absl::StrCat("<", url(), "/first>; rel=\"first\", <", target,
                                             "page=", page + 1, ">; rel=\"next\""));
  }
  Answer(response, field.empty() ? part : Json{{field, part}});
}

void FakeForge::Answer(httplib::Response& response, const Json& body, int status) {
  response.status = status;
  response.set_content(body.dump(), "application/json");
}

nlohmann::json FakeForge::BodyOf(const httplib::Request& request) {
  const Json body = Json::parse(request.body, nullptr, false);
  return body.is_discarded() ? Json() : body;
}

const std::string* FakeForge::FindFile(const std::string& revision, const std::string& path) const {
  const auto at = files_at.find(revision);
  if (revision != "main" && at == files_at.end()) return nullptr;
  const std::map<std::string, std::string>& there = revision == "main" ? files : at->second;
  const auto file = there.find(path);
  return file == there.end() ? nullptr : &file->second;
}

bool FakeForge::Writes(const std::string& user) const {
  return std::find(writers.begin(), writers.end(), user) != writers.end();
}

std::optional<bool> FakeForge::IsOn(const std::string& commit, const std::string& branch) const {
  const auto queue = queues.find(branch);
  if (branch != "main" && queue == queues.end()) return std::nullopt;
  const std::vector<std::string>& commits = branch == "main" ? commits_on_main : queue->second;
  return std::find(commits.begin(), commits.end(), commit) != commits.end();
}

FakeComment* FakeForge::FindComment(const std::string& id) {
  for (FakeComment& comment : comments) {
    if (absl::StrCat(comment.id) == id) return &comment;
  }
  return nullptr;
}

FakeJob& FakeForge::AddJob(const std::string& name) {
  jobs.push_back({next_id++, name, head, true, 0});
  return jobs.back();
}

FakeJob* FakeForge::FindJob(const std::string& id) {
  for (FakeJob& job : jobs) {
    if (absl::StrCat(job.id) == id) return &job;
  }
  return nullptr;
}

void FakeForge::AnswerNewIssue(const Json& body, const IssueFields& fields,
                               const std::string& label, httplib::Response& response) {
  FakeIssue issue;
  issue.number = next_id++;
  issue.author = kSelf;
  issue.title = body.value("title", "");
  issue.body = body.value(fields.body, "");
  issue.label = label;
  issues.push_back(issue);
  Answer(response, {{fields.number, issue.number}}, 201);
}

void FakeForge::AnswerEditedIssue(const httplib::Request& request, const IssueFields& fields,
                                  std::optional<bool> open, httplib::Response& response) {
  for (FakeIssue& issue : issues) {
    if (absl::StrCat(issue.number) != request.matches[1].str()) continue;
    const Json body = BodyOf(request);
    ++issue.edits;
    issue.title = body.value("title", issue.title);
    issue.body = body.value(fields.body, issue.body);
    issue.open = open.value_or(issue.open);
    return Answer(response, {{fields.number, issue.number}});
  }
  Answer(response, {{"message", "404 Not found"}}, 404);
}

absl::StatusOr<std::vector<Comment>> CommentsAt(Forge& forge, const PullRequest& pull_request) {
  std::vector<Comment> comments;
  const absl::Status visited = forge.VisitComments(
      pull_request, [&comments](Comment comment) { comments.push_back(std::move(comment)); });
  if (!visited.ok()) return visited;
  return comments;
}

std::string TestRsaKey() {
  static const std::string* const key = [] {
    EVP_PKEY* const made = EVP_RSA_gen(2048);
    BIO* const file = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(file, made, nullptr, nullptr, 0, nullptr, nullptr);
    char* text = nullptr;
    const long length = BIO_get_mem_data(file, &text);
    auto* const pem = new std::string(text, static_cast<size_t>(length));
    BIO_free(file);
    EVP_PKEY_free(made);
    return pem;
  }();
  return *key;
}

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
            const Json votes = review.value("labels", Json::object());
            for (const auto& [label, vote] : votes.items()) {
              if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
                response.status = 400;
                response.body = absl::StrCat("label \"", label, "\" is not a configured label");
                return;
              }
            }
            const Json remarks = review.value("comments", Json::object());
            for (const auto& [file, list] : remarks.items()) {
              if (std::count(foreign_files.begin(), foreign_files.end(), file) > 0) {
                response.status = 400;
                response.body = absl::StrCat("file ", file, " not found in revision 17,1");
                return;
              }
            }
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
    Route("GET", "/a/projects/acme/db/HEAD",
          [this](const httplib::Request&, httplib::Response& response) {
            Guarded(response, absl::StrCat("refs/heads/", default_branch));
          });
    Route("GET", R"(/a/projects/acme/db/commits/([0-9a-f]+)/in)",
          [this](const httplib::Request& request, httplib::Response& response) {
            Json branches = {"topic"};
            if (*IsOn(request.matches[1], "main")) branches.push_back("main");
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

namespace {

constexpr char kProject[] = "/api/v4/projects/acme/db";  // URL-decoded
constexpr int64_t kPipeline = 700;                       // the pipeline of all jobs

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
    RouteProject("GET", "", [this](const httplib::Request&, httplib::Response& response) {
      Answer(response, {{"path_with_namespace", "acme/db"}, {"default_branch", default_branch}});
    });
    RouteProject(
        "GET", "/merge_requests/17", [this](const httplib::Request&, httplib::Response& response) {
          Answer(response, {{"state", open ? "opened" : "merged"},
                            {"sha", head},
                            {"source_project_id", from_fork ? 2 : 1},
                            {"target_project_id", 1},
                            {"target_branch", target_branch},
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
                   const auto on = IsOn(commit, request.get_param_value("refs[]", 1));
                   if (!on.has_value()) return Answer(response, {{"message", "404"}}, 404);
                   Answer(response, {{"id", *on ? commit : "0000"}});
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
    AddRights();
  }

  void AddRights() {
    const auto member = [this](const std::string& place) {
      return [this, place](const httplib::Request& request, httplib::Response& response) {
        const std::string id = request.matches[1].str();
        const auto known = members.find(absl::StrCat(place, id));
        if (known != members.end()) return Answer(response, known->second);
        for (const std::string& user : writers) {
          if (place.empty() && absl::StrCat(IdOf(user)) == id) {
            return Answer(response, {{"state", "active"}, {"access_level", 30}});
          }
        }
        Answer(response, {{"message", "404 Not found"}}, 404);
      };
    };
    RouteProject("GET", R"(/members/all/(\d+))", member(""));
    Route("GET", R"(/api/v4/groups/5/members/(\d+))", member("5/"));
    RouteProject(
        "GET", "/repository/branches/(.+)",
        [this](const httplib::Request& request, httplib::Response& response) {
          if (request.matches[1].str() != target_branch) {
            return Answer(response, {{"message", "404 Branch Not Found"}}, 404);
          }
          Answer(response, {{"name", target_branch}, {"protected", !protected_branches.empty()}});
        });
    RouteProject("GET", "/protected_branches",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   AnswerPage(request, response, protected_branches);
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
