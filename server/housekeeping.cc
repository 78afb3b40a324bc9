#include "server/housekeeping.h"

#include <spdlog/spdlog.h>

#include "base/status_macros.h"
#include "reporter/queries/trends.h"

namespace gprofhub::server {

namespace {

void Log(const HousekeepingResult& result) {
  const store::Freed& freed = result.freed;
  const store::Collected& collected = result.collected;
  if (freed.runs + freed.profiles > 0) {
    spdlog::info("housekeeping: retention deleted {} runs ({} targets) and {} profiles; {} stay",
                 freed.runs, freed.targets, freed.profiles, freed.kept);
  }
  if (result.summarised > 0) {
    spdlog::info("housekeeping: summarised the days of {} branches' four weeks", result.summarised);
  }
  if (result.packed.blobs > 0) {
    spdlog::info("housekeeping: packed {} blobs of {} targets: {} bytes became {}",
                 result.packed.blobs, result.packed.targets, result.packed.bytes_before,
                 result.packed.bytes_after);
  }
  if (result.shelved.blobs > 0) {
    spdlog::info("housekeeping: shelved {} blobs ({} bytes) in {} boxes", result.shelved.blobs,
                 result.shelved.bytes, result.shelved.boxes);
  }
  if (result.tidied.moved + result.tidied.removed > 0) {
    spdlog::info("housekeeping: moved {} blobs ({} bytes) to new boxes, removed {} boxes",
                 result.tidied.moved, result.tidied.moved_bytes, result.tidied.removed);
  }
  if (collected.transfers > 0) {
    spdlog::info("housekeeping: removed {} files that Bazel handed over ({} bytes)",
                 collected.transfers, collected.transfer_bytes);
  }
  if (collected.blobs + collected.files + collected.marked > 0) {
    spdlog::info(
        "housekeeping: removed {} blobs ({} bytes) and {} files that no row named ({} bytes), "
        "marked {} more",
        collected.blobs, collected.blob_bytes, collected.files, collected.file_bytes,
        collected.marked);
  }
}

}  // namespace

Housekeeping::~Housekeeping() {
  loop_.Stop();
  stopped_.Set();
  if (thread_.joinable()) thread_.join();
}

void Housekeeping::Start() {
  thread_ = std::thread([this] {
    loop_.Run(
        [this]() -> absl::StatusOr<bool> {
          RETURN_IF_ERROR(RunOnce().status());
          return false;  // wait before the next look, also after a round
        },
        [](const absl::Status& error, absl::Duration wait) {
          spdlog::error("housekeeping: {}; next try in {}", error.ToString(),
                        absl::FormatDuration(wait));
        });
  });
}

absl::StatusOr<bool> Housekeeping::RunOnce() {
  store::CountOptions counting;
  counting.pause = [this] { return Pause(); };
  RETURN_IF_ERROR(upkeep_.run_counts.Keep(counting).status());
  ASSIGN_OR_RETURN(const bool turn, upkeep_.turns.TakeHousekeeping(options_.now(), options_.every));
  if (!turn) return false;
  HousekeepingResult result;
  store::RetentionOptions retention;
  retention.now = options_.now;
  retention.pause = [this] { return Pause(); };
  ASSIGN_OR_RETURN(const store::Freed freed, upkeep_.retention.Apply("", retention, options_.by));
  result.freed = freed;
  reporter::SummaryOptions summaries;
  summaries.now = options_.now;
  summaries.pause = [this] { return Pause(); };
  ASSIGN_OR_RETURN(const uint64_t summarised,
                   reporter::KeepSummaries(reading_, upkeep_.summaries, summaries));
  result.summarised = summarised;
  RETURN_IF_ERROR(PackAndShelve(result));
  store::CollectOptions collection;
  collection.now = options_.now;
  collection.pause = [this] { return Pause(); };
  ASSIGN_OR_RETURN(const store::Collected collected,
                   upkeep_.garbage.Collect(collection, options_.by));
  result.collected = collected;
  Log(result);
  options_.on_done(result);
  return true;
}

absl::Status Housekeeping::PackAndShelve(HousekeepingResult& result) {
  store::PackOptions packing;
  packing.now = options_.now;
  packing.pause = [this](const store::Packed&) { return Pause(); };
  const bool shelves = upkeep_.shelving.has_shelf() && options_.shelve_after > absl::ZeroDuration();
  if (!shelves || options_.shelve_after > packing.older_than) {
    ASSIGN_OR_RETURN(const store::Packed packed, upkeep_.packing.Pack(packing));
    result.packed = packed;
  }
  if (!upkeep_.shelving.has_shelf()) return absl::OkStatus();
  // The other steps also run while the archive is unavailable, or needs a takeover.
  absl::Status status = Shelve(result);
  if (status.ok() || absl::IsCancelled(status)) return status;
  spdlog::warn("housekeeping: the shelf is not looked after: {}", status.ToString());
  return absl::OkStatus();
}

absl::Status Housekeeping::Shelve(HousekeepingResult& result) {
  if (options_.shelve_after > absl::ZeroDuration()) {
    store::ShelveOptions shelving;
    shelving.older_than = options_.shelve_after;
    shelving.only_full = true;
    shelving.now = options_.now;
    shelving.pause = [this](const store::Shelved&) { return Pause(); };
    ASSIGN_OR_RETURN(const store::Shelved shelved, upkeep_.shelving.Shelve(shelving));
    result.shelved = shelved;
  }
  store::TidyOptions tidying;
  tidying.keep = options_.keep_boxes;
  tidying.now = options_.now;
  tidying.pause = [this] { return Pause(); };
  ASSIGN_OR_RETURN(const store::Tidied tidied, upkeep_.tidying.Tidy(tidying));
  result.tidied = tidied;
  return absl::OkStatus();
}

absl::Status Housekeeping::Pause() {
  return stopped_.WaitFor(options_.pause) ? absl::CancelledError("the process ends")
                                          : absl::OkStatus();
}

}  // namespace gprofhub::server
