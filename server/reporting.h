// The reporter of one process: threads that write to forges and channels, and listen for webhooks.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "base/stop_token.h"
#include "base/work_loop.h"
#include "reporter/forge/hook_request.h"
#include "reporter/forge/rest.h"
#include "reporter/worker/report_worker.h"
#include "server/listen/listen_address.h"
#include "server/notifying.h"
#include "server/part.h"

namespace gprofhub::server {

// The forges that `gprofhub serve` reports to, from its options.

struct ForgeOptions {
  // "PROJECT=github:OWNER/NAME", "PROJECT=gitlab:GROUP/NAME" or
  // "PROJECT=gerrit:NAME".
  std::vector<std::string> projects;
  std::string github_url = "https://api.github.com";
  std::string github_token_file;
  std::string github_app_id;
  std::string github_app_key_file;
  std::string gitlab_url = "https://gitlab.com/api/v4";
  std::string gitlab_token_file;
  std::string gerrit_url;
  std::string gerrit_password_file;  // holds "USER:PASSWORD"
  std::string gerrit_label;
};

// One forge per project. INVALID_ARGUMENT for an entry of another form, a project
// that is there twice, or a kind without credentials; NOT_FOUND for a file that
// cannot be read. Credentials are in no message.
absl::StatusOr<reporter::ForgeByProject> MakeForges(const ForgeOptions& options,
                                                    const base::HttpClient& http,
                                                    const reporter::ForgeClock& clock);

// The projects of the comment's repository; empty if it is unknown.
std::vector<std::string> ProjectsOf(const ForgeOptions& options,
                                    const reporter::HookComment& comment);

struct ReportingOptions {
  ForgeOptions forges;
  std::string notify_file;       // empty: no notifications of branches' changes
  std::string hook_listen;       // "HOST:PORT"; empty: no webhooks
  std::string hook_secret_file;  // of forges' webhooks
  std::string page_url;          // as CommentLinks has it; empty: that of our own pages
  std::string picture_key_file;  // signs comments' pictures; empty: none
};

// Whether reports have a destination.
bool HasDestination(const ReportingOptions& options);

// What comments on pull requests lead to.
struct CommentLinks {
  std::string page_url;  // as ReportWorkerOptions has it, as are the next
  std::string picture_host, picture_key;
};

// Callbacks for metrics; must not block.
struct ReportingObserver {
  std::function<void(const reporter::EndedReport&)> on_report = [](const reporter::EndedReport&) {};
  std::function<void(int code)> on_webhook = [](int) {};
};

class Reporting {
 public:
  // Reports from now on to destruction. The parts of `store` outlive it. Errors are MakeForges's,
  // Notifying::Start's and HookListener::Start's; INVALID_ARGUMENT for webhooks without a secret of
  // 16 bytes or a forge.
  static absl::StatusOr<std::unique_ptr<Reporting>> Start(const NotifyingStore& store,
                                                          const ReportingOptions& options,
                                                          const CommentLinks& links,
                                                          const ReportingObserver& observer);
  // Stops. Running reports are returned to the queue.
  ~Reporting();
  Reporting(const Reporting&) = delete;
  Reporting& operator=(const Reporting&) = delete;

  // Reloads the files of the options: credentials, the secret of webhooks, channels. New reports
  // use the reloaded data; running ones are returned to the queue. Errors as Start; then nothing
  // has changed.
  absl::Status Reload();

  // Notifies idle workers that a report may be due. Any thread may call it.
  void Wake();

  // Whether all of its threads get on.
  absl::Status CheckAlive() const;

 private:
  // Reporting threads, with the data of one load.
  class Crew {
   public:
    // `name` is another one for each crew of the store.
    static absl::StatusOr<std::unique_ptr<Crew>> Start(const NotifyingStore& store,
                                                       const ReportingOptions& options,
                                                       const CommentLinks& links,
                                                       const ReportingObserver& observer,
                                                       const std::string& name);
    ~Crew();

    void Wake();
    // How long the thread that is longest at a report has been at it.
    absl::Duration BusyFor() const;

   private:
    base::StopToken stopping_;  // calls of forges and channels end with it
    std::unique_ptr<Notifying> notifying_;
    base::WorkLoops workers_;  // none without a forge
  };

  Reporting(const NotifyingStore& store, const ReportingOptions& options, const CommentLinks& links,
            const ReportingObserver& observer)
      : store_(store), options_(options), links_(links), observer_(observer) {}

  // The first crew, or the next.
  absl::StatusOr<std::unique_ptr<Crew>> StartCrew();

  const NotifyingStore store_;
  const ReportingOptions options_;
  const CommentLinks links_;
  const ReportingObserver observer_;
  std::unique_ptr<HookListener> hooks_;
  int crews_ = 0;  // so far
  mutable absl::Mutex mutex_;
  std::unique_ptr<Crew> crew_ ABSL_GUARDED_BY(mutex_);
};

// The server's part with the role reporter: reports and notifications if they have a destination,
// and changes of branches.
class Reporter final : public ServerPart {
 public:
  Reporter(const ServerContext& context, const ReportingOptions& options,
           const CommentLinks& links);
  ~Reporter() override;

  // Errors are Reporting::Start's.
  absl::Status Start() override;
  // Running reports are returned to the queue.
  void Stop() override;

  // Notifies idle workers that a report may be due. No-op unless it runs.
  void Wake();

 private:
  const ServerContext context_;
  const ReportingOptions options_;
  const CommentLinks links_;
  std::unique_ptr<Reporting> reporting_;  // null: no destination
  // Computes and caches changes of branches; null: the notifier does.
  std::unique_ptr<base::WorkLoop> keeping_;
};

}  // namespace gprofhub::server
