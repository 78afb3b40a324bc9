// Where changes of call counts began, and what follows from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reporter/counts/forks.h"
#include "reporter/counts/judge_count.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// `target` outlives it.
class ChangeOrigins {
 public:
  // `arcs` say how the counts of the target's changed; `apart` is FindForks'.
  ChangeOrigins(const MatchedTarget& target, const std::vector<CountChange>& arcs,
                const std::vector<bool>& apart);

  // Whether the arc changed by itself.
  bool Began(size_t arc) const { return began_[arc]; }
  // By arc.
  const std::vector<ArcChange>& parts() const { return parts_; }
  // By function: the arc of which data leads it, though it is called as before (forks.h); else
  // nothing.
  std::optional<size_t> LeaderOf(uint32_t function) const;
  // Whether most of the function's change is no arc's own to it.
  bool Follows(uint32_t function) const;
  // The arc where the change of a function that follows began.
  std::optional<size_t> OriginOf(uint32_t function) const;

 private:
  void LeaveCycles();

  const MatchedTarget& target_;
  std::vector<bool> began_;        // by arc
  std::vector<ArcChange> parts_;   // by arc
  std::vector<int32_t> main_arc_;  // by function: brings most of its change; -1: none
  std::vector<bool> led_by_data_;  // by function, then kSpontaneous
  std::optional<size_t> leader_;   // the arc that leads these
};

}  // namespace gprofhub::reporter
