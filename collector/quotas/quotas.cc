#include "collector/quotas/quotas.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/calls/overloaded.h"

namespace gprofhub::collector {
namespace {

constexpr absl::Duration kComeBackForAPlace = absl::Seconds(2);
constexpr absl::Duration kStoredIsKnownFor = absl::Minutes(1);

struct Limit {
  const char* time;
  absl::Duration period;
};
constexpr Limit kMinute = {"minute", absl::Minutes(1)};
constexpr Limit kHour = {"hour", absl::Hours(1)};
constexpr Limit kDay = {"day", absl::Hours(24)};

void Fit(std::unique_ptr<TokenBucket>& bucket, uint64_t capacity, const Limit& limit,
         absl::Time now) {
  if (capacity == 0) {
    bucket = nullptr;
  } else if (bucket == nullptr) {
    bucket = std::make_unique<TokenBucket>(capacity, limit.period, now);
  } else {
    bucket->Resize(capacity, now);
  }
}

// Whether the bucket is indistinguishable from a new one.
bool IsFull(const std::unique_ptr<TokenBucket>& bucket, uint64_t capacity, absl::Time now) {
  return bucket == nullptr || bucket->Wait(capacity, now) == absl::ZeroDuration();
}

void GiveBack(const std::unique_ptr<TokenBucket>& bucket, uint64_t amount) {
  if (bucket != nullptr) bucket->GiveBack(amount);
}

}  // namespace

void Quotas::Set(QuotaFile file) {
  absl::MutexLock lock(&mutex_);
  file_ = std::move(file);
}

Quotas::Use& Quotas::UseOf(const std::string& project, absl::Time now) {
  if (uses_.size() >= sweep_at_) {
    // Idle projects are forgotten: their state equals that of new ones.
    absl::erase_if(uses_, [now](auto& one) {
      Use& use = one.second;
      return use.uploads == 0 && now - use.stored_known > kStoredIsKnownFor &&
             IsFull(use.calls, use.quota.calls_per_minute, now) &&
             IsFull(use.hour, use.quota.bytes_per_hour, now) &&
             IsFull(use.day, use.quota.bytes_per_day, now);
    });
    sweep_at_ = std::max<size_t>(1024, 2 * uses_.size());
  }
  Use& use = uses_[project];
  const Quota& quota = file_.Of(project);
  if (use.quota == quota) return use;
  use.quota = quota;
  Fit(use.calls, quota.calls_per_minute, kMinute, now);
  Fit(use.hour, quota.bytes_per_hour, kHour, now);
  Fit(use.day, quota.bytes_per_day, kDay, now);
  return use;
}

absl::Status Quotas::TakeCall(const std::string& project) {
  const absl::Time now = now_();
  absl::MutexLock lock(&mutex_);
  if (file_.Of(project).calls_per_minute == 0) return absl::OkStatus();
  Use& use = UseOf(project, now);
  if (const absl::Duration wait = use.calls->Wait(1, now); wait > absl::ZeroDuration()) {
    return Overloaded(absl::StrCat("project ", project, " has made the ",
                                   use.quota.calls_per_minute, " calls a minute that it may"),
                      wait, "QUOTA_CALLS");
  }
  use.calls->Take(1);
  return absl::OkStatus();
}

absl::Status Quotas::TakeBytes(const std::string& project, uint64_t bytes) {
  const absl::Time now = now_();
  absl::MutexLock lock(&mutex_);
  if (file_.Of(project) == Quota{}) return absl::OkStatus();
  return TakeBytes(project, UseOf(project, now), bytes, now);
}

absl::Status Quotas::TakeBytes(const std::string& project, Use& use, uint64_t bytes,
                               absl::Time now) {
  const std::pair<TokenBucket*, std::pair<uint64_t, Limit>> buckets[] = {
      {use.hour.get(), {use.quota.bytes_per_hour, kHour}},
      {use.day.get(), {use.quota.bytes_per_day, kDay}}};
  for (const auto& [bucket, most] : buckets) {
    if (bucket == nullptr) continue;
    const absl::Duration wait = bucket->Wait(bytes, now);
    if (wait == absl::InfiniteDuration()) {
      return Exhausted(
          absl::StrCat("an upload of ", bytes, " new bytes is more than the ", most.first,
                       " bytes that project ", project, " may send in one ", most.second.time),
          "QUOTA_BYTES");
    }
    if (wait > absl::ZeroDuration()) {
      return Overloaded(absl::StrCat("project ", project, " has sent as much of the ", most.first,
                                     " bytes that it may in one ", most.second.time,
                                     " that this upload of ", bytes, " has to wait"),
                        wait, "QUOTA_BYTES");
    }
  }
  for (const auto& [bucket, most] : buckets) {
    if (bucket != nullptr) bucket->Take(bytes);
  }
  return absl::OkStatus();
}

absl::Status Quotas::LookAtStored(const std::string& project) {
  const absl::Time now = now_();
  {
    absl::MutexLock lock(&mutex_);
    if (file_.Of(project).stored_bytes == 0) return absl::OkStatus();
    Use& use = UseOf(project, now);
    if (now - use.stored_known < kStoredIsKnownFor) return absl::OkStatus();
    use.stored_known = now;  // concurrent calls use the cached value
  }
  const absl::StatusOr<uint64_t> stored = stored_bytes_(project);
  absl::MutexLock lock(&mutex_);
  Use& use = UseOf(project, now);
  if (!stored.ok()) {
    use.stored_known = absl::InfinitePast();
    return stored.status();
  }
  use.stored = *stored;
  return absl::OkStatus();
}

absl::Status Quotas::Upload::Begin(const std::string& project, uint64_t announced_bytes) {
  if (absl::Status status = quotas_.LookAtStored(project); !status.ok()) return status;
  const absl::Time now = quotas_.now_();
  absl::MutexLock lock(&quotas_.mutex_);
  if (quotas_.file_.Of(project) == Quota{}) return absl::OkStatus();
  Use& use = quotas_.UseOf(project, now);
  if (use.quota.uploads > 0 && use.uploads >= use.quota.uploads) {
    return Overloaded(absl::StrCat("project ", project, " has the ", use.quota.uploads,
                                   " uploads under way that it may have at one time"),
                      kComeBackForAPlace, "QUOTA_UPLOADS");
  }
  if (use.quota.stored_bytes > 0 && announced_bytes > 0 &&
      use.stored + announced_bytes > use.quota.stored_bytes) {
    return Exhausted(
        absl::StrCat("project ", project, " has ", use.stored, " of the ", use.quota.stored_bytes,
                     " bytes stored that it may have; ", announced_bytes,
                     " more do not fit: delete runs that nobody needs, or ask for a larger quota"),
        "QUOTA_STORED");
  }
  absl::Status status = quotas_.TakeBytes(project, use, announced_bytes, now);
  if (!status.ok()) return status;
  ++use.uploads;
  use.stored += announced_bytes;
  project_ = project;
  announced_ = counted_ = announced_bytes;
  begun_ = true;
  return absl::OkStatus();
}

absl::Status Quotas::Upload::Receive(uint64_t bytes) {
  if (!begun_) return absl::OkStatus();
  const uint64_t expected = std::min(bytes, announced_);
  announced_ -= expected;
  if (bytes == expected) return absl::OkStatus();
  const absl::Time now = quotas_.now_();
  absl::MutexLock lock(&quotas_.mutex_);
  return quotas_.TakeBytes(project_, quotas_.UseOf(project_, now), bytes - expected, now);
}

Quotas::Upload::~Upload() {
  if (!begun_) return;
  absl::MutexLock lock(&quotas_.mutex_);
  Use& use = quotas_.UseOf(project_, quotas_.now_());
  --use.uploads;
  GiveBack(use.hour, announced_);
  GiveBack(use.day, announced_);
  if (!stored_) use.stored -= std::min(use.stored, counted_);
}

}  // namespace gprofhub::collector
