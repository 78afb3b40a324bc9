// The server process from start to graceful end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "analyzer/worker/analysis_child.h"
#include "analyzer/worker/worker.h"
#include "collector/access/authorizer.h"
#include "reporter/worker/delivery_worker.h"
#include "server/listen/connection_gate.h"
#include "server/listen/listen_address.h"
#include "server/observing.h"
#include "server/other_services.h"
#include "server/page_options.h"
#include "server/reporting.h"
#include "store/job_queue.h"
#include "store/objects/object_store.h"
#include "store/reading.h"
#include "store/transfer_blobs.h"
#include "store/validation.h"

namespace gprofhub::server {

// Computes and caches the changes of branches whose runs were analysed, in its own thread.

class KeepingChanges {
 public:
  // Runs from construction to destruction, which waits for the current step.
  KeepingChanges(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                 reporter::ChangesKeeperOptions options)
      : keeper_(std::move(reports), std::move(reading), std::move(blobs), std::move(options)),
        thread_([this] { keeper_.Run(); }) {}
  ~KeepingChanges() {
    keeper_.Stop();
    thread_.join();
  }
  KeepingChanges(const KeepingChanges&) = delete;
  KeepingChanges& operator=(const KeepingChanges&) = delete;

  // Notifies it that a run may have been analysed. Any thread may call it.
  void Wake() { keeper_.Wake(); }

 private:
  reporter::ChangesKeeper keeper_;
  std::thread thread_;
};

// The issuers whose ID tokens this server accepts, over the network.

struct IssuerOptions {
  std::string file;     // format: collector/access/issuers.h; empty: ID tokens are refused
  std::string ca_file;  // PEM of the issuers' authority; empty: the system's
  absl::Duration timeout = absl::Seconds(5);  // of one answer of an issuer
};

// Null if no file is named. INVALID_ARGUMENT naming the file and the place of the mistake;
// ReadFile's errors. An issuer is contacted when its first token arrives.
absl::StatusOr<collector::Authorizer::IdTokens> MakeIdTokens(const IssuerOptions& options);

// The same, from a file that can be read again.
struct ReloadableIdTokens {
  collector::Authorizer::IdTokens identify;  // null if no file is named; so is the other
  // Errors as MakeIdTokens; after one nothing has changed.
  std::function<absl::Status()> reload;
};
absl::StatusOr<ReloadableIdTokens> MakeReloadableIdTokens(const IssuerOptions& options);

// Command-line options of a server.

struct ServeOptions {
  std::string store;  // as OpenStore wants it
  // Archive of old blobs; null: none. Blobs older than `archive_after` are moved there; zero: none
  // are. Unreferenced segments stay there for `keep_segments`.
  std::shared_ptr<store::ObjectStore> archive;
  absl::Duration archive_after = absl::Hours(7 * 24);
  absl::Duration keep_segments = absl::Hours(7 * 24);
  ListenAddress listen;
  TlsFiles tls;
  uint32_t workers = 1;
  // Lease of a job: after this time without a heartbeat another worker takes it over.
  absl::Duration lease = absl::Minutes(1);
  // How analyses are run.
  analyzer::ChildOptions analyses;
  bool allow_anonymous = false;
  // Connections at one time; 0: as many as the process has descriptors for.
  uint32_t connections = 0;
  // Timeout of a client's first message; for the next ones, four times that.
  absl::Duration max_silence = absl::Seconds(10);
  // Memory limit for decoding, of uploads, queries, pages and reports together.
  uint64_t decoding_bytes = uint64_t{768} << 20;
  IssuerOptions issuers;
  store::TransferLimits transfers;  // of files that Bazel hands over
  OtherServiceOptions other_services;
  std::string quotas_file;  // as collector/quotas.h has it; empty: no quotas
  // Roles.
  bool collector = true;
  bool worker = true;
  bool query = true;
  bool reporter = true;  // where there is a forge or a channel to report to
  ReportingOptions reporting;
  PageOptions pages;  // with the role query
  ObserveOptions observe;
};

// Serves until SIGTERM or SIGINT, and reloads its files at SIGHUP. Prints "listening on HOST:PORT"
// (or "working", without a listening role) to stdout once ready, and notifies systemd; logs go to
// stderr. On a signal running calls may end, running analyses and reports are returned to the
// queue, and OK is returned; if that takes longer than 20 seconds, because something hangs, the
// process exits without it. To be called from the main thread, before other threads exist. Errors:
// every failure of the startup.
absl::Status Serve(const ServeOptions& options);

// The analysis workers of one process.

// Runs workers, a thread and a child process each, from construction to destruction.
class WorkerPool {
 public:
  // `lease` as in WorkerOptions; `child` is how each worker's analyses are run.
  WorkerPool(const store::JobQueue& jobs, const store::Reading& reading, const store::Blobs& blobs,
             uint32_t workers, absl::Duration lease, const analyzer::ChildOptions& child,
             const std::function<void(const analyzer::EndedAnalysis&)>& on_ended);
  // Stops: running jobs are finished or returned to the queue.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Notifies idle workers that there may be a job.
  void Wake();

  // Whether all of them get on.
  absl::Status CheckAlive() const;

 private:
  std::vector<std::unique_ptr<analyzer::AnalysisChild>> children_;  // one for each worker
  std::vector<std::unique_ptr<analyzer::Worker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace gprofhub::server
