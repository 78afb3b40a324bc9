// Maps rows of several profiles to functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "base/memory/text_arena.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// The functions of all runs by key. A clone is mapped to the function that it was made from. If no
// profile has that function, it is represented by its clones of one file.
class FunctionIndex {
 public:
  // Keeps a reference to `matched`, which owns the functions. Each gets `runs` columns of times.
  FunctionIndex(size_t runs, MatchedTarget& matched)
      : runs_(runs), functions_(matched.functions), texts_(matched.texts) {}

  // Adds the functions of one profile. Returns the function index of each row.
  RowMap Add(const profile::ComputedProfile& profile);

 private:
  uint32_t IndexOf(absl::string_view name, absl::string_view file, bool is_static, bool is_clone);
  uint32_t Insert(absl::string_view key, absl::string_view name);

  const size_t runs_;
  std::vector<FunctionPair>& functions_;
  base::TextArena& texts_;
  // Keys point into texts_ or static_keys_.
  absl::flat_hash_map<absl::string_view, uint32_t> index_;
  base::TextArena static_keys_;
  // Keys with clones but without a function so far.
  absl::flat_hash_set<std::string> orphans_;
};

}  // namespace gprofhub::reporter
