// Query service, independent of transport: from requests over a store to responses. Errors:
// NOT_FOUND for an unknown run, target or function (or one of another project), INVALID_ARGUMENT
// for an incomplete or excessive request, FAILED_PRECONDITION if the analysis is in progress, or if
// exact counts are requested from sampled profiles, and the store's own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lru_cache.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "profile/codec/computed.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "store/reading.h"
#include "store/records/records.h"
#include "store/validation.h"

namespace gprofhub::reporter {

// The store's blobs for one query, with its memory limit for decoding.

class BlobReader {
 public:
  // Without a limit: for callers whose memory use does not affect others.
  BlobReader(store::Blobs blobs) : blobs_(std::move(blobs)) {}  // NOLINT: blobs are enough
  // The same blobs within this limit.
  BlobReader(const BlobReader& reader, const base::Decoding& decoding)
      : blobs_(reader.blobs_), decoding_(decoding) {}

  // Like Blobs::Read. The size is charged to decoding(), whose errors are passed on.
  absl::StatusOr<std::string> Read(const store::BlobName& name) const {
    if (decoding_.is_bounded()) {
      ASSIGN_OR_RETURN(const uint64_t size, blobs_.SizeOf(name));
      ASSIGN_OR_RETURN(base::Reservation memory, decoding_.Take(size));
      memory.Leave(size);
    }
    return blobs_.Read(name);
  }
  // Charge decoded values here.
  const base::Decoding& decoding() const { return decoding_; }

 private:
  store::Blobs blobs_;
  base::Decoding decoding_;
};

// The blobs for one job of a project, decoded within its part of the budget.
class JobBlobs {
 public:
  // Keeps a reference to `budget`; null: no limit. `is_over` returns whether the job is cancelled.
  JobBlobs(const store::Blobs& blobs, base::MemoryBudget* budget, const std::string& project,
           std::function<bool()> is_over)
      : reader_(blobs) {
    if (budget == nullptr) return;
    call_.emplace(*budget, project, std::move(is_over));
    reader_ = BlobReader(reader_, base::Decoding(*call_));
  }

  const BlobReader& reader() const { return reader_; }

 private:
  std::optional<base::DecodingCall> call_;
  BlobReader reader_;
};

// Resolves runs and targets by name.

// The run named by `text`: a run's id; a commit, by at least 7 digits that no other commit with
// runs begins with; "latest" (also if `text` is empty), whatever the branch and the commit's time;
// "#" and the number of a pull request; or a branch. Of several runs it is the one that was
// uploaded last, and with "~N" after one of the last three the one N uploads before. A run of
// sampled profiles is chosen for a commit or as the latest only if there are no others, and a
// window only if there is nothing else. FAILED_PRECONDITION for an ambiguous commit.
absl::StatusOr<store::RunRecord> FindRun(const store::Reading& reading, absl::string_view project,
                                         absl::string_view text);

// FAILED_PRECONDITION for a run of sampled profiles: its counts are not exact.
absl::Status CheckCounted(const store::RunRecord& run);

// The same, and FAILED_PRECONDITION for a window: its counts depend on its load.
absl::Status CheckComparable(const store::RunRecord& run);

// The run's target with this label; for an empty label, its only one. Errors list the existing
// ones.
absl::StatusOr<store::TargetRecord> FindTarget(const store::Reading& reading,
                                               const store::RunRecord& run,
                                               absl::string_view label);

// Whether the text may be a commit: 7 to 64 lower-case hexadecimal digits.
bool LooksLikeCommit(absl::string_view text);

// Caches that queries share. Values are derived from blobs, which are immutable, and keyed by their
// names, so a cached value never becomes stale.

// Thread-safe.
struct QueryMemory {
  // Byte limit of each cache.
  explicit QueryMemory(uint64_t most_bytes)
      : reports(most_bytes, [](const v1::Report& report) { return report.SpaceUsedLong(); }),
        profiles(most_bytes,
                 [](const profile::ComputedProfile& one) { return profile::MemoryOf(one); }) {}

  base::LruCache<v1::Report> reports;
  base::LruCache<profile::ComputedProfile> profiles;
};

// Reads the computed profiles of a run from the store.

// Computed profiles of the run's analysed targets, without those that lack an execution's profile:
// all, or the given one.
absl::StatusOr<std::map<std::string, profile::ComputedProfile>> ReadProfiles(
    const BlobReader& blobs, const std::vector<store::TargetRecord>& targets,
    absl::string_view label, QueryMemory* memory = nullptr);

// The profile of one analysed target. Its memory stays charged to the reader's decoding.
absl::StatusOr<profile::ComputedProfile> ReadTargetProfile(const BlobReader& blobs,
                                                           const store::TargetRecord& target);

// The same from the cache `memory`; null: decoded each time.
absl::StatusOr<std::shared_ptr<const profile::ComputedProfile>> FindTargetProfile(
    const BlobReader& blobs, const store::TargetRecord& target, QueryMemory* memory);

absl::StatusOr<v1::ListRunsResponse> ListRuns(const store::Reading& reading,
                                              const v1::ListRunsRequest& request);
absl::StatusOr<v1::Run> GetRun(const store::Reading& reading, const v1::GetRunRequest& request);
absl::StatusOr<v1::GetProfileResponse> GetProfile(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetProfileRequest& request);

}  // namespace gprofhub::reporter
