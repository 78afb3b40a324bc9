// Reports on pull requests. The worker claims their jobs from the store and executes one at a time.
//
// A report contains only facts that the forge confirms:
// - The upload's project selects the repository, by the server's own table.
// - The pull request must exist and be open, and the run's commit must be its head.
// - The base must lie on the target branch.
// - The policy and CODEOWNERS are read from the target branch, too: a pull request can neither
//   loosen its own gate nor mention people.
//
// There is one comment and one check for each commit: about the newest runs of all configurations
// of all projects of the repository. Each report is made of the store as it is, so a run changes
// its own part only, and the order in which jobs end does not matter.
//
// A part that the forge refuses for good, such as a commit status in a fork, is left out: the
// report is posted without it, and the note of its job, the log and the comment name it.
//
// A run may announce a rerun of some of its tests. If the report has a target that would raise an
// alarm on the evidence of one run, it waits until another run of the commit arrives, whose own job
// then creates the report; or until rerun_wait has passed.
//
// After a report that failed its check the job is repeated periodically, because a comment may
// acknowledge a finding; for a day also after a report that more runs would decide, because a
// comment may request them. The worker then restarts the CI job if the policy names it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/memory_budget.h"
#include "base/stop_token.h"
#include "base/work_loop.h"
#include "proto/findings.pb.h"
#include "reporter/forge/forge.h"
#include "store/gate_records.h"
#include "store/reading.h"
#include "store/report_queue.h"
#include "store/validation.h"

namespace gprofhub::reporter {

// Common parts of workers on report jobs: claim, execute, report the outcome.

// A finished attempt at a report, or at a message to a channel.
struct EndedReport {
  // Of a report: "posted", "silent" (nothing to report), "superseded", "looked" (changes of a
  // branch), "waiting" (for a rerun), "none" (not wanted). Of a message: "told" (sent), "nothing"
  // (to send), "waiting" (quiet hours). Of both: "again" (failed, will be retried), "failed" (given
  // up).
  absl::string_view outcome;
  absl::string_view channel;  // empty: a report
};

struct ReportWorkerOptions {
  std::string name;  // unique among the workers of the store
  // Time after which another worker may take over the job of a dead one. A report takes a few
  // requests, each of a minute at most.
  absl::Duration lease = absl::Minutes(10);
  // The wait after an attempt that failed at the forge or at the store. It doubles up to the second
  // value. The forge's own RetryAfterOf has precedence.
  absl::Duration min_backoff = absl::Seconds(30);
  absl::Duration max_backoff = absl::Minutes(10);
  // Jobs are given up if they fail for longer.
  absl::Duration give_up_after = absl::Hours(24);
  // Interval and duration of reading comments for commands after a failed check.
  absl::Duration watch_every = absl::Minutes(1);
  absl::Duration watch_for = absl::Hours(24 * 14);
  // Duration of reading comments after a report that only offers a rerun.
  absl::Duration watch_reruns_for = absl::Hours(24);
  // How long a report with a possible alarm waits for an announced rerun (RunInfo.rerun), and its
  // polling interval.
  absl::Duration rerun_wait = absl::Minutes(30);
  absl::Duration rerun_poll = absl::Minutes(1);
  // Address of the full report, with the placeholders "{project}" and "{run}". Empty: no such page.
  std::string page_url;
  // Origin of the server that shows pictures for comments, "https://host", and the common signing
  // key (reporter/posting/post_report.h). Empty: comments have no pictures.
  std::string picture_host;
  std::string picture_key;
  // Memory limit for decoding profiles; outlives the worker. Null: no limit.
  base::MemoryBudget* decoding = nullptr;
  std::function<absl::Time()> now = absl::Now;
  // Called after each attempt; must not block.
  std::function<void(const EndedReport&)> on_ended = [](const EndedReport&) {};
};

// The wait before the next attempt after `attempts` failures, the last with `error`.
absl::Duration BackoffAfter(const ReportWorkerOptions& options, uint32_t attempts,
                            const absl::Status& error);

// Outcome of a finished report.
store::ReportOutcome ReportDone(absl::string_view note);

// Claims and executes one job of the kind. False if none is due. Errors are the store's. An error
// of `report` is retried later, unless it is INVALID_ARGUMENT or NOT_FOUND, or too old.
absl::StatusOr<bool> DoReportJob(
    const store::ReportQueue& reports, store::ReportKind kind, const ReportWorkerOptions& options,
    const std::function<absl::StatusOr<store::ReportOutcome>(const store::ReportJob&)>& report);

// A loop for one of the reporter's workers, which logs errors under the worker's name. It polls for
// jobs without a Wake: due by time, or queued by another process.
std::unique_ptr<base::WorkLoop> StartReporterLoop(const std::string& name,
                                                  base::WorkLoop::Work work);

// The repositories that projects belong to, by project. Projects of one repository, such as its
// workspaces, share the forge.
using ForgeByProject = std::map<std::string, std::shared_ptr<Forge>>;

// Stores the default branches that the forges name, every hour.
class MainBranchKeeper {
 public:
  MainBranchKeeper(store::ReportQueue reports, const ForgeByProject& forges, std::string name,
                   std::function<absl::Time()> now = absl::Now);

