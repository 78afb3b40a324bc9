#include "cli/serve/serve.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "cli/housekeeping/housekeeping.h"
#include "cli/serve/grpc_server.h"
#include "cli/serve/printable_log.h"
#include "cli/serve/process_name.h"
#include "cli/serve/query_service.h"
#include "cli/serve/worker_pool.h"
#include "collector/access/authorizer.h"
#include "collector/call_access.h"
#include "collector/calls/method.h"
#include "collector/collector_service.h"
#include "store/open_store.h"
#include "store/upkeep/upkeep.h"

namespace gprofhub::cli {
namespace {

constexpr absl::Duration kGraceForCalls = absl::Seconds(10);

void LogToStderr() {
  spdlog::set_default_logger(spdlog::stderr_color_mt("gprofhub"));
  spdlog::set_formatter(PrintableLogLines());
}

// Blocks the ending signals in this thread and all that it makes, for
// AwaitEndingSignal to take them.
sigset_t BlockEndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void AwaitEndingSignal(const sigset_t& signals) {
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  // A second signal ends the process at once.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  spdlog::info("{} received: stopping", signal == SIGTERM ? "SIGTERM" : "SIGINT");
}

// A reader of stdout that went away and a file over the process's limit are
// errors to report, not reasons to die.
void IgnoreWriteSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// Whoever reaches the port may use it until there are tokens.
absl::Status CheckAccess(const store::Tokens& tokens, const ServeOptions& options) {
  const absl::StatusOr<bool> loopback = IsLoopback(options.listen);
  if (!loopback.ok()) return loopback.status();
  if (*loopback) return absl::OkStatus();
  spdlog::warn(
      "{} can be reached from other machines, and nothing is encrypted: tokens and profiles can be "
      "read on the way, and this server is exposed to attacks that only a front stops. Let it "
      "listen on loopback behind the front of deploy/nginx.conf (docs/security.md)",
      options.listen.ToString());
  const absl::StatusOr<bool> has_tokens = tokens.WereCreated();
  if (!has_tokens.ok()) return has_tokens.status();
  if (*has_tokens || !options.issuers.file.empty()) return absl::OkStatus();
  if (options.allow_anonymous) {
    spdlog::warn("{} is open to everybody who reaches it: no token exists",
                 options.listen.ToString());
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(options.listen.ToString(),
                   " can be reached from other machines and no token exists: make one with "
                   "`gprofhub token create`, or give --allow-anonymous"));
}

// The workers that this process is asked for; null: none.
std::unique_ptr<WorkerPool> StartWorkers(const store::Store& store, const ServeOptions& options) {
  if (!options.worker) return nullptr;
  return std::make_unique<WorkerPool>(store.jobs, store.reading, store.blobs, options.workers,
                                      options.lease);
}

// An embedded store is this process's alone, so it is brought up to date without being asked for:
// whoever installs a newer gprofhub and starts it finds it working. Where several processes share a
// database, the first that is new must not change it under the others by surprise.
absl::StatusOr<store::WholeStore> OpenForServing(const ServeOptions& options) {
  store::Opening opening;
  opening.migrate = options.migrate || !store::IsShared(options.store);
  opening.by = {"gprofhub serve", ProcessName(), 0};
  opening.now = absl::Now();
  return store::OpenWholeStore(options.store, opening);
}

// Housekeeping is one of the workers' jobs.
std::unique_ptr<Housekeeping> StartHousekeeping(const store::Upkeep& upkeep,
                                                const ServeOptions& options) {
  if (!options.worker) return nullptr;
  HousekeepingOptions housekeeping;
  housekeeping.by = {"gprofhub serve", ProcessName(), 0};
  auto started = std::make_unique<Housekeeping>(upkeep, housekeeping);
  started->Start();
  return started;
}

// Likewise the reporter, which needs somebody to report to.
absl::StatusOr<std::unique_ptr<Reporting>> StartReporting(const store::Store& store,
                                                          const ServeOptions& options) {
  const ReportingOptions& reporting = options.reporting;
  const bool asked_for = !reporting.forges.projects.empty() || !reporting.notify_file.empty() ||
                         !reporting.hook_listen.empty();
  if (!options.reporter || !asked_for) return nullptr;
  return Reporting::Start(
      {store.reports, store.reading, store.blobs, store.gate, store.notifications}, reporting);
}

// As --role names them.
std::string RolesOf(const ServeOptions& options) {
  std::vector<absl::string_view> roles;
  for (const auto& [has, role] :
       {std::pair(options.collector, "collector"), std::pair(options.worker, "worker"),
        std::pair(options.query, "query"), std::pair(options.reporter, "reporter")}) {
    if (has) roles.push_back(role);
  }
  return absl::StrJoin(roles, ", ");
}

// Likewise the listener. Tells whoever waits for it that the process is ready.
absl::StatusOr<std::unique_ptr<GrpcServer>> StartListening(const ServeOptions& options,
                                                           std::vector<collector::Method> methods,
                                                           collector::Access access) {
  if (methods.empty()) {
    std::cout << "working" << std::endl;
    return nullptr;
  }
  GrpcServer::Options limits;
  limits.connections = options.connections;
  limits.calls.patience.first = options.max_silence;
  limits.calls.patience.most = 4 * options.max_silence;
  limits.calls.look_every = std::min(limits.calls.look_every, options.max_silence / 4);
  limits.calls.roles = RolesOf(options);
  absl::StatusOr<std::unique_ptr<GrpcServer>> server =
      GrpcServer::Start(options.listen, std::move(methods), std::move(access), limits);
  if (server.ok()) {
    std::cout << "listening on " << (*server)->address().ToString() << std::endl;
  }
  return server;
}

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  // 1. Signals: from here on SIGTERM and SIGINT wait for step 7.
  const sigset_t ending_signals = BlockEndingSignals();
  IgnoreWriteSignals();
  LogToStderr();

