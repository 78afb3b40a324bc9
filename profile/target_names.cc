#include "profile/target_names.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace gprofhub::profile {

namespace {

// Position of the mark before a target's part; its size if it has none.
size_t EndOfLabel(absl::string_view target) {
  size_t mark = target.find('#');
  while (mark != absl::string_view::npos && absl::StartsWith(target.substr(mark), "##")) {
    mark = target.find('#', mark + 2);
  }
  return std::min(mark, target.size());
}

}  // namespace

std::string TargetOf(absl::string_view label, absl::string_view part) {
  std::string target = absl::StrReplaceAll(label, {{"#", "##"}});
  if (part.empty()) return target;
  // Not a doubled mark of the label.
  const std::string first = absl::ConsumePrefix(&part, "#") ? "%23" : "";
  return absl::StrCat(target, "#", first, part);
}

std::string TestOf(absl::string_view target) {
  return absl::StrReplaceAll(target.substr(0, EndOfLabel(target)), {{"##", "#"}});
}

std::string PartOf(absl::string_view target) {
  const size_t end = EndOfLabel(target);
  return end == target.size() ? "" : std::string(target.substr(end + 1));
}

}  // namespace gprofhub::profile
