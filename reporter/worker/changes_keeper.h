// Worker that computes the changes of branches whose runs were analysed, and caches them in the
// store, so that queries read a single row (reporter/queries/changes.h).
//
// The event worker (event_worker.h) also computes and caches them; this worker is for processes
// without notifications. It takes no lease: if it dies, nothing but time is lost.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/decoding/budget.h"
#include "base/work_loop.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "store/blobs.h"
#include "store/reading.h"
#include "store/records/records.h"
#include "store/report_queue.h"

namespace gprofhub::reporter {

// Changes of the run's branch in its newest runs, in the run's configuration. Caches them unless
// they are cached already. nullopt: a newer run of these exists, whose job covers this run, too.
// Errors are GetChanges's and the store's.
absl::StatusOr<std::optional<v1::GetChangesResponse>> KeepChangesOf(
    const store::RunRecord& run, const store::ReportQueue& reports, const store::Reading& reading,
    const BlobReader& blobs);

struct ChangesKeeperOptions {
  std::string name;  // for the log
  // Polling interval, for runs without a Wake.
  absl::Duration poll = absl::Seconds(1);
  absl::Duration max_backoff = absl::Minutes(10);
  // Memory limit for decoding profiles; outlives the worker. Null: no limit.
  base::DecodingBudget* decoding = nullptr;
  std::function<absl::Time()> now = absl::Now;
};

class ChangesKeeper {
 public:
  ChangesKeeper(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                ChangesKeeperOptions options);

  // Works until Stop. Stop and Wake are thread-safe.
  void Run();
  void Stop();
  void Wake();

  // Processes the branch of one run. False if there is none. Errors are the store's; a branch whose
  // changes cannot be computed is logged, and left to queries.
  absl::StatusOr<bool> RunOnce();

  // As in base::WorkLoop.
  absl::Duration BusyFor() const { return loop_.BusyFor(); }

 private:
  const store::ReportQueue reports_;
  const store::Reading reading_;
  const store::Blobs blobs_;
  const ChangesKeeperOptions options_;
  base::WorkLoop loop_;
};

}  // namespace gprofhub::reporter