  // Asks one repository. False if none is due. The last answer of a forge that cannot be asked
  // stays; the error is logged under the name.
  absl::StatusOr<bool> RunOnce();

 private:
  using ProjectsByForge = std::map<std::shared_ptr<Forge>, std::vector<std::string>>;

  const store::ReportQueue reports_;
  const std::string name_;
  const std::function<absl::Time()> now_;
  ProjectsByForge projects_;
  ProjectsByForge::const_iterator next_;  // at the end: wait until due_
  absl::Time due_ = absl::InfinitePast();
};

struct ReportPart;
struct Posting;

class ReportWorker {
 public:
  ReportWorker(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
               store::GateRecords gate, ForgeByProject forges, ReportWorkerOptions options);

  // Claims and executes one job. False if none is due. Errors are the store's. Once `stopping` is
  // set, the job is returned to the queue.
  absl::StatusOr<bool> RunOnce(const base::StopToken& stopping = {});

 private:
  // The outcome of the job. Errors may be temporary.
  absl::StatusOr<store::ReportOutcome> Report(const store::ReportJob& job,
                                              const base::StopToken& stopping);
  absl::StatusOr<store::ReportOutcome> ReportAt(Forge& forge, const store::ReportJob& job,
                                                const store::RunRecord& run,
                                                const base::StopToken& stopping);
  // The projects whose repository it is, by name.
  std::vector<std::string> ProjectsAt(const Forge& forge) const;
  // The newest run of each configuration at this run's commit and pull request, by project and
  // configuration.
  absl::StatusOr<std::deque<ReportPart>> PartsOf(const std::vector<std::string>& projects,
                                                 const store::RunRecord& run) const;
  // The states of all runs at this run's commit. Data that arrives changes them.
  absl::StatusOr<std::vector<store::RunState>> StatesAt(const std::vector<std::string>& projects,
                                                        const std::string& commit) const;
  // Judges the parts and composes the posting; `comment` names it. Stores gated findings, and
  // settles requests for a rerun: `to_start` says whether one has to be started later.
  absl::StatusOr<Posting> Compose(Forge& forge, const PullRequest& pull_request,
                                  const std::string& comment, std::deque<ReportPart>& parts,
                                  Refusals& refusals, bool& to_start);
  // The comparison with the base that the forge confirms. UNAVAILABLE while it is not possible.
  absl::StatusOr<v1::Report> CompareAt(Forge& forge, const PullRequest& pull_request,
                                       const store::RunRecord& run, Refusals& refusals,
                                       const base::StopToken& stopping);
  // Compares each part. Returns what the report waits for, such as a rerun; empty: nothing.
  absl::StatusOr<std::string> CompareParts(Forge& forge, const PullRequest& pull_request,
                                           std::deque<ReportPart>& parts, Refusals& refusals,
                                           const base::StopToken& stopping);
  // Marks findings in the pull request's changed lines.
  absl::Status MarkChanged(Forge& forge, const PullRequest& pull_request,
                           const store::ReportJob& job, std::deque<ReportPart>& parts,
                           Refusals& refusals) const;
  // What a posted report waits for.
  struct Watched {
    bool to_start = false;   // a CI job that is to be started again
    bool fails = false;      // acknowledgements may make it pass
    bool may_rerun = false;  // somebody may ask for a rerun
  };
  // When the pull request is looked at again, and for what; else done with this result.
  store::ReportOutcome NextLook(const Watched& watched, const store::ReportJob& job,
                                absl::string_view result) const;
  // The note of a report with this result. Logs the refused parts once for each pull request.
  std::string NoteOf(const std::string& result, const store::RunRecord& run,
                     const Refusals& refusals);

  const store::ReportQueue reports_;
  const store::Reading reading_;
  const store::Blobs blobs_;
  const store::GateRecords gate_;
  const ForgeByProject forges_;
  const ReportWorkerOptions options_;
  // The logged refusals, by project and pull request. Of the working thread.
  std::map<std::string, std::string> logged_;
};

}  // namespace gprofhub::reporter
