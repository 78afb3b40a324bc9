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
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::base {

// Thread-safe.
class DecodingBudget {
 public:
  // Minimum of a call's first reservation.
  static constexpr uint64_t kSeatBytes = uint64_t{16} << 20;

  // `bytes` is the limit of all calls together. The calls of one owner get at most half of it,
  // unless one of them needs more and no other call holds memory. No call waits longer than
  // `longest_wait` (monotonic clock).
  explicit DecodingBudget(uint64_t bytes, absl::Duration longest_wait = absl::Seconds(20))
      : total_(bytes), longest_wait_(longest_wait), free_(bytes) {}
  DecodingBudget(const DecodingBudget&) = delete;
  DecodingBudget& operator=(const DecodingBudget&) = delete;

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
  DecodingCall(DecodingBudget& budget, std::string owner, std::function<bool()> is_over);
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

  DecodingBudget& budget_;
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

}  // namespace gprofhub::base
