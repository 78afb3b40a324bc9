#include "cli/serve/serve.h"

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

#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/decoding/budget.h"
#include "cli/housekeeping/housekeeping.h"
#include "cli/logs/log_to_stderr.h"
#include "cli/notify/keeping_changes.h"
#include "cli/observe/metrics.h"
#include "cli/observe/observing.h"
#include "cli/observe/samplers.h"
#include "cli/serve/bazel/other_services.h"
#include "cli/serve/exposure.h"
#include "cli/serve/grpc_server.h"
#include "cli/serve/page_options.h"
#include "cli/serve/process/end_within.h"
#include "cli/serve/process/quotas_of_file.h"
#include "cli/serve/process/reloading.h"
#include "cli/serve/process/signals.h"
#include "cli/serve/query_service.h"
#include "cli/serve/start_parts.h"
#include "cli/serve/worker_pool.h"
#include "collector/access/authorizer.h"
#include "collector/bes/bes_service.h"
#include "collector/bes/handed_over.h"
#include "collector/bes/remote_caches.h"
#include "collector/cache/cache_service.h"
#include "collector/call_access.h"
#include "collector/calls/method.h"
#include "collector/collector_service.h"
#include "collector/quotas/quotas.h"
#include "store/upkeep/upkeep.h"

namespace gprofhub::cli {
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
    collector::Access access, const GrpcServer* server, base::DecodingBudget& decoding,
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
  const absl::StatusOr<store::WholeStore> whole =
      store::OpenWholeStore(options.store, options.archive,
                            [&room, count = metrics.OnStoreCall()](const store::StoreCall& call) {
                              room.Hear(call);
                              count(call);
                            });
  if (!whole.ok()) return whole.status();
  const store::Store* const store = &whole->store;
  absl::StatusOr<std::unique_ptr<Observing>> observing = Observing::Start(
      options.observe, ServedRolesOf(options), store->condition, whole->transfers, room, metrics);
  if (!observing.ok()) return observing.status();

  // 3. Access: unauthorised clients cannot reach us.
  if (options.collector || options.query) {
    if (absl::Status status = CheckExposure(store->tokens, options); !status.ok()) return status;
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

  base::DecodingBudget decoding(options.decoding_bytes - KeptByPages(options));

  // 4. The reporter and workers: they process jobs left by an earlier process. Other processes are
  // notified of new work here.
  const absl::StatusOr<std::unique_ptr<store::sql::WakeUps>> others_of_store =
      options.observe.copies == CopyRole::kReadsOne ? nullptr : store::MakeWakeUps(options.store);
  if (!others_of_store.ok()) return others_of_store.status();
  const auto tell = [others = others_of_store->get()](store::sql::Work work) {
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
  std::unique_ptr<Housekeeping> housekeeping = StartHousekeeping(*whole, options, metrics);

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
  collector::CacheService cache(whole->transfers, cache_options);
  if (options.collector) {
    AddMethods(collector.Methods(), methods);
    AddMethods(cache.Methods(), methods);
  }
  const absl::StatusOr<std::unique_ptr<OtherServices>> others =
      OtherServices::Make(options.other_services);
  if (!others.ok()) return others.status();
  collector::RemoteCaches caches((*others)->caches());
  std::unique_ptr<collector::BuildEventService> build_events = StartBuildEvents(
      *whole, options, collector, **others, caches, collector_options.on_recorded, on_finished);
  if (build_events != nullptr) AddMethods(build_events->Methods(), methods);
  ReadSource read_source = nullptr;
  if (options.query) {
    absl::StatusOr<ReadSource> made = SourceReaderOf(options.pages, options.reporting.forges);
    if (!made.ok()) return made.status();
    read_source = *std::move(made);
    AddMethods(QueryMethods(store->reading, store->blobs, decoding, store->gate, read_source),
               methods);
  }

  // 6. The listener: ready, and the service manager is notified.
  absl::StatusOr<std::unique_ptr<GrpcServer>> server =
      StartListening(options, std::move(methods), collector::AccessOf(authorizer, &quotas),
                     certificates->get(), metrics, **observing);
  if (!server.ok()) return server.status();
  absl::StatusOr<std::unique_ptr<PageServer>> pages =
      StartPagesOf(options, *store, read_source, collector::AccessOf(authorizer, &quotas),
                   server->get(), decoding, AsOfOf(options, **observing));
  if (!pages.ok()) return pages.status();
  (*observing)
      ->Ready(SignsOfLife(server->get(), workers.get(), reporting->get()),
              [server = server->get(), &cache, &decoding, &others](std::vector<Sample>& samples) {
                if (server != nullptr) {
                  SampleConnections(*server->connections(), server->open_calls(), samples);
                }
                SampleCache(cache.not_taken(), samples);
                SampleDecoding(decoding, samples);
                (*others)->AddSamples(samples);
              });

  if (*others_of_store != nullptr) {
    (*others_of_store)->Start([wake_workers, wake_reporter](store::sql::Work work) {
      work == store::sql::Work::kJobs ? wake_workers() : wake_reporter();
    });
  }

  // 7. Service, until a signal.
  const int signal = signals.AwaitEnd([&reloading] { reloading.Run(); });
  spdlog::info("{} received: stopping", signal == SIGTERM ? "SIGTERM" : "SIGINT");

  end.emplace(kGrace);

  // 8. The end, in reverse: no calls, then no jobs, then no store. Acknowledged data is durable,
  // and unacknowledged uploads leave nothing behind.
  (*observing)->Stopping();
  caches.Stop();
  if (build_events != nullptr) build_events->Stop();
  pages->reset();
  if (*server != nullptr) (*server)->Stop(kGraceForCalls);
  server->reset();
  build_events.reset();  // it wakes workers and the reporter, as do other processes:
  if (*others_of_store != nullptr) (*others_of_store)->Stop();
  housekeeping.reset();
  workers.reset();
  keeping.reset();
  reporting->reset();
  spdlog::info("stopped");
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
