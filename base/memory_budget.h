// How a decoder reserves the memory that it allocates.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"

namespace gprofhub::base {

// Decoding untrusted input takes several times the memory of the input, and time. So all calls of a
// process that decode (uploads, queries, pages, reports) share one memory budget.
//
// A call reserves memory before it allocates. It blocks while other calls hold the memory, but only
// for a limited time and not after its own caller has cancelled. There is no deadlock: of the calls
// that hold memory, only the oldest may wait for more; the others are refused and may retry
// (wait-die: D. Rosenkrantz, R. Stearns, P. Lewis, "System Level Concurrency Control for
// Distributed Database Systems", ACM TODS 3(2), 1978). Small calls never wait for more: the first
// reservation of a call is at least kSeatBytes, which is enough for most. Large reservations do not
// block small ones: a small one is served as soon as there is memory, or refused.

// Thread-safe.
class MemoryBudget {
 public:
  // Minimum of a call's first reservation.
  static constexpr uint64_t kSeatBytes = uint64_t{16} << 20;

  // `bytes` is the limit of all calls together. The calls of one owner get at most half of it,
  // unless one of them needs more and no other call holds memory. No call waits longer than
  // `longest_wait` (monotonic clock).
  explicit MemoryBudget(uint64_t bytes, absl::Duration longest_wait = absl::Seconds(20))
      : total_(bytes), longest_wait_(longest_wait), free_(bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Bytes in use, and the number of calls that were refused or timed out.
  uint64_t used() const;
  uint64_t refused() const;

 private:
  friend class DecodingCall;

  const uint64_t total_;
  const absl::Duration longest_wait_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t free_;
  uint64_t refused_ = 0;
  uint64_t next_age_ = 0;
  std::set<uint64_t> holders_;                // ages of the calls that hold memory
  std::map<std::string, uint64_t> by_owner_;  // bytes held
};

// One call's share of the budget. The destructor returns all of it. Thread-safe: a comparison reads
// its targets in two threads.
class DecodingCall {
 public:
  // `budget` must outlive the call. `owner` is the project that the call works for. `is_over`
  // returns whether the client has cancelled; null: it never does.
  DecodingCall(MemoryBudget& budget, std::string owner, std::function<bool()> is_over);
  ~DecodingCall();
  DecodingCall(const DecodingCall&) = delete;
  DecodingCall& operator=(const DecodingCall&) = delete;

  // Reserves more. Errors: CANCELLED if the client has cancelled, INVALID_ARGUMENT if the request
  // exceeds the limit of any call, RESOURCE_EXHAUSTED with IsShortOfDecoding if other calls hold
  // the memory (retry later).
  absl::Status Take(uint64_t bytes);
  // Returns a part of the reservation.
  void Give(uint64_t bytes);
  // Bytes reserved now.
  uint64_t used() const;
  // CANCELLED once the client has cancelled. Cheap enough to call every few thousand rows.
  absl::Status CheckWanted() const;

 private:
  // The mutex must be held.
  uint64_t MoreFor(uint64_t bytes) const;  // bytes to take from the budget
  bool Fits(uint64_t more) const;
  absl::Status AwaitRoom(std::unique_lock<std::mutex>& lock, uint64_t bytes);
  absl::Status RefuseForNow();
  void TakeNow(uint64_t more);

  MemoryBudget& budget_;
  const std::string owner_;
  const std::function<bool()> is_over_;
  // Guarded by the budget's mutex.
  uint64_t age_ = 0;   // order of its first reservation
  uint64_t held_ = 0;  // bytes taken from the budget
  uint64_t used_ = 0;  // bytes reserved, at most held_
};

// Whether DecodingCall returned the error, and not a decoder.
bool IsOfDecoding(const absl::Status& status);
// Whether the failed call may succeed if it is retried.
bool IsShortOfDecoding(const absl::Status& status);

class Reservation;

// Handle that decoders reserve memory through: refers to a call, or is unlimited (a program that
// reads its own user's files). Cheap to copy.
class Decoding {
 public:
  // Unlimited.
  Decoding() = default;
  // `call` must outlive the handle.
  explicit Decoding(DecodingCall& call) : call_(&call) {}

  // Reserves `bytes`. Errors as DecodingCall::Take.
  absl::StatusOr<Reservation> Take(uint64_t bytes) const;
  // Whether there is a limit. If not, callers need not compute sizes.
  bool is_bounded() const { return call_ != nullptr; }
  // Bytes reserved now; and a part that takes over `bytes` that were left with the call and returns
  // them when it is destroyed.
  uint64_t used() const { return call_ == nullptr ? 0 : call_->used(); }
  Reservation Adopt(uint64_t bytes) const;

  // See DecodingCall::CheckWanted.
  absl::Status CheckWanted() const {
    return call_ == nullptr ? absl::OkStatus() : call_->CheckWanted();
  }
  // For loops over rows: checks at every 4096th row.
  absl::Status CheckWantedAt(uint64_t row) const {
    return call_ == nullptr || row % 4096 != 4095 ? absl::OkStatus() : call_->CheckWanted();
  }

 private:
  friend class DecodingScope;
  DecodingCall* call_ = nullptr;
};

// A decoder's reservation. The destructor returns it.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept
      : call_(std::exchange(other.call_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Reservation& operator=(Reservation&& other) noexcept {
    std::swap(call_, other.call_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Reservation() {
    if (call_ != nullptr) call_->Give(bytes_);
  }

  // Leaves `bytes` of the reservation with the call until the call ends, for decoded values that
  // live that long.
  void Leave(uint64_t bytes) { bytes_ -= bytes < bytes_ ? bytes : bytes_; }

 private:
  friend class Decoding;
  Reservation(DecodingCall* call, uint64_t bytes) : call_(call), bytes_(bytes) {}

  DecodingCall* call_ = nullptr;
  uint64_t bytes_ = 0;
};

// For values that die with this scope: the destructor returns what decoders have left with the call
// during the scope. Parts that were taken during the scope must be destroyed before it.
class DecodingScope {
 public:
  explicit DecodingScope(const Decoding& decoding)
      : call_(decoding.call_), before_(call_ == nullptr ? 0 : call_->used()) {}
  ~DecodingScope() {
    if (call_ != nullptr) call_->Give(call_->used() - before_);
  }
  DecodingScope(const DecodingScope&) = delete;
  DecodingScope& operator=(const DecodingScope&) = delete;

 private:
  DecodingCall* const call_;
  const uint64_t before_;
};

inline Reservation Decoding::Adopt(uint64_t bytes) const { return Reservation(call_, bytes); }

inline absl::StatusOr<Reservation> Decoding::Take(uint64_t bytes) const {
  if (call_ == nullptr) return Reservation();
  RETURN_IF_ERROR(call_->Take(bytes));
  return Reservation(call_, bytes);
}

// Reservation of a value that grows while it is built. It is left with the call.
class GrowingMemory {
 public:
  explicit GrowingMemory(const Decoding& decoding) : decoding_(decoding) {}

  // The value has `bytes` now; no effect if it had more before. Errors as Decoding::Take.
  absl::Status GrowTo(uint64_t bytes) {
    if (bytes <= bytes_) return absl::OkStatus();
    ASSIGN_OR_RETURN(Reservation more, decoding_.Take(bytes - bytes_));
    more.Leave(bytes - bytes_);
    bytes_ = bytes;
    return absl::OkStatus();
  }

 private:
  const Decoding decoding_;
  uint64_t bytes_ = 0;
};

}  // namespace gprofhub::base
