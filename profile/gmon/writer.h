// Writes profiles as GNU gmon.out (profile/format/gmon.h).
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Constants of the formats before GNU's: 4.4BSD's, and the one before that.

// In the header of 4.4BSD's.
inline constexpr uint64_t k44BsdVersion = 0x51879;
// Samples per second of the older one, which does not record it.
inline constexpr uint32_t kAssumedBsdRate = 100;

struct GmonWriteOptions {
  int address_size = 8;  // 4 or 8
  bool big_endian = false;
  // Marks the file: the arcs' from_pc are return addresses. Otherwise they are functions.
  bool has_exact_callers = true;
};

// The file's bytes. A count too large for its field is split into several records, so that reading
// the file gives the same sums.
//
// InvalidArgument: an address or block count needs more bits than address_size has, a dimension has
// more than 15 characters, or the split counts would make a file of more than 4 GiB.
absl::StatusOr<std::string> WriteGmon(const RawProfile& profile,
                                      const GmonWriteOptions& options = {});

// Writes profiles in the formats before GNU's, which profile/gmon/reader.h reads on request: one
// histogram and arcs.

// The file's bytes; `with_version`: 4.4BSD's header, which has the rate.
//
// InvalidArgument, with a remedy: the format cannot represent the profile, because it has more than
// one histogram, basic blocks, a bin of more than 16 bits, or a number with more bits than
// address_size.
absl::StatusOr<std::string> WriteBsd(const RawProfile& profile, const GmonWriteOptions& options,
                                     bool with_version);

}  // namespace gprofhub::profile
