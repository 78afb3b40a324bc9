// Fake forges over HTTP on loopback. They respond and paginate like the real ones, record what was
// posted, and inject faults on request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/rest.h"

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace gprofhub::reporter {

struct FakeComment {
  int64_t id = 0;
  std::string author;
  std::string body;
  std::string tag;  // Gerrit's
};

struct FakeIssue {
  int64_t number = 0;
  std::string author;
  std::string title;
  std::string body;
  bool open = true;
  std::string label;
  int edits = 0;
};

// A job of the forge's own CI.
struct FakeJob {
  int64_t id = 0;
  std::string name;
  std::string commit;
  bool ended = true;
  int starts = 0;  // restarts
};

// A response injected in place of the forge's own.
struct Trouble {
  int status = 0;
  base::HttpHeaders headers;
  bool after = false;  // the request is executed; only the response is lost
  std::string message = "trouble";
};

class FakeForge {
 public:
  static constexpr char kSelf[] = "gprofhub-bot";
  static constexpr char kHead[] = "2222222222222222222222222222222222222222";

  virtual ~FakeForge();

  // A client of this forge. Its clock advances only by waiting (`slept`).
  virtual std::unique_ptr<Forge> Client() = 0;

  std::string url() const;
  ForgeClock clock();

  // ---- State; tests may change it before requests or in the hook ----
  std::string head = kHead;
  std::string default_branch = "main";
  bool open = true;
  bool from_fork = false;
  std::vector<FakeComment> comments;
  std::vector<FakeIssue> issues;
  std::vector<FakeJob> jobs;
  std::vector<nlohmann::json> checks;        // as posted; check runs in their current state
  std::map<std::string, std::string> files;  // at the tip of "main"
  std::map<std::string, std::map<std::string, std::string>> files_at;  // by commit and path
  std::map<std::string, std::string> patches;                          // unified diffs by path
  std::vector<std::string> writers;                       // GitLab: Developers, who may merge
  std::vector<std::string> administrators;                // GitHub's
  std::map<std::string, std::vector<std::string>> rules;  // GitHub's, types by branch
  // GitLab's: the merge request's target, the rules, and members by user id (of group 5: "5/ID").
  std::string target_branch = "main";
  nlohmann::json protected_branches = {{{"name", "main"},
                                        {"merge_access_levels", {{{"access_level", 30}}}},
                                        {"push_access_levels", {{{"access_level", 40}}}}}};
  std::map<std::string, nlohmann::json> members;
  std::vector<std::string> commits_on_main;
  std::map<std::string, std::vector<std::string>> queues;  // commits by a merge queue's branch
  // Of the GitHub App's installation. A token has those that it was requested for.
  std::map<std::string, std::string> app_permissions = {
      {"actions", "write"}, {"checks", "write"},  {"contents", "read"},
      {"issues", "write"},  {"metadata", "read"}, {"pull_requests", "write"}};
  std::vector<std::string> labels = {"Performance"};  // configured at Gerrit
  std::vector<std::string> foreign_files;             // not in Gerrit's change
  size_t page_size = 2;
  int64_t next_id = 1;

  // Called before each request with "METHOD /path".
  std::function<Trouble(const std::string& request)> hook;
  std::vector<std::string> requests;
  std::vector<absl::Duration> slept;

  FakeComment& AddComment(const std::string& author, const std::string& body);
  FakeJob& AddJob(const std::string& name);  // for the head
  // As built from the CI system's variables in a job.
  virtual std::string LinkOf(const FakeJob& job) const = 0;

 protected:
  using Json = nlohmann::json;
  using Handler = std::function<void(const httplib::Request&, httplib::Response&)>;

  FakeForge();
  void Route(const std::string& method, const std::string& pattern, Handler handler);
  void Start();
  // Sends the requested page of `list`, with a Link header.
  void AnswerPage(const httplib::Request& request, httplib::Response& response, const Json& list,
                  const std::string& field = "");
  static void Answer(httplib::Response& response, const Json& body, int status = 200);
  // The body as JSON; null if it is invalid.
  static Json BodyOf(const httplib::Request& request);
  bool Writes(const std::string& user) const;
  // Whether the branch, "main" or one of a merge queue, has the commit. nullopt: no such branch.
  std::optional<bool> IsOn(const std::string& commit, const std::string& branch) const;
  // The file at "main" or a commit; nullptr if it does not exist.
  const std::string* FindFile(const std::string& revision, const std::string& path) const;
  FakeComment* FindComment(const std::string& id);
  FakeJob* FindJob(const std::string& id);
  // Common behaviour of issues; the field names differ by forge.
  struct IssueFields {
    const char* number;
    const char* body;
  };
  void AnswerNewIssue(const Json& body, const IssueFields& fields, const std::string& label,
                      httplib::Response& response);
  // `open`: nothing if it stays unchanged.
  void AnswerEditedIssue(const httplib::Request& request, const IssueFields& fields,
                         std::optional<bool> open, httplib::Response& response);

 private:
  std::unique_ptr<httplib::Server> server_;
  std::thread thread_;
  int port_ = 0;
  std::mutex mutex_;
  absl::Time now_ = absl::FromUnixSeconds(1700000000);
};

// With `app`, as an App's installation, which can create check runs.
std::unique_ptr<FakeForge> MakeFakeGitHub(bool app);
std::unique_ptr<FakeForge> MakeFakeGitLab();
std::unique_ptr<FakeForge> MakeFakeGerrit();

// All comments, as Forge::VisitComments has them.
absl::StatusOr<std::vector<Comment>> CommentsAt(Forge& forge, const PullRequest& pull_request);

// A key generated for the tests; it is not used anywhere else.
std::string TestRsaKey();

}  // namespace gprofhub::reporter
