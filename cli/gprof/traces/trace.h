// What GNU gprof's -d prints of its own workings. It is recomputed from the values that the
// listings come from, so that these need not know of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/rows.h"
#include "cli/gprof/options/options.h"
#include "cli/gprof/traces/arc_trace.h"
#include "cli/gprof/traces/record_trace.h"
#include "cli/gprof/traces/symspec_searches.h"
#include "profile/elf/symbol_classes.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// Whether the options ask for more than the line that every -d prints.
bool WantsTrace(const GprofOptions& options);

// The functions are called in the order in which they stand here. They return text, each line
// with its newline.
class GprofTrace {
 public:
  // `options` and `symbols` must outlive the trace. Errors of the image, as
  // ReadElfSymbols.
  static absl::StatusOr<std::unique_ptr<GprofTrace>> Open(const GprofOptions& options,
                                                          const profile::SymbolTable& symbols);

  // The image's symbols, and the symspecs.
  std::string OfImage();
  // A profile without errors, of the format that it has.
  std::string OfProfile(absl::string_view content, TracedFormat format);
  // What is written to gmon.sum. `histograms` of the listing: with their bins.
  std::string OfSum(const analyzer::ListingInput& input) const;
  // The listing; notes what is printed in it.
  std::string OfListing(const std::vector<profile::Histogram>& histograms,
                        analyzer::ListingInput& input);
  // Before the counts, and before the first source.
  std::string OfExecutionCounts(const analyzer::ListingInput& input) const;
  std::string OfSources(const analyzer::ListingInput& input) const;

 private:
  GprofTrace(const GprofOptions& options, const profile::SymbolTable& symbols,
             profile::ClassedSymbols classed);

  const GprofOptions& options_;
  const profile::SymbolTable& symbols_;
  const profile::ClassedSymbols classed_;
  const unsigned levels_;
  const analyzer::ListingRows rows_;
  ChosenArcs chosen_;
  SymspecSearches searches_;
  RecordTrace records_;
};

}  // namespace gprofhub::cli
