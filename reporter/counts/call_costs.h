// What a call costs: the samples of all targets, by function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

class CallCosts {
 public:
  // Without `by_function` all calls cost the same: to tell functions apart takes time, and only
  // targets with few samples ask for it.
  explicit CallCosts(bool by_function = true) : tells_functions_apart_(by_function) {}

  // Counts the samples and calls of the target's functions, of both sides. Their names outlive it.
  void Add(const MatchedTarget& target);

  // Whether there is a sample at all.
  bool known() const { return all_.samples > 0; }
  // Samples in the function itself for each of its calls.
  double PerCall(absl::string_view function) const;
  // The same of any function.
  double PerAnyCall() const;

 private:
  struct Sum {
    double samples = 0;
    double calls = 0;
  };
  const bool tells_functions_apart_;
  Sum all_;
  absl::flat_hash_map<absl::string_view, Sum> by_function_;
};

}  // namespace gprofhub::reporter
