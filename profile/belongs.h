// Whether a profile can have been written by an image. A gmon.out does not name its image, so only
// contradictions can be found.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// FailedPrecondition, with both files and ranges in the message, if
//   - a histogram lies outside the image's code or reaches far beyond it,
//   - most arcs lead outside the image's code, or
//   - of the arcs that lead into a function many do not lead to its beginning.
// Reads only a sample of the arcs; those in between need not be in memory.
absl::Status CheckBelongs(const RawProfile& profile, const SymbolTable& symbols,
                          absl::string_view file_name, absl::string_view image_name);

// The sampling interval for `arcs` arcs.
size_t ArcsPerLook(size_t arcs);

}  // namespace gprofhub::profile
