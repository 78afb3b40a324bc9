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
#include "cli/serve/grpc_server.h"
#include "cli/serve/printable_log.h"
#include "cli/serve/process/library_logs.h"
#include "cli/serve/process/quotas_of_file.h"
#include "cli/serve/process/reloading.h"
#include "cli/serve/process/signals.h"
#include "cli/serve/query_service.h"
#include "cli/serve/worker_pool.h"
#include "collector/access/authorizer.h"
#include "collector/call_access.h"
#include "collector/calls/method.h"
#include "collector/collector_service.h"
#include "collector/quotas/quotas.h"
#include "store/open_store.h"

namespace gprofhub::cli {
namespace {

constexpr absl::Duration kGraceForCalls = absl::Seconds(10);

void LogToStderr() {
  spdlog::set_default_logger(spdlog::stderr_color_mt("gprofhub"));
  spdlog::set_formatter(PrintableLogLines());
}

// A reader of stdout that went away and a file over the process's limit are
// errors to report, not reasons to die.
void IgnoreWriteSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// Of a server that other machines reach. Where clients need certificates, nobody else comes as far
// as HTTP/2.
void WarnOfExposure(const ServeOptions& options) {
  if (!options.tls.client_authorities.empty()) return;
  spdlog::warn(
      "{} can be reached from other machines{}, and this server is exposed to attacks that only a "
      "front stops. Let it listen on loopback behind the front of deploy/nginx.conf, or demand "
      "certificates of clients with --tls-client-ca (docs/security.md)",
      options.listen.ToString(),
      options.tls.certificate.empty()
          ? ", and nothing is encrypted: tokens and profiles can be read on the way"
          : "");
}

// Whoever reaches the port may use it until there are tokens.
absl::Status CheckAccess(const store::Tokens& tokens, const ServeOptions& options) {
  const absl::StatusOr<bool> loopback = IsLoopback(options.listen);
  if (!loopback.ok()) return loopback.status();
  if (*loopback) return absl::OkStatus();
  WarnOfExposure(options);
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

// Null: without TLS.
absl::StatusOr<std::unique_ptr<ServerCertificates>> LoadCertificates(const TlsFiles& files,
                                                                     Reloading& reloading) {
  if (files.certificate.empty()) return nullptr;
  absl::StatusOr<std::unique_ptr<ServerCertificates>> loaded = ServerCertificates::Load(files);
  if (!loaded.ok()) return loaded.status();
  ServerCertificates* const certificates = loaded->get();
  const auto tell = [certificates] {
    spdlog::info("the server's certificate ends at {}",
                 absl::FormatTime(absl::RFC3339_sec, certificates->expires(), absl::UTCTimeZone()));
  };
  tell();
  reloading.Add("what --tls-cert, --tls-key and --tls-client-ca name", [certificates, tell] {
    absl::Status status = certificates->Reload();
    if (status.ok()) tell();
    return status;
  });
  return loaded;
}

// The workers that this process is asked for; null: none.
std::unique_ptr<WorkerPool> StartWorkers(const store::Store& store, const ServeOptions& options) {
  if (!options.worker) return nullptr;
  return std::make_unique<WorkerPool>(store.jobs, store.reading, store.blobs, options.workers,
                                      options.lease);
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
                                                           collector::Access access,
                                                           ServerCertificates* certificates) {
  if (methods.empty()) {
    std::cout << "working" << std::endl;
    return nullptr;
  }
  GrpcServer::Options limits;
  limits.connections = options.connections;
  limits.certificates = certificates;
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
  // 1. Signals: from here on SIGTERM, SIGINT and SIGHUP wait for step 7.
  const ServeSignals signals;
  IgnoreWriteSignals();
  LogToStderr();
  LogLibraryErrors();
  Reloading reloading;

  // 2. The store: open, its schema that of this program.
  const absl::StatusOr<store::Store> store = store::OpenStore(options.store);
  if (!store.ok()) return store.status();

  // 3. Access: nobody can reach us who should not.
  if (options.collector || options.query) {
    if (absl::Status status = CheckAccess(store->tokens, options); !status.ok()) return status;
  }
  absl::StatusOr<ReloadableIdTokens> id_tokens = MakeReloadableIdTokens(options.issuers);
  if (!id_tokens.ok()) return id_tokens.status();
  if (id_tokens->reload) reloading.Add("the file of --id-tokens", id_tokens->reload);
  collector::Authorizer authorizer(store->tokens, store->audit, id_tokens->identify);
  const absl::StatusOr<std::unique_ptr<ServerCertificates>> certificates =
      LoadCertificates(options.tls, reloading);
  if (!certificates.ok()) return certificates.status();

  collector::Quotas quotas(
      [ingest = store->ingest](const std::string& project) { return ingest.SentBytes(project); });
  if (!options.quotas_file.empty()) {
    const auto set = [&] { return SetQuotasOfFile(options.quotas_file, quotas); };
    if (absl::Status status = set(); !status.ok()) return status;
    reloading.Add("the file of --quotas", set);
  }

  // 4. Workers and the reporter: jobs left by an earlier process are being done.
  std::unique_ptr<WorkerPool> workers = StartWorkers(*store, options);
  absl::StatusOr<std::unique_ptr<Reporting>> reporting = StartReporting(*store, options);
  if (!reporting.ok()) return reporting.status();

  // 5. Services: built, called by nobody yet.
  collector::CollectorService::Options collector_options;
  collector_options.quotas = &quotas;
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
  absl::StatusOr<std::unique_ptr<GrpcServer>> server = StartListening(
      options, std::move(methods), collector::AccessOf(authorizer, &quotas), certificates->get());
  if (!server.ok()) return server.status();

  // 7. Service, until told to end.
  const int signal = signals.AwaitEnd([&reloading] { reloading.Run(); });
  spdlog::info("{} received: stopping", signal == SIGTERM ? "SIGTERM" : "SIGINT");

  // 8. The end, in reverse: no calls, then no jobs, then no store. What was
  // acknowledged is durable, what was not left nothing behind.
  if (*server != nullptr) (*server)->Stop(kGraceForCalls);
  reporting->reset();
  workers.reset();
  spdlog::info("stopped");
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
