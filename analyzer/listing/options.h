// Contents and format of a listing.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/listing/rows.h"
#include "analyzer/listing/symspec.h"
#include "profile/names/demangle.h"

namespace gprofhub::analyzer {

// The tables to print.
struct Tables {
  bool flat = true;
  bool graph = true;  // with its index by name
};

struct ListingOptions {
  Tables tables;
  bool explain = true;             // print the meaning of the columns after each table
  bool show_unused = false;        // list functions without samples and calls too
  bool traditional = false;        // 4.3BSD's style
  bool expected_error = false;     // the sampling error next to each time
  bool full_paths = false;         // source files with their directories
  bool inline_file_names = false;  // name every function's file and line, too
  uint64_t width = 80;             // of the lines of the index by name
  // Names as in the source; without a style, as the linker has them.
  std::optional<profile::DemanglingStyle> demangling = profile::DemanglingStyle::kAuto;
  RowOptions rows;
  SymspecLists symspecs;

  bool HasTables() const { return tables.flat || tables.graph; }
  // Whether a table prints index numbers, which identify entries of the call graph.
  bool HasIndexNumbers() const { return tables.graph || (tables.flat && traditional); }
};

}  // namespace gprofhub::analyzer
