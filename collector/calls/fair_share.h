// Divides a limited resource (bytes of uploads, calls, connections) among takers, so that no taker
// can exhaust it.
//
// Dynamic thresholds: after each take, a taker must hold no more than what remains free. One greedy
// taker gets half of the resource, two get a third each, and a new taker always finds as much free
// as the greediest one holds. Source: A. Choudhury, E. Hahne, "Dynamic Queue Length Thresholds for
// Shared-Memory Packet Switches", IEEE/ACM Transactions on Networking 6(2), 1998, with alpha of at
// most 1: below 1 a taker may hold only a fraction of what remains free, and many greedy takers
// leave more.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace gprofhub::collector {

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

}  // namespace gprofhub::collector
