// Finds out what is to be told of a branch. The worker claims the report jobs of runs without a
// pull request, finds and keeps the changes of the newest runs, and puts what is new, changed or
// over into the store. It sends nothing: delivery_worker.h does.
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
  // `forges` may lack projects. Where there is one, a change is told only if its commit is on the
  // branch: an upload may claim anything.
  EventWorker(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
              store::GateRecords gate, store::Notifications notifications, ForgeByProject forges,
              NotifyConfig config, OwnersOfFile owners, ReportWorkerOptions options);

  // Works until Stop. Any thread may call Stop.
  void Run();
  void Stop();
  // Looks for a due job now, if it waits for one. Any thread may call it.
  void Wake();

  // Claims one job and does it. False if none is due. Errors are the store's.
  absl::StatusOr<bool> RunOnce();

  // As base::WorkLoop has it.
  absl::Duration BusyFor() const { return loop_.BusyFor(); }

 private:
  absl::StatusOr<store::ReportOutcome> Report(const store::ReportJob& job);
  // What there is to plan with: what was found in the run's branch, and what was told.
  absl::StatusOr<PlanInput> Look(const store::RunRecord& run, v1::GetChangesResponse changes);
  // Leaves out changes whose commit the forge does not know on the branch.
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
