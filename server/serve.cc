#include "server/serve.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "base/http/http.h"
#include "base/memory_budget.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "collector/access/authorizer.h"
#include "collector/access/issuers.h"
#include "collector/access/verify_token.h"
#include "collector/bes/bes_service.h"
#include "collector/bes/remote_caches.h"
#include "collector/cache/cache_service.h"
#include "collector/method.h"
#include "collector/quotas.h"
#include "collector/upload_session.h"
#include "collector/validate.h"
#include "server/grpc_server.h"
#include "server/housekeeping.h"
#include "server/log_lines.h"
#include "server/metrics.h"
#include "server/observing.h"
#include "server/other_services.h"
#include "server/page_options.h"
#include "server/reporting.h"
#include "server/signals.h"
#include "store/open_store.h"
#include "store/tokens.h"
#include "store/upkeep.h"

namespace gprofhub::server {

namespace {

// Checks who can reach a server, and whether that is allowed.

// Warns of what only a front stops where other machines reach the server. FAILED_PRECONDITION where
// they could use it and no token exists; errors of addresses and of the store.
absl::Status CheckExposure(const store::Tokens& tokens, const ServeOptions& options);

// Warnings for a server that other machines reach. With required client certificates, no other
// client reaches HTTP/2.
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

// Without tokens, every client that reaches a port may use it.
absl::Status CheckOpenness(const store::Tokens& tokens, const ServeOptions& options,
                           const ListenAddress& address) {
  ASSIGN_OR_RETURN(const bool has_tokens, tokens.WereCreated());
  if (has_tokens || !options.issuers.file.empty()) return absl::OkStatus();
  if (options.allow_anonymous) {
    spdlog::warn("{} is open to everybody who reaches it: no token exists", address.ToString());
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(address.ToString(),
                   " can be reached from other machines and no token exists: make one with "
                   "`gprofhub token create`, or give --allow-anonymous"));
}

absl::Status CheckExposure(const store::Tokens& tokens, const ServeOptions& options) {
  ASSIGN_OR_RETURN(const bool loopback, IsLoopback(options.listen));
  if (!loopback) {
    WarnOfExposure(options);
    RETURN_IF_ERROR(CheckOpenness(tokens, options, options.listen));
  }
  ASSIGN_OR_RETURN(const std::optional<ListenAddress> pages, BeyondLoopback(options.pages));
  if (!options.query || !pages.has_value()) return absl::OkStatus();
  return CheckOpenness(tokens, options, *pages);
}

constexpr uint64_t kMaxFileBytes = 1 << 20;

// Checks of the server only: tokens use TLS, and projects have valid names.
absl::Status Check(const std::vector<collector::Issuer>& issuers) {
  for (const collector::Issuer& issuer : issuers) {
    for (const std::string& url : {issuer.issuer, issuer.keys}) {
      if (url.empty()) continue;
      RETURN_IF_ERROR(base::CheckHttpUrl(url));
    }
    for (const collector::TrustedRepository& one : issuer.projects) {
      RETURN_IF_ERROR(collector::ValidateProject("project", one.project));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<collector::Authorizer::IdTokens> MakeIdTokens(const IssuerOptions& options) {
  if (options.file.empty()) return nullptr;
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(options.file, kMaxFileBytes));
  absl::StatusOr<std::vector<collector::Issuer>> issuers = collector::ParseIssuers(text);
  const absl::Status usable = issuers.ok() ? Check(*issuers) : issuers.status();
  if (!usable.ok()) return base::WithContext(usable, options.file);
  base::CurlOptions curl;
  curl.connect_timeout = options.timeout;
  curl.timeout = options.timeout;
  curl.max_response_bytes = collector::kMaxKeySetBytes;
  curl.ca_file = options.ca_file;
  auto tokens = std::make_shared<const collector::IdTokens>(
      *std::move(issuers),
      [http = base::MakeCurlClient(curl)](const std::string& url) -> absl::StatusOr<std::string> {
        ASSIGN_OR_RETURN(const base::HttpResponse answer,
                         http({"GET", url, {{"Accept", "application/json"}}, ""}));
        if (answer.status == 200) return answer.body;
        return absl::UnavailableError(absl::StrCat(url, " answers with status ", answer.status));
      });
  return [tokens](absl::string_view token, absl::Time now) { return tokens->Identify(token, now); };
}

absl::StatusOr<ReloadableIdTokens> MakeReloadableIdTokens(const IssuerOptions& options) {
  struct Shared {
    absl::Mutex mutex;
    std::shared_ptr<const collector::Authorizer::IdTokens> now ABSL_GUARDED_BY(mutex);
  };
  const auto shared = std::make_shared<Shared>();
  const auto load = [shared, options] {
    ASSIGN_OR_RETURN(collector::Authorizer::IdTokens made, MakeIdTokens(options));
    absl::MutexLock lock(&shared->mutex);
    shared->now = std::make_shared<const collector::Authorizer::IdTokens>(std::move(made));
    return absl::OkStatus();
  };
  if (options.file.empty()) return ReloadableIdTokens{};
  RETURN_IF_ERROR(load());
  return ReloadableIdTokens{[shared](absl::string_view token, absl::Time now) {
                              std::shared_ptr<const collector::Authorizer::IdTokens> tokens;
                              {
                                absl::MutexLock lock(&shared->mutex);
                                tokens = shared->now;
                              }
                              return (*tokens)(token, now);
                            },
                            load};
}

namespace {

// Upper bound for an analysis; beyond it something hangs.
constexpr absl::Duration kLongestJob = absl::Hours(1);

}  // namespace

WorkerPool::WorkerPool(const store::JobQueue& jobs, const store::Reading& reading,
                       const store::Blobs& blobs, uint32_t workers, absl::Duration lease,
                       const analyzer::ChildOptions& child_options,
                       const std::function<void(const analyzer::EndedAnalysis&)>& on_ended) {
  for (uint32_t i = 0; i < workers; ++i) {
    analyzer::WorkerOptions options;
    options.name = absl::StrCat(ProcessName(), "/", i);
    options.lease = lease;
    options.heartbeat = lease / 4;
    options.on_ended = on_ended;
    children_.push_back(std::make_unique<analyzer::AnalysisChild>(child_options));
    analyzer::AnalysisChild* const child = children_.back().get();
    options.prepare = [child](const auto& stopping) { return child->Prepare(stopping); };
    workers_.push_back(std::make_unique<analyzer::Worker>(
        jobs, reading, blobs,
        [child](const auto& input, const auto& read, const auto& stopping) {
          return child->Analyze(input, read, stopping);
        },
        options));
  }
  for (const auto& worker : workers_) threads_.emplace_back([&worker] { worker->Run(); });
}

WorkerPool::~WorkerPool() {
  for (const auto& worker : workers_) worker->Stop();
  for (std::thread& thread : threads_) thread.join();
}

absl::Status WorkerPool::CheckAlive() const {
  for (const auto& worker : workers_) {
    if (worker->BusyFor() > kLongestJob) {
      return absl::DeadlineExceededError(
          absl::StrCat("an analysis takes ", absl::FormatDuration(worker->BusyFor())));
    }
  }
  return absl::OkStatus();
}

void WorkerPool::Wake() {
  for (const auto& worker : workers_) worker->Wake();
}

// The background parts of a server, by its roles.

// Null: a process without the role has no such part.

// Housekeeping is one of the workers' jobs.
std::unique_ptr<Housekeeping> StartHousekeeping(const store::WholeStore& store,
                                                const ServeOptions& options,
                                                const Metrics& metrics);

// `wake_reporter` is called when a run's last analysis may have ended: its report is due then.
std::unique_ptr<WorkerPool> StartWorkers(const store::Store& store, const ServeOptions& options,
                                         const Metrics& metrics,
                                         const std::function<void()>& wake_reporter);

// Whether the process is a reporter with a configured destination.
bool Reports(const ServeOptions& options);

// `decoding` outlives it. Errors: Reporting::Start's.
absl::StatusOr<std::unique_ptr<Reporting>> StartReporting(const store::Store& store,
                                                          const ServeOptions& options,
                                                          const Metrics& metrics,
                                                          base::MemoryBudget& decoding);

// A reporter computes changes of branches also without notifications; null, too, where the notifier
// does it. `decoding` outlives it.
std::unique_ptr<KeepingChanges> StartKeepingChanges(const store::Store& store,
                                                    const ServeOptions& options,
                                                    base::MemoryBudget& decoding);

// Liveness probes of the process' parts. Null: the process does not have that part.
std::vector<LifeSign> SignsOfLife(const GrpcServer* server, const WorkerPool* workers,
                                  const Reporting* reporting);

std::unique_ptr<Housekeeping> StartHousekeeping(const store::WholeStore& store,
                                                const ServeOptions& options,
                                                const Metrics& metrics) {
  if (!options.worker) return nullptr;
  HousekeepingOptions housekeeping;
  housekeeping.by = {"gprofhub serve", ProcessName(), 0};
  housekeeping.archive_after = options.archive_after;
  housekeeping.keep_segments = options.keep_segments;
  housekeeping.on_done = [count = metrics.OnHousekeeping()](const HousekeepingResult& result) {
    const store::Collected& collected = result.collected;
    count({result.freed.runs, result.freed.profiles, collected.blobs, collected.transfers,
           collected.blob_bytes + collected.file_bytes + collected.transfer_bytes});
  };
  auto started = std::make_unique<Housekeeping>(store.store.reading, store.upkeep, housekeeping);
  started->Start();
  return started;
}

std::unique_ptr<WorkerPool> StartWorkers(const store::Store& store, const ServeOptions& options,
                                         const Metrics& metrics,
                                         const std::function<void()>& wake_reporter) {
  if (!options.worker) return nullptr;
  const auto on_ended = [wake_reporter,
                         count = metrics.OnAnalysis()](const analyzer::EndedAnalysis& analysis) {
    count(analysis);
    wake_reporter();
  };
  return std::make_unique<WorkerPool>(store.jobs, store.reading, store.blobs, options.workers,
                                      options.lease, options.analyses, on_ended);
}

bool Reports(const ServeOptions& options) {
  const ReportingOptions& reporting = options.reporting;
  return options.reporter && (!reporting.forges.projects.empty() ||
                              !reporting.notify_file.empty() || !reporting.hook_listen.empty());
}

absl::StatusOr<std::unique_ptr<Reporting>> StartReporting(const store::Store& store,
                                                          const ServeOptions& options,
                                                          const Metrics& metrics,
                                                          base::MemoryBudget& decoding) {
  const ReportingOptions& reporting = options.reporting;
  if (!Reports(options)) return nullptr;
  return Reporting::Start(
      {store.reports, store.reading, store.blobs, store.gate, store.notifications, &decoding},
      reporting, {metrics.OnReport(), metrics.OnWebhook()});
}

std::unique_ptr<KeepingChanges> StartKeepingChanges(const store::Store& store,
                                                    const ServeOptions& options,
                                                    base::MemoryBudget& decoding) {
  if (!options.reporter || !options.reporting.notify_file.empty()) return nullptr;
  reporter::ChangesKeeperOptions keeper;
  keeper.name = absl::StrCat(ProcessName(), "/changes");
  keeper.decoding = &decoding;
  return std::make_unique<KeepingChanges>(store.reports, store.reading, store.blobs, keeper);
}

std::vector<LifeSign> SignsOfLife(const GrpcServer* server, const WorkerPool* workers,
                                  const Reporting* reporting) {
  std::vector<LifeSign> signs;
  if (server != nullptr) signs.emplace_back("calls", [server] { return server->CheckAlive(); });
  if (workers != nullptr)
    signs.emplace_back("workers", [workers] { return workers->CheckAlive(); });
  if (reporting != nullptr) {
    signs.emplace_back("reporter", [reporting] { return reporting->CheckAlive(); });
  }
  return signs;
}

namespace {

constexpr absl::Duration kGraceForCalls = absl::Seconds(10);
// For the whole shutdown. Service managers often kill after thirty seconds.
constexpr absl::Duration kGrace = absl::Seconds(20);

// A reader of stdout that went away and a file over the process's limit are
// errors to report, not reasons to die.
void IgnoreWriteSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// Abseil as Debian builds it looks for deadlocks wherever a mutex is locked, gRPC's own included,
// and takes one lock of the whole process for that. A thread that holds it and loses the processor
// stops all others, and each open call is a mutex more to look at. Tests look for deadlocks.
void LeaveDeadlocksToTests() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

// Null: without TLS.
absl::StatusOr<std::unique_ptr<ServerCertificates>> LoadCertificates(const TlsFiles& files,
                                                                     Reloading& reloading) {
  if (files.certificate.empty()) return nullptr;
  ASSIGN_OR_RETURN(std::unique_ptr<ServerCertificates> loaded, ServerCertificates::Load(files));
  ServerCertificates* const certificates = loaded.get();
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

ServedRoles ServedRolesOf(const ServeOptions& options) {
  return {options.collector, options.query, options.worker, Reports(options)};
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

// Takes build events where uploads are taken, too, and in their bounds. Null: nowhere.
std::unique_ptr<collector::BuildEventService> StartBuildEvents(
    const store::WholeStore& whole, const ServeOptions& options,
    collector::CollectorService& collector, const OtherServices& others,
    const collector::RemoteCaches& caches, const std::function<void()>& on_recorded,
    const std::function<void()>& on_finished) {
  if (!options.collector) return nullptr;
  collector::BuildEventService::Options events;
  events.on_recorded = on_recorded;
  events.on_finished = on_finished;
  events.limits.first = options.max_silence;
  events.forwarder_of = others.forwarder_of();
  return std::make_unique<collector::BuildEventService>(
      whole.store.invocations, collector.uploads(),
      collector::ReadAlsoFrom(caches, collector::ReadFrom(whole.transfers)), events);
}

// Time of the data in the replica that is read. Null: it reads the primary.
collector::AsOf AsOfOf(const ServeOptions& options, const Observing& observing) {
  if (options.observe.copies != CopyRole::kReadsOne) return nullptr;
  return [&observing] { return observing.AsOf(); };
}

void AddMethods(std::vector<collector::Method> more, std::vector<collector::Method>& methods) {
  for (collector::Method& method : more) methods.push_back(std::move(method));
}

// The listener, too. Notifies the service manager that the process is ready.
absl::StatusOr<std::unique_ptr<GrpcServer>> StartListening(
    const ServeOptions& options, std::vector<collector::Method> methods, collector::Access access,
    ServerCertificates* certificates, const Metrics& metrics, const Observing& observing) {
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
  limits.calls.as_of = AsOfOf(options, observing);
  limits.calls.on_ended = metrics.OnCall();
  limits.is_serving = [&observing](const std::string& service) {
    return observing.IsServing(service);
  };
  absl::StatusOr<std::unique_ptr<GrpcServer>> server =
      GrpcServer::Start(options.listen, std::move(methods), std::move(access), limits);
  if (server.ok()) {
    std::cout << "listening on " << (*server)->address().ToString() << std::endl;
  }
  return server;
}

// The pages' cache is a part of the memory limit for decoding.
uint64_t KeptByPages(const ServeOptions& options) {
  constexpr uint64_t kParts = 8;
  return options.query && !options.pages.listen.empty() ? options.decoding_bytes / kParts : 0;
}

// The pages, in addition to the query service. Null: not configured.
absl::StatusOr<std::unique_ptr<PageServer>> StartPagesOf(
    const ServeOptions& options, const store::Store& store, const ReadSource& read_source,
    collector::Access access, const GrpcServer* server, base::MemoryBudget& decoding,
    collector::AsOf as_of) {
  if (!options.query || server == nullptr) return nullptr;
  absl::StatusOr<std::unique_ptr<PageServer>> pages =
      StartPages(options.pages, options.reporting.forges,
                 {store.reading, store.blobs, store.gate, store.invocations,
                  std::make_shared<PageMemory>(KeptByPages(options))},
                 read_source, std::move(access), decoding, std::move(as_of));
  if (pages.ok() && *pages != nullptr) {
    std::cout << "pages on http://" << (*pages)->address().ToString() << "/" << std::endl;
  }
  return pages;
}

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  // 1. Signals: from here on SIGTERM, SIGINT and SIGHUP wait for step 7.
  const ServeSignals signals;
  IgnoreWriteSignals();
  LeaveDeadlocksToTests();
  LogToStderr(options.observe.log_format);
  Reloading reloading;

  // It outlives the store, which may hang, too.
  std::optional<EndWithin> end;

  // 2. The store: open, with this program's schema version; watched, and its use counted.
  Metrics metrics;
  UploadRoom room;
  ASSIGN_OR_RETURN(
      const store::WholeStore whole,
      store::OpenWholeStore(options.store, options.archive,
                            [&room, count = metrics.OnStoreCall()](const store::StoreCall& call) {
                              room.Hear(call);
                              count(call);
                            }));
  const store::Store* const store = &whole.store;
  ASSIGN_OR_RETURN(std::unique_ptr<Observing> observing,
                   Observing::Start(options.observe, ServedRolesOf(options), store->condition,
                                    whole.transfers, room, metrics));

  // 3. Access: unauthorised clients cannot reach us.
  if (options.collector || options.query) {
    RETURN_IF_ERROR(CheckExposure(store->tokens, options));
  }
  ASSIGN_OR_RETURN(ReloadableIdTokens id_tokens, MakeReloadableIdTokens(options.issuers));
  if (id_tokens.reload) reloading.Add("the file of --id-tokens", id_tokens.reload);
  collector::Authorizer authorizer(store->tokens, store->audit, id_tokens.identify);
  ASSIGN_OR_RETURN(const std::unique_ptr<ServerCertificates> certificates,
                   LoadCertificates(options.tls, reloading));

  collector::Quotas quotas(
      [ingest = store->ingest](const std::string& project) { return ingest.SentBytes(project); });
  if (!options.quotas_file.empty()) {
    const auto set = [&] { return SetQuotasOfFile(options.quotas_file, quotas); };
    RETURN_IF_ERROR(set());
    reloading.Add("the file of --quotas", set);
  }

  base::MemoryBudget decoding(options.decoding_bytes - KeptByPages(options));

  // 4. The reporter and workers: they process jobs left by an earlier process. Other processes are
  // notified of new work here.
  ASSIGN_OR_RETURN(
      const std::unique_ptr<store::sql::WakeUps> others_of_store,
      options.observe.copies == CopyRole::kReadsOne ? nullptr : store::MakeWakeUps(options.store));
  const auto tell = [others = others_of_store.get()](store::sql::Work work) {
    if (others != nullptr) others->Tell(work);
  };
  absl::StatusOr<std::unique_ptr<Reporting>> reporting =
      StartReporting(*store, options, metrics, decoding);
  if (!reporting.ok()) return reporting.status();
  if (*reporting != nullptr) {
    reloading.Add("what --notify and the options of forges name",
                  [reporting = reporting->get()] { return reporting->Reload(); });
  }
  std::unique_ptr<KeepingChanges> keeping = StartKeepingChanges(*store, options, decoding);
  const auto wake_reporter = [reporter = reporting->get(), keeper = keeping.get()] {
    if (reporter != nullptr) reporter->Wake();
    if (keeper != nullptr) keeper->Wake();
  };
  const auto report = [wake_reporter, tell] {
    wake_reporter();
    tell(store::sql::Work::kReports);
  };
  std::unique_ptr<WorkerPool> workers = StartWorkers(*store, options, metrics, report);
  std::unique_ptr<Housekeeping> housekeeping = StartHousekeeping(whole, options, metrics);

  // 5. Services: built, not yet reachable.
  collector::CollectorService::Options collector_options;
  collector_options.quotas = &quotas;
  collector_options.decoding = &decoding;
  const auto wake_workers = [pool = workers.get()] {
    if (pool != nullptr) pool->Wake();
  };
  collector_options.on_recorded = [wake_workers, tell] {
    wake_workers();
    tell(store::sql::Work::kJobs);
  };
  const auto on_finished = [on_recorded = collector_options.on_recorded, report] {
    on_recorded();
    report();
  };
  collector_options.on_finished = on_finished;
  collector::CollectorService collector(store->blobs, store->ingest, collector_options);
  std::vector<collector::Method> methods;
  collector::CacheOptions cache_options;
  cache_options.limits = options.transfers;
  cache_options.quotas = &quotas;
  collector::CacheService cache(whole.transfers, cache_options);
  if (options.collector) {
    AddMethods(collector.Methods(), methods);
    AddMethods(cache.Methods(), methods);
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<OtherServices> others,
                   OtherServices::Make(options.other_services));
  collector::RemoteCaches caches(others->caches());
  std::unique_ptr<collector::BuildEventService> build_events = StartBuildEvents(
      whole, options, collector, *others, caches, collector_options.on_recorded, on_finished);
  if (build_events != nullptr) AddMethods(build_events->Methods(), methods);
  ReadSource read_source = nullptr;
  if (options.query) {
    ASSIGN_OR_RETURN(ReadSource made, SourceReaderOf(options.pages, options.reporting.forges));
    read_source = std::move(made);
    AddMethods(QueryMethods(store->reading, store->blobs, decoding, store->gate, read_source),
               methods);
  }

  // 6. The listener: ready, and the service manager is notified.
  absl::StatusOr<std::unique_ptr<GrpcServer>> server =
      StartListening(options, std::move(methods), collector::AccessOf(authorizer, &quotas),
                     certificates.get(), metrics, *observing);
  if (!server.ok()) return server.status();
  ASSIGN_OR_RETURN(
      std::unique_ptr<PageServer> pages,
      StartPagesOf(options, *store, read_source, collector::AccessOf(authorizer, &quotas),
                   server->get(), decoding, AsOfOf(options, *observing)));
  (observing)->Ready(
      SignsOfLife(server->get(), workers.get(), reporting->get()),
      [server = server->get(), &cache, &decoding, &others](std::vector<Sample>& samples) {
        if (server != nullptr) {
          SampleConnections(*server->connections(), server->open_calls(), samples);
        }
        SampleCache(cache.not_taken(), samples);
        SampleDecoding(decoding, samples);
        others->AddSamples(samples);
      });

  if (others_of_store != nullptr) {
    others_of_store->Start([wake_workers, wake_reporter](store::sql::Work work) {
      work == store::sql::Work::kJobs ? wake_workers() : wake_reporter();
    });
  }

  // 7. Service, until a signal.
  const int signal = signals.AwaitEnd([&reloading] { reloading.Run(); });
  spdlog::info("{} received: stopping", signal == SIGTERM ? "SIGTERM" : "SIGINT");

  end.emplace(kGrace);

  // 8. The end, in reverse: no calls, then no jobs, then no store. Acknowledged data is durable,
  // and unacknowledged uploads leave nothing behind.
  observing->Stopping();
  caches.Stop();
  if (build_events != nullptr) build_events->Stop();
  pages.reset();
  if (*server != nullptr) (*server)->Stop(kGraceForCalls);
  server->reset();
  build_events.reset();  // it wakes workers and the reporter, as do other processes:
  if (others_of_store != nullptr) others_of_store->Stop();
  housekeeping.reset();
  workers.reset();
  keeping.reset();
  reporting->reset();
  spdlog::info("stopped");
  return absl::OkStatus();
}

}  // namespace gprofhub::server
