// The background parts of a server, by its roles.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/decoding/budget.h"
#include "cli/housekeeping/housekeeping.h"
#include "cli/notify/keeping_changes.h"
#include "cli/observe/metrics.h"
#include "cli/observe/observing.h"
#include "cli/serve/grpc_server.h"
#include "cli/serve/reporting.h"
#include "cli/serve/serve_options.h"
#include "cli/serve/worker_pool.h"
#include "store/open_store.h"
#include "store/upkeep/upkeep.h"

namespace gprofhub::cli {

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
                                                          base::DecodingBudget& decoding);

// A reporter computes changes of branches also without notifications; null, too, where the notifier
// does it. `decoding` outlives it.
std::unique_ptr<KeepingChanges> StartKeepingChanges(const store::Store& store,
                                                    const ServeOptions& options,
                                                    base::DecodingBudget& decoding);

// Liveness probes of the process' parts. Null: the process does not have that part.
std::vector<LifeSign> SignsOfLife(const GrpcServer* server, const WorkerPool* workers,
                                  const Reporting* reporting);

}  // namespace gprofhub::cli
