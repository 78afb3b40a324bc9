// Decoding what anybody sent takes several times the memory of what came, and time. So all calls of
// a process that decode (uploads, questions, pages, reports) share one budget.
//
// A call asks before it allocates. It waits while others have the memory, but neither for long nor
// after its own caller has gone. No two wait for each other: of the calls that hold something, only
// the oldest may wait for more. The others are refused, and may try again. (D. Rosenkrantz, R.
// Stearns, P. Lewis, "System Level Concurrency Control for Distributed Database Systems", ACM TODS
// 3(2), 1978, calls that wait-die.) Small calls never come as far: the first that a call takes is a
// seat, which is enough for most. Who waits for much holds up nobody who needs little: it is served
// when there is room, or told to come back.
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

// Safe to use from several threads.
class DecodingBudget {
 public:
  // What a call takes at least, with the first that it takes.
  static constexpr uint64_t kSeatBytes = uint64_t{16} << 20;

  // `bytes` for all calls together. One owner's calls have at most half of it, unless one of them
  // needs more and nobody else has anything. Nobody waits longer than `longest_wait`, by a clock
  // that nobody sets.
  explicit DecodingBudget(uint64_t bytes, absl::Duration longest_wait = absl::Seconds(20))
      : total_(bytes), longest_wait_(longest_wait), free_(bytes) {}
  DecodingBudget(const DecodingBudget&) = delete;
  DecodingBudget& operator=(const DecodingBudget&) = delete;

  // In use now, and how often a call was refused or gave up.
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
  std::set<uint64_t> holders_;                // ages of the calls that hold something
  std::map<std::string, uint64_t> by_owner_;  // what they hold
};

// One call's part of the budget. What it took goes back at its end. Safe to use from several
// threads: a comparison reads its targets in two.
class DecodingCall {
 public:
  // `budget` outlives the call. `owner` is for whom it works: a project. `is_over` says that nobody
  // waits for the result any more; null: somebody always does.
  DecodingCall(DecodingBudget& budget, std::string owner, std::function<bool()> is_over);
  ~DecodingCall();
  DecodingCall(const DecodingCall&) = delete;
  DecodingCall& operator=(const DecodingCall&) = delete;

  // Takes more. CANCELLED: nobody waits any more. INVALID_ARGUMENT: no call may have so much.
  // RESOURCE_EXHAUSTED, with IsShortOfDecoding: others have it, come back in a moment.
  absl::Status Take(uint64_t bytes);
  // Gives back a part of what was taken.
  void Give(uint64_t bytes);
  // What was taken and not given back.
  uint64_t used() const;
  // CANCELLED once nobody waits. Cheap enough to be asked every few thousand rows.
  absl::Status CheckWanted() const;

 private:
  // With the mutex held.
  uint64_t MoreFor(uint64_t bytes) const;  // to be taken of the budget
  bool Fits(uint64_t more) const;
  absl::Status AwaitRoom(std::unique_lock<std::mutex>& lock, uint64_t bytes);
  absl::Status RefuseForNow();
  void TakeNow(uint64_t more);

  DecodingBudget& budget_;
  const std::string owner_;
  const std::function<bool()> is_over_;
  // Guarded by the budget's mutex.
  uint64_t age_ = 0;   // of the first that it took
  uint64_t held_ = 0;  // taken of the budget
  uint64_t used_ = 0;  // asked for, at most held_
};

// Whether it is an error of DecodingCall, and not one of what was decoded.
bool IsOfDecoding(const absl::Status& status);
// Whether the call that ended so may succeed if it is made again.
bool IsShortOfDecoding(const absl::Status& status);

}  // namespace gprofhub::base
