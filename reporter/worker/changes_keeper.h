// Finds the changes of branches whose runs were analysed, and keeps them in the store, so that who
// asks for them waits for no more than a row (reporter/queries/changes.h).
//
// Whoever tells channels of changes (event_worker.h) finds and keeps them, too. This worker is for
// processes that tell nobody. It takes no lease: if it dies, nothing is lost but time.
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

// What the run's branch changed in its newest runs, in the run's configuration. It is kept from
// then on, if it was not. nullopt: there is a newer run of these, which looks at this one, too.
// Errors are GetChanges's and the store's.
absl::StatusOr<std::optional<v1::GetChangesResponse>> KeepChangesOf(
    const store::RunRecord& run, const store::ReportQueue& reports, const store::Reading& reading,
    const BlobReader& blobs);

struct ChangesKeeperOptions {
  std::string name;  // for the log
  // How often it looks for runs that nobody woke it for.
  absl::Duration poll = absl::Seconds(1);
  absl::Duration max_backoff = absl::Minutes(10);
  // What decoding the profiles may take; outlives the worker. Null: there is no bound.
  base::DecodingBudget* decoding = nullptr;
  std::function<absl::Time()> now = absl::Now;
};

class ChangesKeeper {
 public:
  ChangesKeeper(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                ChangesKeeperOptions options);

  // Works until Stop. Any thread may call Stop and Wake.
  void Run();
  void Stop();
  void Wake();

  // Looks at the branch of one run. False if there is none to look at. Errors are the store's; a
  // branch whose changes cannot be found is logged, and found by those who ask.
  absl::StatusOr<bool> RunOnce();

  // As base::WorkLoop has it.
  absl::Duration BusyFor() const { return loop_.BusyFor(); }

 private:
  const store::ReportQueue reports_;
  const store::Reading reading_;
  const store::Blobs blobs_;
  const ChangesKeeperOptions options_;
  base::WorkLoop loop_;
};

}  // namespace gprofhub::reporter
