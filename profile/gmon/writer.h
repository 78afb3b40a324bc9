// Writes profiles as GNU gmon.out (profile/gmon/format.h).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

struct GmonWriteOptions {
  int address_size = 8;  // 4 or 8
  bool big_endian = false;
};

// The file's bytes. A count too large for its field is split into several records, so that reading
// the file gives the same sums.
//
// InvalidArgument: an address or block count needs more bits than address_size has, a dimension has
// more than 15 characters, or the split counts would make a file of more than 4 GiB.
absl::StatusOr<std::string> WriteGmon(const RawProfile& profile,
                                      const GmonWriteOptions& options = {});

}  // namespace gprofhub::profile
