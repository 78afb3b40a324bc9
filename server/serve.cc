#include "server/serve.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "server/access.h"
#include "server/housekeeping.h"
#include "server/log_lines.h"
#include "server/metrics.h"
#include "server/observing.h"
#include "server/page_options.h"
#include "server/part.h"
#include "server/reporting.h"
#include "server/services.h"
#include "server/signals.h"
#include "server/workers.h"
#include "store/open_store.h"
#include "store/upkeep.h"

namespace gprofhub::server {

namespace {

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

ServedRoles RolesOf(const std::vector<std::string>& names) {
  const auto has = [&names](const char* role) {
    return names.empty() || std::count(names.begin(), names.end(), "all") > 0 ||
           std::count(names.begin(), names.end(), role) > 0;
  };
  return {has("collector"), has("query"), has("worker"), has("reporter")};
}

// What the options lead to. Derived before anything is opened.
struct Setup {
  ServedRoles roles;                            // of --role
  std::string location;                         // as OpenStore wants it
  std::shared_ptr<store::ObjectStore> archive;  // null: none
  ListenAddress listen;
  CommentLinks links;
  std::string comparison_url;  // for clients
  CopyRole copies = CopyRole::kNone;
};

absl::StatusOr<Setup> SetupOf(const ServeOptions& options) {
  Setup setup;
  setup.roles = RolesOf(options.roles);
  ASSIGN_OR_RETURN(setup.location, StoreLocation(options.store));
  ASSIGN_OR_RETURN(setup.listen, ParseListenAddress(options.listen.address));
  ASSIGN_OR_RETURN(setup.archive, OpenArchive(options.store));
  const bool replica = options.observe.replica;
  if (replica && (setup.roles.collector || setup.roles.worker || setup.roles.reporter)) {
    return absl::InvalidArgumentError(
        "--replica: a replica of a database is read-only; pass --role=query");
  }
  ASSIGN_OR_RETURN(setup.links, CommentLinksOf(options.reporting, options.pages));
  ASSIGN_OR_RETURN(setup.comparison_url, ClientPageUrl(options.pages, setup.links.page_url));
  if (store::IsShared(setup.location)) {
    setup.copies = replica ? CopyRole::kReadsOne : CopyRole::kIsTold;
  } else if (replica) {
    return absl::InvalidArgumentError("--replica: only a PostgreSQL database has replicas");
  }
  return setup;
}

// A reporter without a destination has no health.
ServedRoles RolesWithHealth(ServedRoles roles, const ReportingOptions& reporting) {
  roles.reporter = roles.reporter && HasDestination(reporting);
  return roles;
}

HousekeepingOptions HousekeepingOptionsOf(const ServeOptions& options, const Metrics& metrics) {
  HousekeepingOptions housekeeping;
  housekeeping.by = {"gprofhub serve", ProcessName(), 0};
  housekeeping.archive_after = absl::Hours(24 * int64_t{options.archive_after_days});
  housekeeping.keep_segments = absl::Hours(24 * int64_t{options.store.keep_segments_days});
  housekeeping.on_done = [count = metrics.OnHousekeeping()](const HousekeepingResult& result) {
    const store::Collected& collected = result.collected;
    count({result.freed.runs, result.freed.profiles, collected.blobs, collected.transfers,
           collected.blob_bytes + collected.file_bytes + collected.transfer_bytes});
  };
  return housekeeping;
}

// Null: other processes of the store are not notified. A copy of a database is read only.
absl::StatusOr<std::unique_ptr<store::sql::WakeUps>> WakeUpsOf(const Setup& setup) {
  if (setup.copies == CopyRole::kReadsOne) return nullptr;
  return store::MakeWakeUps(setup.location);
}

// Time of the data in the replica that is read. Null: it reads the primary.
collector::AsOf AsOfOf(const Setup& setup, const Observing& observing) {
  if (setup.copies != CopyRole::kReadsOne) return nullptr;
  return [&observing] { return observing.AsOf(); };
}

uint64_t DecodingBytes(const ServeOptions& options) {
  return uint64_t{options.limits.decoding_mib} << 20;
}

// The pages' cache is a part of the memory limit for decoding.
uint64_t KeptByPages(const ServeOptions& options, const ServedRoles& roles) {
  constexpr uint64_t kParts = 8;
  return roles.query && !options.pages.listen.empty() ? DecodingBytes(options) / kParts : 0;
}

// The parts of one server; all of them, whatever its roles.
struct AllParts {
  AllParts(const ServeOptions& options, const Setup& setup, const store::WholeStore& store,
           const Metrics& metrics, const UploadRoom& room, Reloading& reloading,
           std::unique_ptr<store::sql::WakeUps> wake_ups);

