// Records which functions were inlined into which.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Must be called with the entries of a file's units in order.
class InlinedFunctions {
 public:
  // The linkage name of an entry; empty if it has none, or the limit of names is reached.
  using NameOf = absl::FunctionRef<absl::string_view(Dwarf_Die*)>;

  void Take(Dwarf_Die* die, int depth, NameOf name_of);

  // Ascending, each once. Empty if there are too many to keep.
  std::vector<InlinedFunction> Finish();

 private:
  static constexpr uint32_t kNoName = 0;
  struct Names {
    uint32_t linkage = kNoName;
    uint32_t qualified = kNoName;
  };

  Names NamesOf(Dwarf_Die* die, NameOf name_of);

  // Depth and address of the open functions; address 0: without separate code.
  std::vector<std::pair<int, uint64_t>> open_;
  absl::flat_hash_map<Dwarf_Off, Names> by_origin_;
  absl::flat_hash_map<uint32_t, uint32_t> qualified_;  // by hash of the linkage name
  std::vector<InlinedFunction> found_;
  bool too_many_ = false;
};

}  // namespace gprofhub::profile
