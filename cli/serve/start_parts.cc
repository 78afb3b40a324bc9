#include "cli/serve/start_parts.h"

#include "absl/strings/str_cat.h"
#include "cli/serve/process/process_name.h"

namespace gprofhub::cli {

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
                                                          base::DecodingBudget& decoding) {
  const ReportingOptions& reporting = options.reporting;
  if (!Reports(options)) return nullptr;
  return Reporting::Start(
      {store.reports, store.reading, store.blobs, store.gate, store.notifications, &decoding},
      reporting, {metrics.OnReport(), metrics.OnWebhook()});
}

std::unique_ptr<KeepingChanges> StartKeepingChanges(const store::Store& store,
                                                    const ServeOptions& options,
                                                    base::DecodingBudget& decoding) {
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

}  // namespace gprofhub::cli
