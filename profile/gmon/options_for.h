// What an image's architecture (SymbolTable::architecture) says about the
// profiles its processes write.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/gmon/reader.h"

namespace gprofhub::profile {

// How to read a gmon.out of a program of this architecture. InvalidArgument,
// naming those that are known, for another one.
absl::StatusOr<GmonReadOptions> GmonOptionsFor(absl::string_view architecture);

}  // namespace gprofhub::profile
