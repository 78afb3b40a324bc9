// Divides something scarce (bytes of uploads, calls, connections) among those who ask for it, so
// that nobody can take all of it.
//
// The rule is that of dynamic thresholds: whoever takes more must afterwards hold no more than what
// is left free. One greedy taker gets half of it, two get a third each, and somebody new always
// finds as much free as the greediest one holds. Source: A. Choudhury, E. Hahne, "Dynamic Queue
// Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM Transactions on Networking 6(2),
// 1998. Alpha is 1 there, or less: then a taker may hold only a part of what is left free, and many
// greedy ones leave more.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace gprofhub::collector {

// Safe to call from several threads.
class FairShare {
 public:
  // Whoever takes holds at most a `parts`-th of what is then left free (alpha is 1 / parts).
  explicit FairShare(uint64_t total, uint64_t parts = 1) : total_(total), parts_(parts) {}

  // Takes `amount` more for `taker`; false, and nothing taken, where the rule is against it.
  bool Take(const std::string& taker, uint64_t amount);
  // Gives back what was taken.
  void Give(const std::string& taker, uint64_t amount);

 private:
  const uint64_t total_;
  const uint64_t parts_;
  absl::Mutex mutex_;
  uint64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, uint64_t> by_taker_ ABSL_GUARDED_BY(mutex_);
};

// What one taker holds; goes back when this ends.
class Holding {
 public:
  // `share` outlives the holding.
  explicit Holding(FairShare& share) : share_(share) {}
  ~Holding() { Release(); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

  // Takes `amount` for `taker`, who is the same every time; false, and nothing taken, as
  // FairShare::Take.
  bool Take(const std::string& taker, uint64_t amount);
  void Release();

 private:
  FairShare& share_;
  std::string taker_;
  uint64_t held_ = 0;
};

}  // namespace gprofhub::collector
