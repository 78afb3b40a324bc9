// What the listings print from: one image's functions and their call graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/call_graph.h"
#include "analyzer/function_table.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub {

struct ListingOptions {
  bool explain = true;       // follow each table with what its columns mean
  bool demangle = true;      // print C++ names as in the source
  bool show_unused = false;  // list functions without samples and calls too
};

struct ListingInput {
  explicit ListingInput(const std::vector<double>& self_samples) : graph(self_samples) {}

  std::vector<absl::string_view> linkage_names;  // parallel to the graph's functions
  std::vector<std::string> names;                // the same, as printed
  // What the index adds to the name: " (file)" of a local function whose source
  // file is known, else nothing.
  std::vector<std::string> files;
  // False: part of the profiler, which the listings leave out.
  std::vector<bool> is_listed;
  CallGraph graph;
  double total_samples = 0;  // all samples, attributed or not
  uint32_t rate = 0;         // samples per unit of the dimension; 0: no histogram
  std::string dimension;     // "seconds"
  char abbreviation = 's';
  uint64_t bytes_per_bin = 0;  // of code, rounded down to even
};

// Resolves `profile` against `symbols` as GNU gprof does. `symbols` must
// outlive the result.
ListingInput PrepareListing(const SymbolTable& symbols, const RawProfile& profile,
                            const ListingOptions& options);

}  // namespace gprofhub