  // 2. The store: open, its schema one that this program works on.
  const absl::StatusOr<store::WholeStore> whole = OpenForServing(options);
  if (!whole.ok()) return whole.status();
  const store::Store* const store = &whole->store;

  // 3. Access: nobody can reach us who should not.
  if (options.collector || options.query) {
    if (absl::Status status = CheckAccess(store->tokens, options); !status.ok()) return status;
  }
  absl::StatusOr<collector::Authorizer::IdTokens> id_tokens = MakeIdTokens(options.issuers);
  if (!id_tokens.ok()) return id_tokens.status();
  collector::Authorizer authorizer(store->tokens, store->audit, *std::move(id_tokens));

  // 4. Workers and the reporter: jobs left by an earlier process are being done.
  std::unique_ptr<WorkerPool> workers = StartWorkers(*store, options);
  absl::StatusOr<std::unique_ptr<Reporting>> reporting = StartReporting(*store, options);
  if (!reporting.ok()) return reporting.status();
  std::unique_ptr<Housekeeping> housekeeping = StartHousekeeping(whole->upkeep, options);

  // 5. Services: built, called by nobody yet.
  collector::CollectorService::Options collector_options;
  if (workers != nullptr) {
    collector_options.on_recorded = [pool = workers.get()] { pool->Wake(); };
  }
  collector::CollectorService collector(store->blobs, store->ingest, collector_options);
  std::vector<collector::Method> methods;
  if (options.collector) methods = collector.Methods();
  if (options.query) {
    for (collector::Method& method : QueryMethods(store->reading, store->blobs, store->gate)) {
      methods.push_back(std::move(method));
    }
  }

  // 6. The listener: ready, and whoever waits for that is told.
  absl::StatusOr<std::unique_ptr<GrpcServer>> server =
      StartListening(options, std::move(methods), collector::AccessOf(authorizer));
  if (!server.ok()) return server.status();

  // 7. Service, until told to end.
  AwaitEndingSignal(ending_signals);

  // 8. The end, in reverse: no calls, then no jobs, then no store. What was
  // acknowledged is durable, what was not left nothing behind.
  if (*server != nullptr) (*server)->Stop(kGraceForCalls);
  housekeeping.reset();
  reporting->reset();
  workers.reset();
  spdlog::info("stopped");
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
