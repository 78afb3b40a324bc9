// -d: dumps gprof's input before the analysis.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/graph/function_table.h"
#include "analyzer/listing/rows.h"
#include "cli/gprof/options.h"
#include "profile/raw_profile.h"
#include "profile/recording/chunks.h"

namespace gprofhub::cli {

// The levels of GNU gprof's -d (its manual, "Debugging gprof") that print something here. -d takes
// a sum of levels. All others are accepted and print nothing.
enum DebugLevel : unsigned {
  kDumpArcs = 16,
  kDumpRecords = 64,  // histograms and arcs
  kDumpSymbols = 128,
  kDumpBlocks = 2048,
  kDumpSymspecs = 4096,
};

// The dump is for people: its format may change.
class DebugDump {
 public:
  // Both must outlive the dump. `symbols` has functions.
  DebugDump(const GprofOptions& options, const profile::SymbolTable& symbols);
  DebugDump(const DebugDump&) = delete;
  DebugDump& operator=(const DebugDump&) = delete;

  // A summary of the symbol table, and each symspec with the number of rows that it matches.
  std::string OfProgram() const;

  // Whether OfProfile prints anything.
  bool HasProfiles() const;
  // The format of the file `content`, read from `path` as `profile`, with its histograms, arcs and
  // basic blocks. Histogram records of one range are one histogram. `calls_out`: calls of functions
  // of other modules.
  std::string OfProfile(absl::string_view content, absl::string_view path,
                        const profile::RawProfile& profile,
                        const std::vector<profile::CallsOut>& calls_out) const;

 private:
  bool Has(unsigned levels) const { return (options_.debug & levels) != 0; }
  std::string OfSymbols() const;
  std::string OfSymspec(const SymspecArgument& symspec) const;
  // The address with the symbol that covers it, by line with the source line.
  std::string Place(uint64_t pc) const;

  const GprofOptions& options_;
  const profile::SymbolTable& symbols_;
  const analyzer::ListingRows rows_;
  const analyzer::FunctionFinder finder_;
};

// --file-info: the number of records in a profile.

// Whether a file with this content is of the GNU format; the older ones have no
// magic number.
bool IsGnuGmon(absl::string_view content);

// The records of the profile `content`, which was read from `path` as `profile`, with `arcs` arcs,
// of the image of `symbols`.
analyzer::ProfileRecords CountRecords(absl::string_view content, absl::string_view path,
                                      const profile::SymbolTable& symbols,
                                      const profile::RawProfile& profile, size_t arcs);

// GNU gprof's text about them.
std::string Describe(const analyzer::ProfileRecords& records);

}  // namespace gprofhub::cli
