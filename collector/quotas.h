// Enforces the projects' quotas. A call above a quota is refused with a retry delay
// (collector/fair_pool.h); other projects are not affected.
//
// Counters are per process and start at zero. The stored bytes are read from the store once a
// minute and incremented by later uploads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/work_loop.h"

namespace gprofhub::collector {

// Quotas of projects: the file of `gprofhub serve --quotas`.
//
//   {"defaults": {"calls_per_minute": 600, "bytes_per_day": 20000000000},
//    "projects": {"acme/db": {"calls_per_minute": 6000, "uploads": 64}}}
//
// "defaults" applies to every project; a project's own values override single fields. A missing
// field means no limit; 0 lifts a limit of "defaults".

// 0: no limit.
struct Quota {
  uint64_t calls_per_minute = 0;
  uint64_t bytes_per_hour = 0;  // of uploads
  uint64_t bytes_per_day = 0;
  uint64_t stored_bytes = 0;
  uint64_t uploads = 0;  // concurrent

  friend bool operator==(const Quota&, const Quota&) = default;
};

struct QuotaFile {
  Quota defaults;
  std::map<std::string, Quota, std::less<>> projects;  // complete, with the defaults merged in

  const Quota& Of(absl::string_view project) const;
};

// INVALID_ARGUMENT that names the field.
absl::StatusOr<QuotaFile> ParseQuotas(absl::string_view json);

// Token bucket rate limiter.
//
// The bucket starts full, holds at most `capacity`, and refills at a constant rate of `capacity`
// per `period`. So at most twice the capacity is used in any one period, and the long-term rate is
// at most the capacity per period. Source: J. Turner, "New Directions in Communications (or Which
// Way to the Information Age?)", IEEE Communications Magazine 24(10), 1986.

// Not thread-safe. `now` is monotonic; an earlier `now` counts as no time passed.
class TokenBucket {
 public:
  // `capacity` and `period` above 0. Full at `now`.
  TokenBucket(uint64_t capacity, absl::Duration period, absl::Time now)
      : capacity_(static_cast<double>(capacity)),
        period_(period),
        level_(capacity_),
        filled_(now) {}

  // How long until `amount` can be taken: zero if it can be now, infinite if it never can.
  absl::Duration Wait(uint64_t amount, absl::Time now) {
    Fill(now);
    const double asked = static_cast<double>(amount);
    if (asked > capacity_) return absl::InfiniteDuration();
    if (asked <= level_ + kRounding) return absl::ZeroDuration();
    return absl::Ceil(period_ * (asked - level_) / capacity_, absl::Milliseconds(1));
  }

  // Requires that Wait returned zero for the amount.
  void Take(uint64_t amount) { level_ = std::max(0.0, level_ - static_cast<double>(amount)); }
  // Returns an amount that was taken and not used.
  void GiveBack(uint64_t amount) {
    level_ = std::min(capacity_, level_ + static_cast<double>(amount));
  }

  // Changes the capacity and keeps the usage.
  void Resize(uint64_t capacity, absl::Time now) {
    Fill(now);
    const double used = capacity_ - level_;
    capacity_ = static_cast<double>(capacity);
    level_ = std::max(0.0, capacity_ - used);
  }

 private:
  static constexpr double kRounding = 1e-6;

  void Fill(absl::Time now) {
    if (now <= filled_) return;
    level_ = std::min(capacity_, level_ + capacity_ * absl::FDivDuration(now - filled_, period_));
    filled_ = now;
  }

  double capacity_;
  absl::Duration period_;
  double level_;
  absl::Time filled_;
};

// Safe to use from several threads.
class Quotas {
 public:
  // The bytes that the store has of a project. May block.
  using StoredBytes = std::function<absl::StatusOr<uint64_t>(const std::string& project)>;

  explicit Quotas(StoredBytes stored_bytes, std::function<absl::Time()> now = base::MonotonicNow)
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

  // Counts bytes of rows that a call stores: build events, gated findings, culprits and
  // acknowledgements. Errors as Upload::Begin.
  absl::Status Charge(const std::string& project, uint64_t bytes);

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
  // RESOURCE_EXHAUSTED unless the project may store this number of bytes more.
  static absl::Status CheckStored(const std::string& project, const Use& use, uint64_t bytes);

  const StoredBytes stored_bytes_;
  const std::function<absl::Time()> now_;
  absl::Mutex mutex_;
  QuotaFile file_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Use> uses_ ABSL_GUARDED_BY(mutex_);
  size_t sweep_at_ ABSL_GUARDED_BY(mutex_) = 1024;
};

}  // namespace gprofhub::collector
