#include "reporter/text/units.h"

#include "absl/strings/str_cat.h"
#include "reporter/text/numbers.h"

namespace gprofhub::reporter {

absl::string_view UnitName(profile::CountUnit unit) {
  switch (unit) {
    case profile::CountUnit::kCalls:
      return "calls";
    case profile::CountUnit::kBytes:
      return "bytes";
    case profile::CountUnit::kMicroseconds:
      return "microseconds";
    case profile::CountUnit::kNanoseconds:
      return "nanoseconds";
    case profile::CountUnit::kEvents:
      return "events";
  }
  return "";
}

bool IsTime(profile::CountUnit unit) {
  return unit == profile::CountUnit::kMicroseconds || unit == profile::CountUnit::kNanoseconds;
}

std::string CountInUnit(double count, profile::CountUnit unit) {
  if (unit == profile::CountUnit::kMicroseconds) return HumanTime(count / 1e6, "seconds");
  if (unit == profile::CountUnit::kNanoseconds) return HumanTime(count / 1e9, "seconds");
  absl::string_view name = UnitName(unit);
  if (count == 1) name.remove_suffix(1);
  return absl::StrCat(HumanCount(count), " ", name);
}

}  // namespace gprofhub::reporter
