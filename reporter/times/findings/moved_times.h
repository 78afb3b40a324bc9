// Self time that only moved between neighbours: a caller, a callee, a function of the same file or
// class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "proto/findings.pb.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

class MovedTimes {
 public:
  // Keeps references to both.
  MovedTimes(const MatchedTarget& target, const std::vector<FunctionTime>& self);

  // Functions among which calls moved (reporter/shifts/cost_shifts.h) become neighbours; shifts
  // with a common function are merged.
  void AddShift(const std::vector<uint32_t>& functions);

  // The neighbours whose self times changed the other way. Nothing if they do not compensate for
  // the change of this self time.
  std::optional<v1::Shift> Find(const FunctionTime& time);

 private:
  void IndexNeighbours();
  std::vector<std::vector<uint32_t>> NeighboursOf(uint32_t function) const;
  std::optional<v1::Shift> FindAmong(const FunctionTime& time,
                                     const std::vector<uint32_t>& neighbours) const;

  const MatchedTarget& target_;
  absl::flat_hash_map<uint32_t, const FunctionTime*> self_;
  absl::flat_hash_map<uint32_t, size_t> shift_of_;  // by function: index into shifts_
  std::vector<std::vector<uint32_t>> shifts_;
  bool indexed_ = false;
  std::vector<std::vector<uint32_t>> by_neighbour_;
  absl::flat_hash_map<std::string, std::vector<uint32_t>> by_file_;
  absl::flat_hash_map<std::string, std::vector<uint32_t>> by_scope_;
};

// Standard error of TimeAfter - TimeBefore.
double StandardErrorOfChange(const TimeTest& test);

}  // namespace gprofhub::reporter
