// Constants of the formats before GNU's: 4.4BSD's, and the one before that.
#pragma once

#include <cstdint>

namespace gprofhub::profile {

// In the header of 4.4BSD's.
inline constexpr uint64_t k44BsdVersion = 0x51879;
// Samples per second of the older one, which does not record it.
inline constexpr uint32_t kAssumedBsdRate = 100;

}  // namespace gprofhub::profile
