// GNU gprof's tables of the symbols and calls that symspecs name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/listing/symspec.h"

namespace gprofhub::cli {

// GNU gprof's tables of symspecs.
enum class SymspecTable : uint8_t {
  kIncludeGraph,
  kExcludeGraph,
  kIncludeArcs,
  kExcludeArcs,
  kIncludeFlat,
  kExcludeFlat,
  kIncludeTime,
  kExcludeTime,
  kIncludeAnnotated,
  kExcludeAnnotated,
  kIncludeCounts,
  kExcludeCounts,
};

// The two tables of one purpose.
struct ChoiceTables {
  SymspecTable include;
  SymspecTable exclude;
};

constexpr ChoiceTables TablesOf(analyzer::Choice choice) {
  constexpr ChoiceTables kByChoice[analyzer::kChoices] = {
      {SymspecTable::kIncludeFlat, SymspecTable::kExcludeFlat},
      {SymspecTable::kIncludeGraph, SymspecTable::kExcludeGraph},
      {SymspecTable::kIncludeTime, SymspecTable::kExcludeTime},
      {SymspecTable::kIncludeAnnotated, SymspecTable::kExcludeAnnotated},
      {SymspecTable::kIncludeCounts, SymspecTable::kExcludeCounts},
  };
  return kByChoice[static_cast<size_t>(choice)];
}

}  // namespace gprofhub::cli
