#include "reporter/worker/changes_keeper.h"

#include <spdlog/spdlog.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "reporter/queries/changes.h"

namespace gprofhub::reporter {

absl::StatusOr<std::optional<v1::GetChangesResponse>> KeepChangesOf(
    const store::RunRecord& run, const store::ReportQueue& reports, const store::Reading& reading,
    const BlobReader& blobs) {
  store::RunFilter filter = RunsOfHistory({run.project, run.branch, run.configuration});
  filter.by_arrival = true;
  filter.limit = 1;
  const absl::StatusOr<std::vector<store::RunState>> newest = reading.ListRunStates(filter);
  if (!newest.ok()) return newest.status();
  if (!newest->empty() && newest->front().run_id > run.id) return std::nullopt;
  v1::GetChangesRequest request;
  request.set_project(run.project);
  request.set_branch(run.branch);
  request.set_configuration(run.configuration);
  absl::StatusOr<FoundChanges> found = FindChanges(reading, blobs, request);
  if (!found.ok()) return found.status();
  if (found->to_keep.has_value()) {
    const absl::Status kept = reports.KeepChanges(found->branch, *found->to_keep);
    if (!kept.ok()) return kept;
  }
  return std::move(found->response);
}

ChangesKeeper::ChangesKeeper(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                             ChangesKeeperOptions options)
    : reports_(std::move(reports)),
      reading_(std::move(reading)),
      blobs_(std::move(blobs)),
      options_(std::move(options)),
      loop_({options_.poll, 2 * options_.poll, options_.max_backoff}) {}

void ChangesKeeper::Run() {
  loop_.Run([this] { return RunOnce(); },
            [this](const absl::Status& error, absl::Duration) {
              spdlog::error("reporter {}: {}", options_.name, error.ToString());
            });
}

void ChangesKeeper::Stop() { loop_.Stop(); }

void ChangesKeeper::Wake() { loop_.Wake(); }

absl::StatusOr<bool> ChangesKeeper::RunOnce() {
  const absl::StatusOr<std::optional<int64_t>> taken = reports_.TakeUnkeptRun(options_.now());
  if (!taken.ok()) return taken.status();
  if (!taken->has_value()) return false;
  const absl::StatusOr<store::RunRecord> run = reading_.ReadRun(**taken);
  if (absl::IsNotFound(run.status())) return true;  // deleted meanwhile
  if (!run.ok()) return run.status();
  const JobBlobs blobs(blobs_, options_.decoding, run->project,
                       [this] { return loop_.Stopping(); });
  const auto changes = KeepChangesOf(*run, reports_, reading_, blobs.reader());
  if (!changes.ok()) {
    spdlog::warn("reporter {}: the changes of {} after run {} are not kept: {}", options_.name,
                 run->branch, run->id, changes.status().ToString());
  } else if (changes->has_value()) {
    spdlog::debug("reporter {}: {} changes of {} are kept", options_.name,
                  (*changes)->events_size(), run->branch);
  }
  return true;
}

}  // namespace gprofhub::reporter
