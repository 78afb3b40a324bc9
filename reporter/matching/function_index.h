// Which rows of several profiles are one function.
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

// The functions of all runs under one key each. A clone goes to the function that it is made from.
// Where no profile has that function, its clones of one file stand for it.
class FunctionIndex {
 public:
  // The functions are those of `matched`, which outlives it. `runs` columns of times are made for
  // each.
  FunctionIndex(size_t runs, MatchedTarget& matched)
      : runs_(runs), functions_(matched.functions), texts_(matched.texts) {}

  // The functions of one profile: the index of each of its rows.
  RowMap Add(const profile::ComputedProfile& profile);

 private:
  uint32_t IndexOf(absl::string_view name, absl::string_view file, bool is_static, bool is_clone);
  uint32_t Insert(absl::string_view key, absl::string_view name);

  const size_t runs_;
  std::vector<FunctionPair>& functions_;
  base::TextArena& texts_;
  // Keys are of texts_, or of static_keys_.
  absl::flat_hash_map<absl::string_view, uint32_t> index_;
  base::TextArena static_keys_;
  // Keys under which there are clones, but no function yet.
  absl::flat_hash_set<std::string> orphans_;
};

}  // namespace gprofhub::reporter
