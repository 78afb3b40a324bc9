#include "reporter/worker/event_worker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/glob.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/follow_ups.h"
#include "reporter/worker/changes_keeper.h"

namespace gprofhub::reporter {
namespace {

// With this number of runs, the oldest quarter only serves as a baseline.
constexpr size_t kSettled = kDefaultChangeRuns * 3 / 4;

}  // namespace

EventWorker::EventWorker(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                         store::GateRecords gate, store::Notifications notifications,
                         ForgeByProject forges, NotifyConfig config, OwnersOfFile owners,
                         ReportWorkerOptions options)
    : reports_(std::move(reports)),
      reading_(std::move(reading)),
      blobs_(std::move(blobs)),
      gate_(std::move(gate)),
      notifications_(std::move(notifications)),
      forges_(std::move(forges)),
      config_(std::move(config)),
      owners_(std::move(owners)),
      options_(std::move(options)),
      loop_({options_.poll, 2 * options_.poll, options_.max_backoff}) {}

void EventWorker::Run() {
  loop_.Run([this] { return RunOnce(); },
            [this](const absl::Status& error, absl::Duration) {
              spdlog::error("reporter {}: {}", options_.name, error.ToString());
            });
}

void EventWorker::Stop() { loop_.Stop(); }

void EventWorker::Wake() { loop_.Wake(); }

absl::StatusOr<bool> EventWorker::RunOnce() {
  return DoReportJob(reports_, store::ReportKind::kBranch, options_,
                     [this](const store::ReportJob& job) { return Report(job); });
}

absl::Status EventWorker::DropForeign(const store::RunRecord& run,
                                      v1::GetChangesResponse& changes) {
  const auto forge = forges_.find(run.project);
  if (forge == forges_.end()) return absl::OkStatus();
  google::protobuf::RepeatedPtrField<v1::ChangeEvent> kept;
  for (v1::ChangeEvent& event : *changes.mutable_events()) {
    // Old changes are not reported, so the forge need not be queried.
    const absl::Time came = absl::FromUnixMillis(event.at().unix_ms());
    if (!event.at().commit().empty() && came >= options_.now() - config_.max_age) {
      const absl::StatusOr<bool> on_branch =
          forge->second->CommitIsOnBranch(event.at().commit(), run.branch);
      if (!on_branch.ok()) return on_branch.status();
      if (!*on_branch) continue;
    }
    *kept.Add() = std::move(event);
  }
  changes.mutable_events()->Swap(&kept);
  return absl::OkStatus();
}

absl::StatusOr<PlanInput> EventWorker::Look(const store::RunRecord& run,
                                            v1::GetChangesResponse changes) {
  PlanInput input;
  input.project = run.project;
  input.now = options_.now();
  input.changes = std::move(changes);
  absl::Status culprits = AddCulprits(reading_, gate_, run.project, input.changes);
  if (!culprits.ok()) return culprits;
  if (absl::Status status = DropForeign(run, input.changes); !status.ok()) return status;
  store::RunFilter filter = RunsOfHistory({run.project, run.branch, run.configuration});
  filter.limit = kDefaultChangeRuns;
  const absl::StatusOr<std::vector<store::RunHead>> runs = reading_.ListRunHeads(filter);
  if (!runs.ok()) return runs.status();
  if (runs->size() == kDefaultChangeRuns) input.looked_at_from = (*runs)[kSettled].ordered;
  absl::StatusOr<std::vector<store::NotificationRecord>> told = notifications_.List(run.project);
  if (!told.ok()) return told.status();
  input.told = *std::move(told);
  absl::StatusOr<std::vector<store::AcknowledgementRecord>> acknowledged =
      gate_.ListAcknowledgements(run.project);
  if (!acknowledged.ok()) return acknowledged.status();
  input.acknowledged = *std::move(acknowledged);
  return input;
}

absl::StatusOr<store::ReportOutcome> EventWorker::Report(const store::ReportJob& job) {
  const absl::StatusOr<store::RunRecord> run = reading_.ReadRun(job.run_id);
  if (!run.ok()) return run.status();
  const JobBlobs blobs(blobs_, options_.decoding, run->project,
                       [this] { return loop_.Stopping(); });
  absl::StatusOr<std::optional<v1::GetChangesResponse>> changes =
      KeepChangesOf(*run, reports_, reading_, blobs.reader());
  if (absl::IsNotFound(changes.status())) return ReportDone("no target of the branch is analysed");
  if (!changes.ok()) return changes.status();
  // The newest run's job covers this run, too.
  if (!changes->has_value()) return ReportDone("there is a newer run");
  const auto& branches = config_.branches;
  if (std::none_of(branches.begin(), branches.end(), [&run](const std::string& pattern) {
        return base::GlobMatches(pattern, run->branch);
      })) {
    return ReportDone("the branch is not one whose changes are told");
  }
  const absl::StatusOr<PlanInput> input = Look(*run, **std::move(changes));
  if (!input.ok()) return input.status();
  Plan plan = PlanNotifications(*input, config_, owners_);
  for (const auto& [records, deliver] :
       {std::pair(&plan.tell, true), std::pair(&plan.keep, false)}) {
    for (store::NotificationRecord& record : *records) record.request = job.request;
    const absl::Status put = notifications_.Put(*records, deliver, options_.now());
    if (!put.ok()) return put;
  }
  options_.on_ended({"looked", ""});
  spdlog::info("reporter {}: looked at run {} of {} for changes: {} to tell", options_.name,
               run->id, run->branch, plan.tell.size());
  return ReportDone(absl::StrCat(input->changes.events_size(), " changes looked at"));
}

}  // namespace gprofhub::reporter
