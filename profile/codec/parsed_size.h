// How much memory a serialized message takes once it is parsed, found out before it is parsed.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// An upper bound in bytes of what libprotobuf allocates to parse `bytes` as a message of this type.
// Reads no further than where it exceeds `most`, and then gives a number above `most`. DATA_LOSS
// for what is no such message: cut off, with groups, or nested more than 32 deep.
absl::StatusOr<uint64_t> ParsedSize(absl::string_view bytes,
                                    const google::protobuf::Descriptor& type, uint64_t most);

}  // namespace gprofhub::profile
