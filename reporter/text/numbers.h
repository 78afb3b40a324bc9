// Number formats for people.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// 239477 → "239,477"; a fractional count per execution → "1.5".
std::string HumanCount(double count);

// 0.0123 → "12.3 ms", 75.2 → "75.2 s". For another dimension than "seconds": the number and the
// dimension, made printable.
std::string HumanTime(double value, absl::string_view dimension);

// 53.9 → "+54%", -0.4 → "-0.4%", 912.3 → "×10.1" from a factor of ten on.
std::string HumanEffect(double percent);

// 0.0321 → "3.2%"; below one in a thousand → "<0.1%".
std::string HumanShare(double share);

}  // namespace gprofhub::reporter
