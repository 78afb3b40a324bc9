// Writes profiles in the formats before GNU's, which profile/gmon/reader.h reads on request: one
// histogram and arcs.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "profile/gmon/writer.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// The file's bytes; `with_version`: 4.4BSD's header, which has the rate.
//
// InvalidArgument, with a remedy: the format cannot represent the profile, because it has more than
// one histogram, basic blocks, a bin of more than 16 bits, or a number with more bits than
// address_size.
absl::StatusOr<std::string> WriteBsd(const RawProfile& profile, const GmonWriteOptions& options,
                                     bool with_version);

}  // namespace gprofhub::profile