  // In the order of their start.
  std::vector<ServerPart*> Of(const ServedRoles& roles);

  base::MemoryBudget decoding;
  WorkSignals work;
  Observing observing;
  const ServerContext context;
  AccessControl access;
  Reporter reporter;
  WorkerPool workers;
  Housekeeping housekeeping;
  Services services;
  CallListener calls;
  PageListener pages;
};

AllParts::AllParts(const ServeOptions& options, const Setup& setup, const store::WholeStore& store,
                   const Metrics& metrics, const UploadRoom& room, Reloading& reloading,
                   std::unique_ptr<store::sql::WakeUps> wake_ups)
    : decoding(DecodingBytes(options) - KeptByPages(options, setup.roles)),
      work(std::move(wake_ups)),
      observing(options.observe, RolesWithHealth(setup.roles, options.reporting), setup.copies,
                store.store.condition, store.transfers, room, metrics),
      context{store, metrics, observing, reloading, decoding, work},
      access(context, options.access, setup.roles,
             {setup.listen, options.listen.tls, options.pages}),
      reporter(context, options.reporting, setup.links),
      workers(context, options.workers),
      housekeeping(store.store.reading, store.upkeep, HousekeepingOptionsOf(options, metrics)),
      services(context, setup.roles,
               {options.limits, options.listen, options.other_services, options.pages,
                options.reporting.forges, setup.comparison_url},
               access),
      calls(context, setup.roles, options.listen, setup.listen, AsOfOf(setup, observing), access,
            services),
      pages(context, options.pages, options.reporting.forges, setup.links.picture_key,
            KeptByPages(options, setup.roles), AsOfOf(setup, observing), access, services, calls) {
  work.set_wake_workers([this] { workers.Wake(); });
  work.set_wake_reporter([this] { reporter.Wake(); });
}

std::vector<ServerPart*> AllParts::Of(const ServedRoles& roles) {
  // The store is watched, and the port of metrics says that the server starts.
  std::vector<ServerPart*> parts = {&observing};
  // Unauthorised clients cannot reach us.
  parts.push_back(&access);
  // The reporter and workers process jobs that an earlier process left.
  if (roles.reporter) parts.push_back(&reporter);
  if (roles.worker) parts.insert(parts.end(), {&workers, &housekeeping});
  // Other processes notify them of new work, and are notified.
  parts.push_back(&work);
  // The services are built, but not yet reachable.
  parts.push_back(&services);
  // Clients reach them. Once all parts are ready, the service manager is notified.
  parts.push_back(&calls);
  if (roles.query) parts.push_back(&pages);
  return parts;
}

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  // 1. Options: consistent, and the files that they name exist.
  ASSIGN_OR_RETURN(const Setup setup, SetupOf(options));

  // 2. Signals: from here on SIGTERM, SIGINT and SIGHUP wait for step 5.
  const ServeSignals signals;
  IgnoreWriteSignals();
  LeaveDeadlocksToTests();
  LogToStderr(options.observe.log_format);

  // It outlives the store, which may hang, too.
  std::optional<EndWithin> end;

  // 3. The store: open, with this program's schema version, and its use counted.
  Metrics metrics;
  UploadRoom room;
  ASSIGN_OR_RETURN(
      const store::WholeStore store,
      store::OpenWholeStore(
          setup.location,
          setup.copies == CopyRole::kReadsOne ? store::OpenMode::kReplica : store::OpenMode::kServe,
          setup.archive, [&room, count = metrics.OnStoreCall()](const store::StoreCall& call) {
            room.Hear(call);
            count(call);
          }));
  ASSIGN_OR_RETURN(std::unique_ptr<store::sql::WakeUps> wake_ups, WakeUpsOf(setup));

  // 4. The parts: all run, and the process is ready. After an error none runs.
  Reloading reloading;
  AllParts all(options, setup, store, metrics, room, reloading, std::move(wake_ups));
  ServerParts parts(all.Of(setup.roles));
  RETURN_IF_ERROR(parts.Start());

  // 5. Service, until a signal.
  const int signal = signals.AwaitEnd([&reloading] { reloading.Run(); });
  spdlog::info("{} received: stopping", signal == SIGTERM ? "SIGTERM" : "SIGINT");
  end.emplace(kGrace);

  // 6. The end, in reverse: no calls, then no jobs, then no store. Acknowledged data is durable,
  // and unacknowledged uploads leave nothing behind.
  parts.Stop();
  spdlog::info("stopped");
  return absl::OkStatus();
}

}  // namespace gprofhub::server
