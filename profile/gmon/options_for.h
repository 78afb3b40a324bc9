// Properties of the profiles of an image's processes, by its architecture
// (SymbolTable::architecture).
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/gmon/reader.h"

namespace gprofhub::profile {

// Options for reading a gmon.out of a program of this architecture. InvalidArgument, listing the
// known ones, for another one.
absl::StatusOr<GmonReadOptions> GmonOptionsFor(absl::string_view architecture);

}  // namespace gprofhub::profile
