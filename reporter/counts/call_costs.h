// Cost of a call, from the samples of all targets, by function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

class CallCosts {
 public:
  // Without `by_function` all calls cost the same: distinguishing functions takes time, and only
  // targets with few samples need it.
  explicit CallCosts(bool by_function = true) : tells_functions_apart_(by_function) {}

  // Counts the samples and calls of the target's functions, of both sides. Keeps references to
  // their names.
  void Add(const MatchedTarget& target);

  // Whether there is any sample.
  bool known() const { return all_.samples > 0; }
  // Self samples per call of the function.
  double PerCall(absl::string_view function) const;
  // The same, averaged over all functions.
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
