// What projects have used of what they may use. Whoever is above a quota is told when to come back
// (collector/calls/overloaded.h); other projects are not touched.
//
// A process counts for itself, and begins anew when it starts. Stored bytes are the store's, asked
// for once a minute, with what has come since.
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
  // How many bytes the store has of a project. May block.
  using StoredBytes = std::function<absl::StatusOr<uint64_t>(const std::string& project)>;

  explicit Quotas(StoredBytes stored_bytes, std::function<absl::Time()> now = absl::Now)
      : stored_bytes_(std::move(stored_bytes)), now_(std::move(now)) {}
  Quotas(const Quotas&) = delete;
  Quotas& operator=(const Quotas&) = delete;

  // From now on these hold. What was used stays used.
  void Set(QuotaFile file);

  // One call of the project. RESOURCE_EXHAUSTED, saying when to come back.
  absl::Status TakeCall(const std::string& project);

  // Bytes that the project sends outside of uploads. RESOURCE_EXHAUSTED as Upload::Begin, where it
  // used its bytes of the hour or day.
  absl::Status TakeBytes(const std::string& project, uint64_t bytes);

  // One upload, from its header to its end. What was announced and did not come goes back then.
  class Upload {
   public:
    explicit Upload(Quotas& quotas) : quotas_(quotas) {}
    ~Upload();
    Upload(const Upload&) = delete;
    Upload& operator=(const Upload&) = delete;

    // To be called once. RESOURCE_EXHAUSTED where the project has too many uploads under way, or
    // used its bytes of the hour or day, saying when to come back; without that where it will never
    // do, or as much as it may is stored. The store's errors.
    absl::Status Begin(const std::string& project, uint64_t announced_bytes);
    // Bytes that came, whether announced or not. RESOURCE_EXHAUSTED as above.
    absl::Status Receive(uint64_t bytes);
    // What came is stored.
    void Stored() { stored_ = true; }

   private:
    Quotas& quotas_;
    std::string project_;
    uint64_t announced_ = 0;  // of what has not come
    uint64_t counted_ = 0;    // as stored
    bool begun_ = false;
    bool stored_ = false;
  };

 private:
  struct Use {
    Quota quota;  // that the buckets are made for
    std::unique_ptr<TokenBucket> calls, hour, day;
    uint64_t uploads = 0;
    uint64_t stored = 0;  // or being uploaded
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
