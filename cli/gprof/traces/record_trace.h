// Levels 16, 64, 512 and 2048 while profiles are read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/listing/rows.h"
#include "cli/gprof/traces/arc_trace.h"
#include "cli/gprof/traces/symbol_search.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

enum class TracedFormat { kGmon, kBsd, k44Bsd };

class RecordTrace {
 public:
  // All must outlive the trace. `last` is as SearchedTable has it. `chosen` has the arcs that
  // symspecs name; it may be filled later.
  RecordTrace(const profile::SymbolTable& symbols, const analyzer::ListingRows& rows,
              unsigned levels, uint64_t last, const ChosenArcs& chosen);

  // Of a profile without errors.
  std::string OfProfile(absl::string_view content, TracedFormat format);
  // The searches for each row's calls of itself, when all profiles are read.
  std::string OfSelfLookups();

 private:
  std::string OfGmon(absl::string_view content);
  std::string OfBsd(absl::string_view content, bool has_version);
  bool Has(unsigned levels) const { return (levels_ & levels) != 0; }
  void AddHistogram(const profile::Histogram& histogram, std::string& out);
  void AddArc(absl::string_view reader, uint64_t from_pc, uint64_t self_pc, uint64_t count,
              std::string& out);
  void AddBlock(uint64_t pc, uint64_t count, std::string& out);
  // The row; kNoFunction if the search finds none.
  uint32_t Find(uint64_t pc, std::string& out) const;

  const profile::SymbolTable& symbols_;
  const analyzer::ListingRows& rows_;
  const unsigned levels_;
  const ChosenArcs& chosen_;
  ArcTrace arcs_;
  const SearchedTable table_;
  std::map<uint64_t, std::vector<uint64_t>> bins_;  // the sums so far, by low_pc
};

}  // namespace gprofhub::cli
