// Converts the rows of a symbol bundle's tables to values, within a memory limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/codec/bundle_wire.h"
#include "profile/codec/wire.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Memory limit for the symbols of a bundle with this content size, at most kLargestContent.
uint64_t MostMemoryOfSymbols(uint64_t content);

// FunctionColumns.flags.
inline constexpr uint32_t kLocalFlag = 1;
inline constexpr uint32_t kWeakFlag = 2;
inline constexpr uint32_t kFunctionFlag = 4;
inline constexpr uint32_t kIndirectFlag = 8;
inline constexpr uint32_t kNeverInlinedFlag = 16;
inline constexpr uint32_t kAllFunctionFlags =
    kLocalFlag | kWeakFlag | kFunctionFlag | kIndirectFlag | kNeverInlinedFlag;

// Converts the rows of the tables to values, within a memory limit.
class RowDecoder {
 public:
  // The first two must outlive the decoder. `memory` is the limit for the symbols; errors are
  // INVALID_ARGUMENT, naming table, column and row, or those of Decoding::CheckWantedAt.
  RowDecoder(const WireStrings& strings, SymbolTable& symbols, uint64_t memory,
             const base::Decoding& decoding)
      : strings_(strings),
        memory_(memory),
        decoding_(decoding),
        files_(strings, symbols.files),
        toolchains_(strings, symbols.toolchains) {}

  absl::Status DecodeFunctions(absl::string_view name, WireTable& table,
                               std::vector<FunctionSymbol>& symbols);
  // If `keep` is false, the rows are only checked.
  absl::Status DecodeLines(absl::string_view name, WireTable& table, bool keep,
                           std::vector<LineRow>& lines);
  // If `keep` is false, the rows are only checked.
  absl::Status DecodeInlined(absl::string_view name, WireTable& table, bool keep,
                             std::vector<InlinedFunction>& inlined);

 private:
  // The strings used as names of files, or of toolchains, in separate lists.
  class UsedStrings {
   public:
    UsedStrings(const WireStrings& strings, std::vector<std::string>& used)
        : strings_(strings), used_(used) {}
    uint32_t IndexOf(uint32_t string);
    size_t size() const { return used_.size(); }
    // Their memory.
    uint64_t memory() const { return memory_; }

   private:
    const WireStrings& strings_;
    std::vector<std::string>& used_;
    absl::flat_hash_map<uint32_t, uint32_t> indices_;
    uint64_t memory_ = 0;
  };

  absl::Status DecodeFunction(absl::string_view table, WireTable& columns, size_t row,
                              FunctionSymbol& function);
  absl::Status Use(absl::string_view table, uint64_t bytes);

  const WireStrings& strings_;
  uint64_t memory_;  // remaining
  const base::Decoding decoding_;
  UsedStrings files_;
  UsedStrings toolchains_;
};

}  // namespace gprofhub::profile
