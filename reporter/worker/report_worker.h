// Reports on pull requests. The worker claims their jobs from the store and executes one at a time.
//
// A report contains only facts that the forge confirms:
// - The upload's project selects the repository, by the server's own table.
// - The pull request must exist and be open, and the run's commit must be its head.
// - The base must lie on the target branch.
// - The policy and CODEOWNERS are read from the target branch, too: a pull request can neither
//   loosen its own gate nor mention people.
//
// A run may announce a rerun of some of its tests. If the report has a target that would raise an
// alarm on the evidence of one run, it waits until another run of the commit arrives, whose own job
// then creates the report; or until rerun_wait has passed.
//
// After a report that failed its check the job is repeated periodically, because a comment may
// acknowledge a finding; for a day also after a report that more runs would decide, because a
// comment may request them. The worker then restarts the CI job if the policy names it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/work_loop.h"
#include "proto/findings.pb.h"
#include "reporter/forge/forge.h"
#include "reporter/worker/report_jobs.h"
#include "store/blobs.h"
#include "store/gate_records.h"
#include "store/reading.h"
#include "store/report_queue.h"

namespace gprofhub::reporter {

// The repositories that projects belong to, by project.
using ForgeByProject = std::map<std::string, std::shared_ptr<Forge>>;

class ReportWorker {
 public:
  ReportWorker(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
               store::GateRecords gate, ForgeByProject forges, ReportWorkerOptions options);

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
  // The outcome of the job. Errors may be temporary.
  absl::StatusOr<store::ReportOutcome> Report(const store::ReportJob& job);
  absl::StatusOr<store::ReportOutcome> ReportAt(Forge& forge, const store::ReportJob& job,
                                                const store::RunRecord& run);
  // The comparison with the base that the forge confirms. UNAVAILABLE while it is not possible.
  absl::StatusOr<v1::Report> CompareAt(Forge& forge, const PullRequest& pull_request,
                                       const store::RunRecord& run);

  const store::ReportQueue reports_;
  const store::Reading reading_;
  const store::Blobs blobs_;
  const store::GateRecords gate_;
  const ForgeByProject forges_;
  const ReportWorkerOptions options_;
  base::WorkLoop loop_;
};

}  // namespace gprofhub::reporter
