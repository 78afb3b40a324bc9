// The rows of a symbol bundle's tables as values, within a bound of memory.
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

// What the symbols of a bundle with so much content, at most kLargestContent, may take.
uint64_t MostMemoryOfSymbols(uint64_t content);

// FunctionColumns.flags.
inline constexpr uint32_t kLocalFlag = 1;
inline constexpr uint32_t kWeakFlag = 2;
inline constexpr uint32_t kFunctionFlag = 4;
inline constexpr uint32_t kIndirectFlag = 8;
inline constexpr uint32_t kNeverInlinedFlag = 16;
inline constexpr uint32_t kAllFunctionFlags =
    kLocalFlag | kWeakFlag | kFunctionFlag | kIndirectFlag | kNeverInlinedFlag;

// Reads the rows of the tables into values, within a bound of memory.
class RowDecoder {
 public:
  // The first two outlive the decoder. `memory` bounds what the symbols take; the errors of the
  // calls are INVALID_ARGUMENT, and name table, column and row, or are Decoding::CheckWantedAt's.
  RowDecoder(const WireStrings& strings, SymbolTable& symbols, uint64_t memory,
             const base::Decoding& decoding)
      : strings_(strings),
        memory_(memory),
        decoding_(decoding),
        files_(strings, symbols.files),
        toolchains_(strings, symbols.toolchains) {}

  absl::Status DecodeFunctions(absl::string_view name, WireTable& table,
                               std::vector<FunctionSymbol>& symbols);
  // The rows are only checked if `keep` is false.
  absl::Status DecodeLines(absl::string_view name, WireTable& table, bool keep,
                           std::vector<LineRow>& lines);
  // Likewise.
  absl::Status DecodeInlined(absl::string_view name, WireTable& table, bool keep,
                             std::vector<InlinedFunction>& inlined);

 private:
  // The strings that are used as names of files, or of toolchains, in a list of their own.
  class UsedStrings {
   public:
    UsedStrings(const WireStrings& strings, std::vector<std::string>& used)
        : strings_(strings), used_(used) {}
    uint32_t IndexOf(uint32_t string);
    size_t size() const { return used_.size(); }
    // What they take.
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
  uint64_t memory_;  // that is left
  const base::Decoding decoding_;
  UsedStrings files_;
  UsedStrings toolchains_;
};

}  // namespace gprofhub::profile
