// The server's own housekeeping, in small steps in the background: every few minutes each of its
// processes counts the targets of runs that changed; every few hours one of them applies the
// retention policies, summarises completed days, delta-encodes or archives old blobs, and collects
// garbage.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/stop_token.h"
#include "base/work_loop.h"
#include "server/part.h"
#include "store/reading.h"
#include "store/upkeep.h"

namespace gprofhub::server {

// Results of one round.
struct HousekeepingResult {
  store::Freed freed;
  uint64_t summarised = 0;  // four weeks of a branch each
  store::DeltaResult encoded;
  store::ArchiveResult archived;
  store::CompactionResult compacted;
  store::Collected collected;
};

struct HousekeepingOptions {
  store::Actor by;
  absl::Duration every = absl::Hours(6);
  // Between two steps. Each is a transaction of a few milliseconds.
  absl::Duration pause = absl::Milliseconds(100);
  // If the store has an archive: blobs of this age are moved there; zero: none. Then no blobs are
  // delta-encoded, unless delta encoding comes first.
  absl::Duration archive_after = store::ArchiveOptions().older_than;
  absl::Duration keep_segments = store::CompactionOptions().keep;
  // Retention pauses while the clock is ahead of the newest run's arrival by more than the first,
  // or behind by more than the second: it may be wrong, and what it deletes is gone.
  absl::Duration most_ahead = absl::Hours(24);
  absl::Duration most_behind = absl::Minutes(65);
  std::function<absl::Time()> now = [] { return absl::Now(); };
  // Called after each successful round.
  std::function<void(const HousekeepingResult&)> on_done = [](const HousekeepingResult&) {};
};

class Housekeeping final : public ServerPart {
 public:
  Housekeeping(const store::Reading& reading, const store::Upkeep& upkeep,
               const HousekeepingOptions& options)
      : reading_(reading), upkeep_(upkeep), options_(options) {}

  // Starts the housekeeping thread.
  absl::Status Start() override;
  // Ends after the current step.
  void Stop() override { loop_.reset(); }

  // Whether the clock agrees with the store, so that ages of runs are right. Logs if not.
  absl::StatusOr<bool> TrustsClock() const;

  // Counts what changed; then one round, if it is time and this process's turn; false otherwise.
  // CANCELLED after the current step, once `stopping` is set.
  absl::StatusOr<bool> RunOnce(const base::StopToken& stopping = {});

 private:
  absl::Status EncodeAndArchive(const base::StopToken& stopping, HousekeepingResult& result);
  absl::Status Archive(const base::StopToken& stopping, HousekeepingResult& result);
  absl::Status Pause(const base::StopToken& stopping) const;

  const store::Reading reading_;
  const store::Upkeep upkeep_;
  const HousekeepingOptions options_;
  std::unique_ptr<base::WorkLoop>
      loop_;  // last: its thread uses all of the above; null: not started
};

}  // namespace gprofhub::server
