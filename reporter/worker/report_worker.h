// Reports on pull requests. The worker claims their jobs from the store and does one at a time.
//
// A report says only what the forge confirms:
// - The upload's project decides the repository, by the server's own table.
// - The pull request must be there and open, and the run's commit must be its head.
// - The base must lie on the branch that the pull request goes into.
// - The policy is read from that branch, too. A pull request cannot loosen its own gate. So is
//   CODEOWNERS: a pull request cannot call anybody.
//
// A run may say that some of its tests are run again before anybody is told. If the report has a
// target that would alarm on the evidence of one run, it waits until another run of the commit has
// come, whose own job then makes the report; or until rerun_wait has passed.
//
// After a report that failed its check the job comes back now and then, because people may have
// acknowledged something in a comment; for a day also after one that more runs would decide,
// because people may ask for them there. The CI job is started again for that if the policy names
// it.
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
  // How the job ends. An error may pass with time.
  absl::StatusOr<store::ReportOutcome> Report(const store::ReportJob& job);
  absl::StatusOr<store::ReportOutcome> ReportAt(Forge& forge, const store::ReportJob& job,
                                                const store::RunRecord& run);
  // The comparison with what the forge confirms of the base. UNAVAILABLE while it cannot be made.
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
