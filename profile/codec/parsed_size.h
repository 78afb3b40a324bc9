// Computes the memory of a parsed message before parsing it.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// An upper bound in bytes of libprotobuf's allocations for parsing `bytes` as a message of this
// type. Stops reading once it exceeds `most`, and then returns a number above `most`. DATA_LOSS if
// it is not such a message: cut off, with groups, or nested more than 32 deep.
absl::StatusOr<uint64_t> ParsedSize(absl::string_view bytes,
                                    const google::protobuf::Descriptor& type, uint64_t most);

}  // namespace gprofhub::profile
