#include "base/memory_budget.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gprofhub::base {

namespace {

// Payload of this class's errors, and its values.
constexpr absl::string_view kUrl = "gprofhub/decoding";
constexpr absl::string_view kNeverFits = "never";
constexpr absl::string_view kShort = "short";
constexpr absl::string_view kUnwanted = "unwanted";
// Poll interval of `is_over`: the maximum delay until a cancellation is noticed.
constexpr std::chrono::milliseconds kLookEvery(50);

absl::Status WithPayload(absl::Status status, absl::string_view value) {
  status.SetPayload(kUrl, absl::Cord(value));
  return status;
}

uint64_t MiB(uint64_t bytes) { return (bytes + (uint64_t{1} << 20) - 1) >> 20; }

}  // namespace

uint64_t MemoryBudget::used() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return total_ - free_;
}

uint64_t MemoryBudget::refused() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return refused_;
}

DecodingCall::DecodingCall(MemoryBudget& budget, std::string owner, std::function<bool()> is_over)
    : budget_(budget), owner_(std::move(owner)), is_over_(std::move(is_over)) {}

DecodingCall::~DecodingCall() {
  if (held_ == 0) return;
  const std::lock_guard<std::mutex> lock(budget_.mutex_);
  budget_.free_ += held_;
  budget_.holders_.erase(age_);
  const auto owner = budget_.by_owner_.find(owner_);
  owner->second -= held_;
  if (owner->second == 0) budget_.by_owner_.erase(owner);
  budget_.changed_.notify_all();
}

absl::Status DecodingCall::Take(uint64_t bytes) {
  RETURN_IF_ERROR(CheckWanted());
  std::unique_lock<std::mutex> lock(budget_.mutex_);
  const uint64_t most = held_ == 0 ? budget_.total_ : budget_.total_ / 2;
  if (const uint64_t more = MoreFor(bytes); more > 0 && more > most - std::min(held_, most)) {
    return WithPayload(
        absl::InvalidArgumentError(
            absl::StrCat("needs ", MiB(used_ + bytes), " MiB to decode; the limit for one call is ",
                         MiB(most), " (the server's --decoding-memory); request less data")),
        kNeverFits);
  }
  RETURN_IF_ERROR(AwaitRoom(lock, bytes));
  TakeNow(MoreFor(bytes));
  used_ += bytes;
  return absl::OkStatus();
}

void DecodingCall::Give(uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(budget_.mutex_);
  used_ -= std::min(bytes, used_);
  // The minimum reservation stays.
  const uint64_t keep = std::max(used_, std::min(MemoryBudget::kSeatBytes, budget_.total_));
  if (held_ <= keep) return;
  const uint64_t spare = held_ - keep;
  held_ = keep;
  budget_.free_ += spare;
  budget_.by_owner_[owner_] -= spare;
  budget_.changed_.notify_all();
}

uint64_t DecodingCall::used() const {
  const std::lock_guard<std::mutex> lock(budget_.mutex_);
  return used_;
}

uint64_t DecodingCall::MoreFor(uint64_t bytes) const {
  if (bytes <= held_ - used_) return 0;
  const uint64_t more = bytes - (held_ - used_);
  const uint64_t seat = std::min(MemoryBudget::kSeatBytes, budget_.total_);
  return held_ == 0 ? std::max(more, seat) : more;
}

absl::Status DecodingCall::CheckWanted() const {
  if (is_over_ == nullptr || !is_over_()) return absl::OkStatus();
  return WithPayload(absl::CancelledError("the client no longer waits for the result"), kUnwanted);
}

bool DecodingCall::Fits(uint64_t more) const {
  if (more == 0) return true;
  if (budget_.free_ < more) return false;
  if (budget_.free_ == budget_.total_ - held_) return true;  // no other call holds memory
  const auto owner = budget_.by_owner_.find(owner_);
  const uint64_t has = owner == budget_.by_owner_.end() ? 0 : owner->second;
  return has + more <= budget_.total_ / 2;
}

absl::Status DecodingCall::AwaitRoom(std::unique_lock<std::mutex>& lock, uint64_t bytes) {
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(budget_.longest_wait_);
  while (!Fits(MoreFor(bytes))) {
    if (held_ > 0 && *budget_.holders_.begin() != age_) return RefuseForNow();
    if (std::chrono::steady_clock::now() >= deadline) return RefuseForNow();
    budget_.changed_.wait_for(lock, kLookEvery);
    lock.unlock();
    const absl::Status wanted = CheckWanted();
    lock.lock();
    if (!wanted.ok()) return wanted;
  }
  return absl::OkStatus();
}

absl::Status DecodingCall::RefuseForNow() {
  ++budget_.refused_;
  return WithPayload(absl::ResourceExhaustedError(
                         "other calls use all memory for decoding; try again in a moment"),
                     kShort);
}

void DecodingCall::TakeNow(uint64_t more) {
  if (more == 0) return;
  if (held_ == 0) {
    age_ = budget_.next_age_++;
    budget_.holders_.insert(age_);
  }
  budget_.free_ -= more;
  budget_.by_owner_[owner_] += more;
  held_ += more;
}

bool IsOfDecoding(const absl::Status& status) { return status.GetPayload(kUrl).has_value(); }

bool IsShortOfDecoding(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kUrl);
  return payload.has_value() && *payload == kShort;
}

}  // namespace gprofhub::base
