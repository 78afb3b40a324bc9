// Writes profile values in the formats from before GNU's, which profile/gmon/reader.h
// reads when asked for: one histogram and arcs.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "profile/gmon/writer.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// The file's bytes; `with_version`: 4.4BSD's header, which has the rate.
//
// InvalidArgument, with what to do: what the format has no place for, that is
// more than one histogram, basic blocks, a bin of more than 16 bits, or what
// needs more bits than address_size gives.
absl::StatusOr<std::string> WriteBsd(const RawProfile& profile, const GmonWriteOptions& options,
                                     bool with_version);

}  // namespace gprofhub::profile
