// Plans notifications of a branch. The worker claims the report jobs of runs without a pull
// request, computes and caches the changes of the newest runs, and stores new, updated and closed
// notifications. delivery_worker.h sends them.
#pragma once

#include "absl/status/statusor.h"
#include "base/work_loop.h"
#include "reporter/notify/config.h"
#include "reporter/notify/plan.h"
#include "reporter/worker/report_jobs.h"
#include "reporter/worker/report_worker.h"
#include "store/blobs.h"
#include "store/gate_records.h"
#include "store/notifications.h"
#include "store/reading.h"
#include "store/report_queue.h"

namespace gprofhub::reporter {

class EventWorker {
 public:
  // `forges` may lack projects. With a forge, a change is reported only if its commit is on the
  // branch: uploads are untrusted.
  EventWorker(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
              store::GateRecords gate, store::Notifications notifications, ForgeByProject forges,
              NotifyConfig config, OwnersOfFile owners, ReportWorkerOptions options);

  // Works until Stop, which is thread-safe.
  void Run();
  void Stop();
  // Checks for a due job now, if it is waiting. Thread-safe.
  void Wake();

  // Claims and executes one job. False if none is due. Errors are the store's.
  absl::StatusOr<bool> RunOnce();

  // As in base::WorkLoop.
  absl::Duration BusyFor() const { return loop_.BusyFor(); }

 private:
  absl::StatusOr<store::ReportOutcome> Report(const store::ReportJob& job);
  // The input of the plan: the run's branch's changes, and the stored notifications.
  absl::StatusOr<PlanInput> Look(const store::RunRecord& run, v1::GetChangesResponse changes);
  // Removes changes whose commit is not on the branch according to the forge.
  absl::Status DropForeign(const store::RunRecord& run, v1::GetChangesResponse& changes);

  const store::ReportQueue reports_;
  const store::Reading reading_;
  const store::Blobs blobs_;
  const store::GateRecords gate_;
  const store::Notifications notifications_;
  const ForgeByProject forges_;
  const NotifyConfig config_;
  const OwnersOfFile owners_;
  const ReportWorkerOptions options_;
  base::WorkLoop loop_;
};

}  // namespace gprofhub::reporter
