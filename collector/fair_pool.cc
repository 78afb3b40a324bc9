#include "collector/fair_pool.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "base/memory_budget.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {

FairPool::FairPool(size_t threads, std::function<absl::Time()> now)
    : most_per_owner_(std::max<size_t>(threads, 2) - std::max<size_t>(threads / 4, 1)),
      now_(std::move(now)) {
  for (size_t i = 0; i < std::max<size_t>(threads, 2); ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

FairPool::~FairPool() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

void FairPool::Submit(const std::string& owner, std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  Owner& own = owners_[owner];
  if (own.tasks.empty()) turns_.push_back(owner);
  own.tasks.push_back(std::move(task));
  if (waiting_++ == 0) moved_ = now_();
}

absl::Duration FairPool::StuckFor() const {
  absl::MutexLock lock(&mutex_);
  return waiting_ == 0 ? absl::ZeroDuration() : std::max(now_() - moved_, absl::ZeroDuration());
}

const std::string* FairPool::NextOwner() const {
  for (const std::string& owner : turns_) {
    if (owners_.at(owner).running < most_per_owner_) return &owner;
  }
  return nullptr;
}

bool FairPool::HasWork() const { return NextOwner() != nullptr || (stopping_ && turns_.empty()); }

void FairPool::Work() {
  absl::MutexLock lock(&mutex_);
  for (;;) {
    mutex_.Await(absl::Condition(this, &FairPool::HasWork));
    const std::string* const next = NextOwner();
    if (next == nullptr) return;
    const std::string name = *next;
    turns_.erase(std::find(turns_.begin(), turns_.end(), name));
    std::function<void()> task;
    {
      Owner& owner = owners_.at(name);
      task = std::move(owner.tasks.front());
      owner.tasks.pop_front();
      ++owner.running;
      --waiting_;
      if (!owner.tasks.empty()) turns_.push_back(name);
    }
    mutex_.Unlock();
    task();
    task = nullptr;  // destroys its captures without the lock
    mutex_.Lock();
    moved_ = now_();
    const auto owner = owners_.find(name);
    --owner->second.running;
    if (owner->second.running == 0 && owner->second.tasks.empty()) owners_.erase(owner);
  }
}

bool FairShare::Take(const std::string& taker, uint64_t amount) {
  absl::MutexLock lock(&mutex_);
  const uint64_t free = total_ - taken_;
  if (amount > free) return false;
  const auto found = by_taker_.find(taker);
  const uint64_t held = found == by_taker_.end() ? 0 : found->second;
  if (held + amount > (free - amount) / parts_) return false;
  taken_ += amount;
  by_taker_[taker] = held + amount;
  return true;
}

void FairShare::Give(const std::string& taker, uint64_t amount) {
  absl::MutexLock lock(&mutex_);
  taken_ -= amount;
  const auto found = by_taker_.find(taker);
  found->second -= amount;
  if (found->second == 0) by_taker_.erase(found);
}

bool Holding::Take(const std::string& taker, uint64_t amount) {
  if (amount == 0) return true;
  if (!share_.Take(taker, amount)) return false;
  taker_ = taker;
  held_ += amount;
  return true;
}

void Holding::Release() {
  if (held_ > 0) share_.Give(taker_, held_);
  held_ = 0;
}

namespace {

constexpr char kDomain[] = "gprofhub";
constexpr absl::Duration kComeBackForMemory = absl::Seconds(3);

}  // namespace

absl::Status Overloaded(absl::string_view message, absl::Duration come_back_in,
                        absl::string_view reason) {
  absl::Status status = Exhausted(message, reason);
  v1::RetryInfo info;
  absl::Duration rest;
  info.mutable_retry_delay()->set_seconds(
      absl::IDivDuration(come_back_in, absl::Seconds(1), &rest));
  info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  status.SetPayload(kRetryInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

absl::Status Exhausted(absl::string_view message, absl::string_view reason) {
  absl::Status status = absl::ResourceExhaustedError(message);
  v1::ErrorInfo why;
  why.set_reason(std::string(reason));
  why.set_domain(kDomain);
  status.SetPayload(kErrorInfoUrl, absl::Cord(why.SerializeAsString()));
  return status;
}

absl::Status OverloadedIfShort(const absl::Status& status) {
  if (!base::IsShortOfDecoding(status)) return status;
  return Overloaded(status.message(), kComeBackForMemory, "DECODING_MEMORY");
}

std::optional<absl::Duration> ComeBackIn(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kRetryInfoUrl);
  v1::RetryInfo info;
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) return std::nullopt;
  return absl::Seconds(info.retry_delay().seconds()) +
         absl::Nanoseconds(info.retry_delay().nanos());
}

std::string RefusalOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return "token";
    case absl::StatusCode::kPermissionDenied:
      return "permission";
    case absl::StatusCode::kAborted:
      return "stalled";
    case absl::StatusCode::kResourceExhausted:
      break;
    default:
      return "";
  }
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrorInfoUrl);
  v1::ErrorInfo why;
  if (!payload.has_value() || !why.ParseFromString(std::string(*payload))) return "too_large";
  return absl::AsciiStrToLower(why.reason());
}

}  // namespace gprofhub::collector
