// The raw data of one target in one run, summed image by image.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"
#include "store/store.h"

namespace gprofhub {

struct TargetImage {
  SymbolTable symbols;
  RawProfile sum;  // of all the target's profiles of this image
};

// By build-id, whose order is that of every result.
using TargetImages = std::map<std::string, TargetImage>;

// Reads the profiles and symbol bundles that `data` names.
//
// `stopping` is asked between profiles; once it says true the answer is
// CANCELLED. Errors of the data (unreadable, unmergeable) are INVALID_ARGUMENT,
// OUT_OF_RANGE or DATA_LOSS and name the process or image; others are the
// store's.
absl::StatusOr<TargetImages> ReadTargetImages(Store& store, const TargetData& data,
                                              const std::function<bool()>& stopping);

}  // namespace gprofhub
