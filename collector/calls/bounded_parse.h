// Parses a client's message within bounded memory.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::collector {

// The longest header, of an upload of 10,000 profiles, takes less than 8 MiB.
inline constexpr uint64_t kMostParsedBytes = 16 << 20;

// INVALID_ARGUMENT for bytes that are not a message of this type; RESOURCE_EXHAUSTED for one that
// would take more than kMostParsedBytes once parsed, which is checked before parsing.
absl::Status ParseBounded(absl::string_view bytes, google::protobuf::Message& message);

}  // namespace gprofhub::collector
