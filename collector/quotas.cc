#include "collector/quotas.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "collector/fair_pool.h"

namespace gprofhub::collector {

namespace {

using Json = nlohmann::json;

constexpr size_t kMaxFileBytes = 1 << 20;
// A petabyte: below 2^53, so exact as a double.
constexpr uint64_t kMost = uint64_t{1} << 50;

struct Field {
  const char* name;
  uint64_t Quota::*value;
};
constexpr std::array<Field, 5> kFields = {{{"calls_per_minute", &Quota::calls_per_minute},
                                           {"bytes_per_hour", &Quota::bytes_per_hour},
                                           {"bytes_per_day", &Quota::bytes_per_day},
                                           {"stored_bytes", &Quota::stored_bytes},
                                           {"uploads", &Quota::uploads}}};

absl::Status Bad(absl::string_view place, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", problem));
}

const Field* FieldNamed(absl::string_view name) {
  for (const Field& field : kFields) {
    if (name == field.name) return &field;
  }
  return nullptr;
}

// Sets those fields of `quota` that `object` has.
absl::Status ReadQuota(const Json& object, const std::string& place, Quota& quota) {
  if (!object.is_object()) return Bad(place, "must be an object");
  for (const auto& [name, value] : object.items()) {
    const std::string where = absl::StrCat(place, ".", name);
    const Field* const field = FieldNamed(name);
    if (field == nullptr) return Bad(where, "unknown field");
    if (!value.is_number_unsigned() || value.get<uint64_t>() > kMost) {
      return Bad(where, absl::StrCat("must be an integer from 0 (no limit) to ", kMost));
    }
    quota.*(field->value) = value.get<uint64_t>();
  }
  return absl::OkStatus();
}

}  // namespace

const Quota& QuotaFile::Of(absl::string_view project) const {
  const auto found = projects.find(project);
  return found == projects.end() ? defaults : found->second;
}

absl::StatusOr<QuotaFile> ParseQuotas(absl::string_view json) {
  if (json.size() > kMaxFileBytes) return absl::InvalidArgumentError("the file is too long");
  const Json file = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded()) return absl::InvalidArgumentError("the file is not valid JSON");
  if (!file.is_object()) return Bad("file", "must be an object");
  for (const auto& [name, value] : file.items()) {
    if (name != "defaults" && name != "projects") {
      return Bad(absl::StrCat("file.", name), "unknown field");
    }
  }
  QuotaFile quotas;
  if (const auto defaults = file.find("defaults"); defaults != file.end()) {
    RETURN_IF_ERROR(ReadQuota(*defaults, "defaults", quotas.defaults));
  }
  const auto projects = file.find("projects");
  if (projects == file.end()) return quotas;
  if (!projects->is_object()) return Bad("projects", "must be an object");
  for (const auto& [project, values] : projects->items()) {
    Quota quota = quotas.defaults;
    RETURN_IF_ERROR(ReadQuota(values, absl::StrCat("projects.", project), quota));
    quotas.projects.emplace(project, quota);
  }
  return quotas;
}

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
    return Overloaded(absl::StrCat("project ", project, " exceeds its limit of ",
                                   use.quota.calls_per_minute, " calls per minute"),
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
          absl::StrCat("an upload of ", bytes, " new bytes exceeds the limit of ", most.first,
                       " bytes that project ", project, " may send per ", most.second.time),
          "QUOTA_BYTES");
    }
    if (wait > absl::ZeroDuration()) {
      return Overloaded(absl::StrCat("project ", project, " has too little left of its limit of ",
                                     most.first, " bytes per ", most.second.time,
                                     "; this upload of ", bytes, " bytes has to wait"),
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

absl::Status Quotas::CheckStored(const std::string& project, const Use& use, uint64_t bytes) {
  if (use.quota.stored_bytes == 0 || bytes == 0 || use.stored + bytes <= use.quota.stored_bytes) {
    return absl::OkStatus();
  }
  return Exhausted(
      absl::StrCat("project ", project, " has ", use.stored, " of the ", use.quota.stored_bytes,
                   " bytes of its storage quota in use; ", bytes,
                   " more do not fit; delete runs that are no longer needed, or ask for a larger "
                   "quota"),
      "QUOTA_STORED");
}

absl::Status Quotas::Charge(const std::string& project, uint64_t bytes) {
  RETURN_IF_ERROR(LookAtStored(project));
  const absl::Time now = now_();
  absl::MutexLock lock(&mutex_);
  if (file_.Of(project) == Quota{}) return absl::OkStatus();
  Use& use = UseOf(project, now);
  RETURN_IF_ERROR(CheckStored(project, use, bytes));
  RETURN_IF_ERROR(TakeBytes(project, use, bytes, now));
  use.stored += bytes;
  return absl::OkStatus();
}

absl::Status Quotas::Upload::Begin(const std::string& project, uint64_t announced_bytes) {
  RETURN_IF_ERROR(quotas_.LookAtStored(project));
  const absl::Time now = quotas_.now_();
  absl::MutexLock lock(&quotas_.mutex_);
  if (quotas_.file_.Of(project) == Quota{}) return absl::OkStatus();
  Use& use = quotas_.UseOf(project, now);
  if (use.quota.uploads > 0 && use.uploads >= use.quota.uploads) {
    return Overloaded(absl::StrCat("project ", project, " has reached its limit of ",
                                   use.quota.uploads, " concurrent uploads"),
                      kComeBackForAPlace, "QUOTA_UPLOADS");
  }
  RETURN_IF_ERROR(CheckStored(project, use, announced_bytes));
  RETURN_IF_ERROR(quotas_.TakeBytes(project, use, announced_bytes, now));
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
