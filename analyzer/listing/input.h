// The input of the listings: one image's functions or lines and their call graph.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/symspec.h"

namespace gprofhub::analyzer {

// The rows chosen for one purpose.
struct ChosenRows {
  std::vector<bool> included;  // by row; empty: no symspec names any row
  std::vector<bool> excluded;  // the same

  bool IsIncluded(uint32_t row) const { return !included.empty() && included[row]; }
  bool IsExcluded(uint32_t row) const { return !excluded.empty() && excluded[row]; }
  // Whether the row is chosen: named, or where none is named, not excluded.
  bool Contains(uint32_t row) const {
    return included.empty() ? !IsExcluded(row) : bool{included[row]};
  }
};

// Names as the listings print them. Most C names are printed unchanged: these refer to the symbol
// table and are not copied.
struct PrintedNames {
  PrintedNames() = default;
  PrintedNames(PrintedNames&&) = default;
  PrintedNames& operator=(PrintedNames&&) = default;

  std::vector<absl::string_view> by_row;      // empty for rows that no listing mentions
  std::vector<std::deque<std::string>> made;  // those that are not in the symbol table

  absl::string_view operator[](size_t row) const { return by_row[row]; }
};

struct ListingInput {
  ListingRows rows;
  CallGraph graph{{}};  // a node for each row, then the cycles
  ChosenRows chosen[kChoices];
  // By node: whether it has an entry in the call graph, unless the entry would be empty.
  std::vector<bool> in_graph;
  bool has_calls = false;    // the profile has arcs
  double total_samples = 0;  // all samples but those of rows that are not in the flat profile
  uint32_t rate = 0;         // samples per unit of the dimension; 0: no histogram
  std::string dimension;     // "seconds"
  char abbreviation = 's';
  std::string measured_note;   // with measured times: a line on their coverage
  std::string quantity_notes;  // lines that explain the counts of quantities
  uint64_t bytes_per_bin = 0;  // of code, rounded down to even
  PrintedNames names;          // if a table is printed
  // By row, if a table prints index numbers: RanksByName.
  std::vector<uint32_t> name_ranks;

  // Whether the linkage name of row `a` comes before that of `b`. Equal names may come in
  // the order of their addresses.
  bool NameBefore(uint32_t a, uint32_t b) const {
    return name_ranks.empty() ? rows.LinkageName(a) < rows.LinkageName(b)
                              : name_ranks[a] < name_ranks[b];
  }

  const ChosenRows& Chosen(Choice choice) const { return chosen[static_cast<size_t>(choice)]; }
};

}  // namespace gprofhub::analyzer
