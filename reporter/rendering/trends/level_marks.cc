#include "reporter/rendering/trends/level_marks.h"

#include "absl/strings/str_cat.h"
#include "reporter/text/units.h"

namespace gprofhub::reporter {

std::string LevelMark(v1::ChangeMark calls, v1::ChangeMark self, profile::CountUnit unit) {
  std::string marks;
  if (calls != v1::NO_CHANGE) marks = std::string(ColumnOfCounts(unit));
  if (self != v1::NO_CHANGE) absl::StrAppend(&marks, marks.empty() ? "" : ", ", "own time");
  if (marks.empty()) return "";
  return absl::StrCat("  <- ", marks, calls == v1::CHANGED_UNCONFIRMED ? " (unconfirmed)" : "");
}

nlohmann::ordered_json LevelMarkJson(v1::ChangeMark mark) {
  switch (mark) {
    case v1::CHANGED:
      return "confirmed";
    case v1::CHANGED_UNCONFIRMED:
      return "unconfirmed";
    default:
      return nullptr;
  }
}

}  // namespace gprofhub::reporter
