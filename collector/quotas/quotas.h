// Enforces the projects' quotas. A call above a quota is refused with a retry delay
// (collector/calls/overloaded.h); other projects are not affected.
//
// Counters are per process and start at zero. The stored bytes are read from the store once a
// minute and incremented by later uploads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/quotas/quota_file.h"
#include "collector/quotas/token_bucket.h"

namespace gprofhub::collector {

// Safe to use from several threads.
class Quotas {
 public:
  // The bytes that the store has of a project. May block.
  using StoredBytes = std::function<absl::StatusOr<uint64_t>(const std::string& project)>;

  explicit Quotas(StoredBytes stored_bytes, std::function<absl::Time()> now = absl::Now)
      : stored_bytes_(std::move(stored_bytes)), now_(std::move(now)) {}
  Quotas(const Quotas&) = delete;
  Quotas& operator=(const Quotas&) = delete;

  // Replaces the quotas and keeps the usage.
  void Set(QuotaFile file);

  // Counts one call of the project. RESOURCE_EXHAUSTED, with a retry delay.
  absl::Status TakeCall(const std::string& project);

  // Counts bytes that the project sends outside of uploads. RESOURCE_EXHAUSTED, as Upload::Begin,
  // if the bytes of the hour or day are used up.
  absl::Status TakeBytes(const std::string& project, uint64_t bytes);

  // Usage of one upload, from its header to its end. Announced bytes that did not arrive are
  // released at the end.
  class Upload {
   public:
    explicit Upload(Quotas& quotas) : quotas_(quotas) {}
    ~Upload();
    Upload(const Upload&) = delete;
    Upload& operator=(const Upload&) = delete;

    // Call once. RESOURCE_EXHAUSTED with a retry delay if the project has too many concurrent
    // uploads or has used up its bytes of the hour or day; without a retry delay if the upload can
    // never fit, or the project has reached its stored bytes. The store's errors.
    absl::Status Begin(const std::string& project, uint64_t announced_bytes);
    // Counts received bytes, announced or not. RESOURCE_EXHAUSTED as above.
    absl::Status Receive(uint64_t bytes);
    // The received bytes are stored.
    void Stored() { stored_ = true; }

   private:
    Quotas& quotas_;
    std::string project_;
    uint64_t announced_ = 0;  // announced bytes that have not arrived
    uint64_t counted_ = 0;    // counted as stored
    bool begun_ = false;
    bool stored_ = false;
  };

 private:
  struct Use {
    Quota quota;  // the quota of the current buckets
    std::unique_ptr<TokenBucket> calls, hour, day;
    uint64_t uploads = 0;
    uint64_t stored = 0;  // stored or being uploaded
    absl::Time stored_known = absl::InfinitePast();
  };

  Use& UseOf(const std::string& project, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status TakeBytes(const std::string& project, Use& use, uint64_t bytes, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status LookAtStored(const std::string& project);

  const StoredBytes stored_bytes_;
  const std::function<absl::Time()> now_;
  absl::Mutex mutex_;
  QuotaFile file_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Use> uses_ ABSL_GUARDED_BY(mutex_);
  size_t sweep_at_ ABSL_GUARDED_BY(mutex_) = 1024;
};

}  // namespace gprofhub::collector
