// Threads for work that blocks: the store, decoding. gRPC's own threads never wait for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/work_loop.h"

namespace gprofhub::collector {

// Round-robin over the owners of tasks: one owner's thousand tasks delay another owner's single one
// by at most one task. No owner has more than three quarters of the threads at one time. Safe to
// call from several threads.
class FairPool {
 public:
  // At least 2 threads.
  explicit FairPool(size_t threads, std::function<absl::Time()> now = base::MonotonicNow);
  // Runs all submitted tasks.
  ~FairPool();
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  void Submit(const std::string& owner, std::function<void()> task);

  // Time since tasks began to wait without any thread ending one; zero if none waits. For a
  // watchdog.
  absl::Duration StuckFor() const;

 private:
  struct Owner {
    std::deque<std::function<void()>> tasks;
    size_t running = 0;
  };

  void Work();
  // The next owner with a task that may have another thread; nullptr: none.
  const std::string* NextOwner() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t most_per_owner_;
  const std::function<absl::Time()> now_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<std::string, Owner> owners_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> turns_ ABSL_GUARDED_BY(mutex_);  // owners with tasks, each once
  size_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;             // tasks
  // When a task began to wait while none did, or one ended.
  absl::Time moved_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::vector<std::thread> threads_;
};

// Divides a limited resource (bytes of uploads, calls, connections) among takers, so that no taker
// can exhaust it.
//
// Dynamic thresholds: after each take, a taker must hold no more than what remains free. One greedy
// taker gets half of the resource, two get a third each, and a new taker always finds as much free
// as the greediest one holds. Source: A. Choudhury, E. Hahne, "Dynamic Queue Length Thresholds for
// Shared-Memory Packet Switches", IEEE/ACM Transactions on Networking 6(2), 1998, with alpha of at
// most 1: below 1 a taker may hold only a fraction of what remains free, and many greedy takers
// leave more.

// Thread-safe.
class FairShare {
 public:
  // A taker holds at most 1/`parts` of what remains free (alpha is 1 / parts).
  explicit FairShare(uint64_t total, uint64_t parts = 1) : total_(total), parts_(parts) {}

  // Takes `amount` more for `taker`. False, and nothing taken, above the threshold.
  bool Take(const std::string& taker, uint64_t amount);
  // Returns an amount that was taken.
  void Give(const std::string& taker, uint64_t amount);

 private:
  const uint64_t total_;
  const uint64_t parts_;
  absl::Mutex mutex_;
  uint64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, uint64_t> by_taker_ ABSL_GUARDED_BY(mutex_);
};

// One taker's share; released by the destructor.
class Holding {
 public:
  // `share` outlives the holding.
  explicit Holding(FairShare& share) : share_(share) {}
  ~Holding() { Release(); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

  // Takes `amount` for `taker`, which is the same in every call. False, and nothing taken, as
  // FairShare::Take.
  bool Take(const std::string& taker, uint64_t amount);
  void Release();

 private:
  FairShare& share_;
  std::string taker_;
  uint64_t held_ = 0;
};

// Errors of an overloaded server, and reasons of refused calls.

// Payloads of such an error: a serialized RetryInfo and a serialized ErrorInfo
// (proto/status_details.proto).
inline constexpr absl::string_view kRetryInfoUrl = "type.googleapis.com/google.rpc.RetryInfo";
inline constexpr absl::string_view kErrorInfoUrl = "type.googleapis.com/google.rpc.ErrorInfo";

// RESOURCE_EXHAUSTED with this message and a retry delay. `reason` is a constant of capital letters
// and underscores, for clients and metrics.
absl::Status Overloaded(absl::string_view message, absl::Duration come_back_in,
                        absl::string_view reason = "OVERLOADED");

// RESOURCE_EXHAUSTED with this message and reason, where a retry cannot help.
absl::Status Exhausted(absl::string_view message, absl::string_view reason);

// Turns a temporary refusal of base::MemoryBudget into Overloaded; any other status is unchanged.
absl::Status OverloadedIfShort(const absl::Status& status);

// The retry delay of Overloaded; nullopt: do not retry.
std::optional<absl::Duration> ComeBackIn(const absl::Status& status);

// Reason of a refusal, in lower case: the reason of Overloaded or Exhausted, or "token",
// "permission", "stalled" or "too_large". Empty: it was not refused.
std::string RefusalOf(const absl::Status& status);

// Timeout of a call's waits for its client.
//
// The client has some time for its first message. After that every byte that it sends earns it a
// little more time, up to a bound, and waiting uses time up. So a client that keeps a low rate is
// never cut, one that stalls is cut soon, and one that was fast may not stall for long.

struct PatienceLimits {
  absl::Duration first = absl::Seconds(10);  // for the first message
  absl::Duration most = absl::Seconds(40);   // maximum that a client can accumulate
  uint64_t bytes_per_second = 8 << 10;       // minimum rate of a client
  // Minimum timeout after each message, for calls that are usually silent. At most `most`.
  absl::Duration after_message = absl::ZeroDuration();
};

// State of one call. The server's own time does not count: only the time between WaitBegins and
// WaitEnds.
class Patience {
 public:
  explicit Patience(const PatienceLimits& limits) : limits_(limits), left_(limits.first) {}

  void WaitBegins(absl::Time now) { waiting_since_ = now; }
  // The client sent or read `bytes`.
  void WaitEnds(absl::Time now, uint64_t bytes) {
    left_ -= now - waiting_since_;
    waiting_since_ = absl::InfiniteFuture();
    const absl::Duration bought =
        absl::Seconds(static_cast<double>(bytes) / static_cast<double>(limits_.bytes_per_second));
    left_ = std::min(limits_.most, std::max(left_, absl::ZeroDuration()) + bought);
    if (bytes > 0) left_ = std::max(left_, limits_.after_message);
  }

  // Whether the client's time is used up.
  bool IsOver(absl::Time now) const { return now - waiting_since_ > left_; }

 private:
  PatienceLimits limits_;
  absl::Duration left_;
  absl::Time waiting_since_ = absl::InfiniteFuture();  // InfiniteFuture: not waiting
};

}  // namespace gprofhub::collector
