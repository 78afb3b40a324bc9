// Forges over HTTP on loopback. They answer as the real ones do, remember what was posted, and page
// their lists. They go wrong where a test wants it.
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

#include "absl/time/time.h"
#include "base/http/http.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/http/forge_clock.h"

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
  int starts = 0;  // again
};

// What a request is answered with in the place of the forge's own answer.
struct Trouble {
  int status = 0;
  base::HttpHeaders headers;
  bool after = false;  // the request is done first; only the answer is lost
};

class FakeForge {
 public:
  static constexpr char kSelf[] = "gprofhub-bot";
  static constexpr char kHead[] = "2222222222222222222222222222222222222222";

  virtual ~FakeForge();

  // A client of this forge. Its clock stands still but for `slept`.
  virtual std::unique_ptr<Forge> Client() = 0;

  std::string url() const;
  ForgeClock clock();

  // ---- State; the test's to change, before requests or in the hook ----
  std::string head = kHead;
  bool open = true;
  bool from_fork = false;
  std::vector<FakeComment> comments;
  std::vector<FakeIssue> issues;
  std::vector<FakeJob> jobs;
  std::vector<nlohmann::json> checks;        // as posted; a check run as it stands
  std::map<std::string, std::string> files;  // at the tip of "main"
  std::map<std::string, std::map<std::string, std::string>> files_at;  // by commit and path
  std::map<std::string, std::string> patches;                          // unified diffs by path
  std::vector<std::string> writers;
  std::vector<std::string> commits_on_main;
  size_t page_size = 2;
  int64_t next_id = 1;

  // Asked before each request with "METHOD /path".
  std::function<Trouble(const std::string& request)> hook;
  std::vector<std::string> requests;
  std::vector<absl::Duration> slept;

  FakeComment& AddComment(const std::string& author, const std::string& body);
  FakeJob& AddJob(const std::string& name);  // of the head
  // As the CI system's variables make it in a job.
  virtual std::string LinkOf(const FakeJob& job) const = 0;

 protected:
  using Json = nlohmann::json;
  using Handler = std::function<void(const httplib::Request&, httplib::Response&)>;

  FakeForge();
  void Route(const std::string& method, const std::string& pattern, Handler handler);
  void Start();
  // The page of `list` that the request asks for, with a Link header.
  void AnswerPage(const httplib::Request& request, httplib::Response& response, const Json& list,
                  const std::string& field = "");
  static void Answer(httplib::Response& response, const Json& body, int status = 200);
  // The body as JSON; null for what is none.
  static Json BodyOf(const httplib::Request& request);
  bool Writes(const std::string& user) const;
  // The file at "main" or a commit; null: there is none.
  const std::string* FindFile(const std::string& revision, const std::string& path) const;
  FakeComment* FindComment(const std::string& id);
  FakeJob* FindJob(const std::string& id);
  // What all forges do with an issue, whose fields they name in their own ways.
  struct IssueFields {
    const char* number;
    const char* body;
  };
  void AnswerNewIssue(const Json& body, const IssueFields& fields, const std::string& label,
                      httplib::Response& response);
  // `open`: nothing if it stays as it is.
  void AnswerEditedIssue(const httplib::Request& request, const IssueFields& fields,
                         std::optional<bool> open, httplib::Response& response);

 private:
  std::unique_ptr<httplib::Server> server_;
  std::thread thread_;
  int port_ = 0;
  std::mutex mutex_;
  absl::Time now_ = absl::FromUnixSeconds(1700000000);
};

// With `app`, as an App's installation, which makes check runs.
std::unique_ptr<FakeForge> MakeFakeGitHub(bool app);
std::unique_ptr<FakeForge> MakeFakeGitLab();
std::unique_ptr<FakeForge> MakeFakeGerrit();

// A key made for the tests: it opens nothing.
std::string TestRsaKey();

}  // namespace gprofhub::reporter
