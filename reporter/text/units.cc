#include "reporter/text/units.h"

#include "absl/strings/str_cat.h"
#include "reporter/text/numbers.h"

namespace gprofhub::reporter {
namespace {

bool IsTime(profile::CountUnit unit) {
  return unit == profile::CountUnit::kMicroseconds || unit == profile::CountUnit::kNanoseconds;
}

}  // namespace

absl::string_view ColumnOfCounts(profile::CountUnit unit) {
  return IsTime(unit) ? "time" : profile::UnitName(unit);
}

std::string CountInColumn(double count, profile::CountUnit unit) {
  return IsTime(unit) ? CountInUnit(count, unit) : HumanCount(count);
}

std::string CountInUnit(double count, profile::CountUnit unit) {
  if (unit == profile::CountUnit::kMicroseconds) return HumanTime(count / 1e6, "seconds");
  if (unit == profile::CountUnit::kNanoseconds) return HumanTime(count / 1e9, "seconds");
  absl::string_view name = profile::UnitName(unit);
  if (count == 1) name.remove_suffix(1);
  return absl::StrCat(HumanCount(count), " ", name);
}

}  // namespace gprofhub::reporter
