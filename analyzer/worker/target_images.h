// The raw data of one target in one run, as input of the analyses.
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

// One analysis: the computed profile and series of a run's target.

// Reads the profiles and symbol bundles that `input` names, sums them image by image and computes
// costs and series, as specified by Analyze. The sum does not depend on order: executions, shards
// and processes in any order give the same bytes. Sampled profiles give no series, because trends
// and changes need exact counts.
//
// Errors of the data (unreadable, unmergeable) name the process or image.
absl::StatusOr<store::AnalysisResult> AnalyzeTarget(const AnalysisInput& input,
                                                    const ReadBlob& read,
                                                    const std::function<bool()>& stopping);

struct TargetImage {
  profile::SymbolTable symbols;
  // The sum of all the target's profiles of this image. If they were sampled at several rates, the
  // sum's rate is the least common multiple, counts are scaled so that their seconds do not change,
  // and histograms may overlap.
  profile::RawProfile sum;
};

// By build-id. Results have this order.
using TargetImages = std::map<std::string, TargetImage>;

// Reads the profiles and symbol bundles that `data` names, image by image, for
// listings.
//
// `stopping` is polled between profiles; after it returns true the result is CANCELLED. Errors of
// the data (unreadable, unmergeable) are INVALID_ARGUMENT, OUT_OF_RANGE or DATA_LOSS and name the
// process or image; others are the store's, and those of `decoding`, in which the images' memory
// stays reserved. If it is bounded, `read` reserves the size of the bytes in it
// (reporter/queries/runs.h), which this function releases.
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
