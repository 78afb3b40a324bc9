// Reports on pull requests. The worker claims their jobs from the store and does one at a time.
//
// A report says only what the forge confirms:
// - The upload's project decides the repository, by the server's own table.
// - The pull request must be there and open, and the run's commit must be its head.
// - The base must lie on the branch that the pull request goes into.
// - The policy is read from that branch, too. A pull request cannot loosen its own gate. So is
//   CODEOWNERS: a pull request cannot call anybody.
//
// After a report that failed its check the job comes back now and then, because people may have
// acknowledged something in a comment.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/work_loop.h"
#include "proto/findings.pb.h"
#include "reporter/forge/forge.h"
#include "store/blobs.h"
#include "store/gate_records.h"
#include "store/reading.h"
#include "store/report_queue.h"

namespace gprofhub::reporter {

// The repositories that projects belong to, by project.
using ForgeByProject = std::map<std::string, std::shared_ptr<Forge>>;

struct ReportWorkerOptions {
  std::string name;  // unique among the workers of the store
  // After this time a worker that died is found out. A report takes a few requests, each of a
  // minute at most.
  absl::Duration lease = absl::Minutes(10);
  absl::Duration poll = absl::Seconds(5);
  // The wait after an attempt that failed at the forge or at the store. It doubles up to the second
  // value. The forge's own word on when to come back goes before.
  absl::Duration min_backoff = absl::Seconds(30);
  absl::Duration max_backoff = absl::Minutes(10);
  // A forge that is down for longer is not waited for.
  absl::Duration give_up_after = absl::Hours(24);
  // How often comments are read for commands after a failed check, and how long.
  absl::Duration watch_every = absl::Minutes(1);
  absl::Duration watch_for = absl::Hours(24 * 14);
  // Where people read a whole report: an address in which "{project}" and "{run}" are replaced.
  // Empty: there is no such page.
  std::string page_url;
  std::function<absl::Time()> now = absl::Now;
};

class ReportWorker {
 public:
  ReportWorker(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
               store::GateRecords gate, ForgeByProject forges, ReportWorkerOptions options);

  // Works until Stop. Any thread may call Stop.
  void Run();
  void Stop();

  // Claims one job and does it. False if none is due. Errors are the store's.
  absl::StatusOr<bool> RunOnce();

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
