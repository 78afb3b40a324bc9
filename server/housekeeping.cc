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
  if (result.encoded.blobs > 0) {
    spdlog::info("housekeeping: delta-encoded {} blobs of {} targets: {} bytes became {}",
                 result.encoded.blobs, result.encoded.targets, result.encoded.bytes_before,
                 result.encoded.bytes_after);
  }
  if (result.archived.blobs > 0) {
    spdlog::info("housekeeping: archived {} blobs ({} bytes) in {} segments", result.archived.blobs,
                 result.archived.bytes, result.archived.segments);
  }
  if (result.compacted.moved + result.compacted.removed > 0) {
    spdlog::info("housekeeping: moved {} blobs ({} bytes) to new segments, removed {} segments",
                 result.compacted.moved, result.compacted.moved_bytes, result.compacted.removed);
  }
  if (collected.transfers > 0) {
    spdlog::info("housekeeping: removed {} files uploaded by Bazel ({} bytes)", collected.transfers,
                 collected.transfer_bytes);
  }
  if (collected.blobs + collected.files + collected.marked > 0) {
    spdlog::info(
        "housekeeping: removed {} blobs ({} bytes) and {} unreferenced files ({} bytes), marked {} "
        "more",
        collected.blobs, collected.blob_bytes, collected.files, collected.file_bytes,
        collected.marked);
  }
}

}  // namespace

absl::Status Housekeeping::Start() {
  base::WorkLoop::Waits waits;
  waits.poll = absl::Minutes(5);
  waits.min_backoff = absl::Minutes(1);
  waits.max_backoff = absl::Hours(1);
  loop_ = std::make_unique<base::WorkLoop>(
      waits,
      [this](const base::StopToken& stopping) -> absl::StatusOr<bool> {
        RETURN_IF_ERROR(RunOnce(stopping).status());
        return false;  // wait before the next look, also after a round
      },
      [](const absl::Status& error, absl::Duration wait) {
        spdlog::error("housekeeping: {}; next try in {}", error.ToString(),
                      absl::FormatDuration(wait));
      });
  return absl::OkStatus();
}

absl::StatusOr<bool> Housekeeping::TrustsClock() const {
  ASSIGN_OR_RETURN(const absl::Time newest, upkeep_.retention.NewestArrival());
  const absl::Time now = options_.now();
  if (newest == absl::InfinitePast() ||
      (now - newest <= options_.most_ahead && newest - now <= options_.most_behind)) {
    return true;
  }
  spdlog::info(
      "housekeeping: retention pauses: the clock is {} {} the newest run's arrival, and may be "
      "wrong; `gprofhub admin retention run` applies the policies anyway",
      absl::FormatDuration(absl::Trunc(absl::AbsDuration(now - newest), absl::Seconds(1))),
      now > newest ? "ahead of" : "behind");
  return false;
}

absl::StatusOr<bool> Housekeeping::RunOnce(const base::StopToken& stopping) {
  store::CountOptions counting;
  counting.pause = [&] { return Pause(stopping); };
  RETURN_IF_ERROR(upkeep_.run_counts.Keep(counting).status());
  ASSIGN_OR_RETURN(const bool turn, upkeep_.turns.TakeHousekeeping(options_.now(), options_.every));
  if (!turn) return false;
  HousekeepingResult result;
  store::RetentionOptions retention;
  retention.now = options_.now;
  retention.pause = [&] { return Pause(stopping); };
  ASSIGN_OR_RETURN(const bool trusts_clock, TrustsClock());
  if (trusts_clock) {
    ASSIGN_OR_RETURN(const store::Freed freed, upkeep_.retention.Apply("", retention, options_.by));
    result.freed = freed;
  }
  reporter::SummaryOptions summaries;
  summaries.now = options_.now;
  summaries.pause = [&] { return Pause(stopping); };
  ASSIGN_OR_RETURN(const uint64_t summarised,
                   reporter::KeepSummaries(reading_, upkeep_.summaries, summaries));
  result.summarised = summarised;
  RETURN_IF_ERROR(EncodeAndArchive(stopping, result));
  store::CollectOptions collection;
  collection.now = options_.now;
  collection.pause = [&] { return Pause(stopping); };
  ASSIGN_OR_RETURN(const store::Collected collected,
                   upkeep_.garbage.Collect(collection, options_.by));
  result.collected = collected;
  Log(result);
  options_.on_done(result);
  return true;
}

absl::Status Housekeeping::EncodeAndArchive(const base::StopToken& stopping,
                                            HousekeepingResult& result) {
  store::DeltaOptions encoding;
  encoding.now = options_.now;
  encoding.pause = [&](const store::DeltaResult&) { return Pause(stopping); };
  const bool archives =
      upkeep_.archiving.has_archive() && options_.archive_after > absl::ZeroDuration();
  if (!archives || options_.archive_after > encoding.older_than) {
    ASSIGN_OR_RETURN(const store::DeltaResult encoded, upkeep_.delta_encoding.Encode(encoding));
    result.encoded = encoded;
  }
  if (!upkeep_.archiving.has_archive()) return absl::OkStatus();
  // The other steps also run while the archive is unavailable, or needs a takeover.
  absl::Status status = Archive(stopping, result);
  if (status.ok() || absl::IsCancelled(status)) return status;
  spdlog::warn("housekeeping: cannot archive: {}", status.ToString());
  return absl::OkStatus();
}

absl::Status Housekeeping::Archive(const base::StopToken& stopping, HousekeepingResult& result) {
  if (options_.archive_after > absl::ZeroDuration()) {
    store::ArchiveOptions archiving;
    archiving.older_than = options_.archive_after;
    archiving.only_full = true;
    archiving.now = options_.now;
    archiving.pause = [&](const store::ArchiveResult&) { return Pause(stopping); };
    ASSIGN_OR_RETURN(const store::ArchiveResult archived, upkeep_.archiving.Archive(archiving));
    result.archived = archived;
  }
  store::CompactionOptions compaction;
  compaction.keep = options_.keep_segments;
  compaction.now = options_.now;
  compaction.pause = [&] { return Pause(stopping); };
  ASSIGN_OR_RETURN(const store::CompactionResult compacted, upkeep_.compaction.Compact(compaction));
  result.compacted = compacted;
  return absl::OkStatus();
}

absl::Status Housekeeping::Pause(const base::StopToken& stopping) const {
  return stopping.WaitFor(options_.pause) ? absl::CancelledError("the process is stopping")
                                          : absl::OkStatus();
}

}  // namespace gprofhub::server
