// The raw data of one target in one run, as the analyses want it.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "analyzer/worker/analysis_child.h"
#include "analyzer/worker/target_profile.h"
#include "base/memory_budget.h"
#include "profile/raw_profile.h"
#include "store/records/records.h"

namespace gprofhub::analyzer {

// One analysis: everything a run's target left, computed.

// Reads the profiles and symbol bundles that `input` names, sums them image by image and computes
// costs and series, as Analyze says. The profiles are a sum: executions, shards and processes in
// any order give the same bytes. Sampled profiles give no series: trends and changes are of counts
// that are exact.
//
// Errors of the data (unreadable, unmergeable) name the process or image.
absl::StatusOr<store::AnalysisResult> AnalyzeTarget(const AnalysisInput& input,
                                                    const ReadBlob& read,
                                                    const std::function<bool()>& stopping);

struct TargetImage {
  profile::SymbolTable symbols;
  // Of all the target's profiles of this image. They may have been sampled at several
  // rates. Then the sum's rate is the least that all of them divide, and counts are
  // multiplied, so that their seconds stay. Histograms may then overlap.
  profile::RawProfile sum;
};

// By build-id. Results have this order.
using TargetImages = std::map<std::string, TargetImage>;

// Reads the profiles and symbol bundles that `data` names, image by image, for
// listings.
//
// `stopping` is asked between profiles; once it says true the answer is
// CANCELLED. Errors of the data (unreadable, unmergeable) are INVALID_ARGUMENT,
// OUT_OF_RANGE or DATA_LOSS and name the process or image; others are the
// store's, and those of `decoding`, with which the images' memory is left. If it has a bound,
// `read` leaves the size of the bytes with it (reporter/queries/runs.h), which is given
// back.
absl::StatusOr<TargetImages> ReadTargetImages(const ReadBlob& read, const store::TargetData& data,
                                              const std::function<bool()>& stopping,
                                              const base::Decoding& decoding = {});

struct TargetModules {
  std::map<std::string, profile::SymbolTable> symbols;  // by build-id
  TargetProfile profile;                                // refers to the symbols
};

// The same, all modules of the target together.
absl::StatusOr<TargetModules> ReadTargetModules(const ReadBlob& read, const store::TargetData& data,
                                                const std::function<bool()>& stopping);

struct TargetStacks {
  std::map<std::string, profile::SymbolTable> symbols;  // by build-id
  SampledProfile profile;                               // refers to the symbols
};

// The same for a run whose profiles were sampled by another profiler.
absl::StatusOr<TargetStacks> ReadTargetStacks(const ReadBlob& read, const store::TargetData& data,
                                              const std::function<bool()>& stopping);

}  // namespace gprofhub::analyzer
