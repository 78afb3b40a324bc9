#include "reporter/text/numbers.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"

namespace gprofhub::reporter {

std::string HumanCount(double count) {
  if (!std::isfinite(count)) return absl::StrFormat("%g", count);
  if (count != std::floor(count)) {
    return count < 1000 ? absl::StrFormat("%.3g", count) : HumanCount(std::round(count));
  }
  std::string digits = absl::StrFormat("%.0f", count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    if (digits[at - 1] == '-') break;
    digits.insert(at, ",");
  }
  return digits;
}

std::string HumanTime(double value, absl::string_view dimension) {
  if (dimension != "seconds")
    return absl::StrCat(HumanCount(value), " ", base::Printable(dimension));
  const double size = std::fabs(value);
  if (size >= 100) return absl::StrFormat("%.0f s", value);
  if (size >= 1) return absl::StrFormat("%.3g s", value);
  if (size >= 1e-3) return absl::StrFormat("%.3g ms", value * 1e3);
  if (size >= 1e-6) return absl::StrFormat("%.3g us", value * 1e6);
  return "0 s";
}

std::string HumanEffect(double percent) {
  if (percent >= 900) return absl::StrFormat("×%.1f", percent / 100 + 1);
  if (std::fabs(percent) >= 9.95) return absl::StrFormat("%+.0f%%", percent);
  if (std::fabs(percent) >= 0.05) return absl::StrFormat("%+.1f%%", percent);
  return percent < 0 ? "-<0.1%" : "+<0.1%";
}

std::string HumanShare(double share) {
  if (share < 0.001) return "<0.1%";
  return absl::StrFormat("%.*f%%", share < 0.0995 ? 1 : 0, share * 100);
}

}  // namespace gprofhub::reporter
