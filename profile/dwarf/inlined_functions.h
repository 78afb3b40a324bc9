// Which functions were inlined into which.
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

// Takes the entries of a file's units in their order.
class InlinedFunctions {
 public:
  // The linkage name of an entry; empty: it has none, or no more are read.
  using NameOf = absl::FunctionRef<absl::string_view(Dwarf_Die*)>;

  void Take(Dwarf_Die* die, int depth, NameOf name_of);

  // Ascending, each once. None, if there are too many to keep.
  std::vector<InlinedFunction> Finish();

 private:
  static constexpr uint32_t kNoName = 0;
  struct Names {
    uint32_t linkage = kNoName;
    uint32_t qualified = kNoName;
  };

  Names NamesOf(Dwarf_Die* die, NameOf name_of);

  // Depth and address of the functions that are open; address 0: without code of its own.
  std::vector<std::pair<int, uint64_t>> open_;
  absl::flat_hash_map<Dwarf_Off, Names> by_origin_;
  absl::flat_hash_map<uint32_t, uint32_t> qualified_;  // by hash of the linkage name
  std::vector<InlinedFunction> found_;
  bool too_many_ = false;
};

}  // namespace gprofhub::profile
