#include "ci/upload/results/cases.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/percent_coding.h"

namespace gprofhub::ci {
namespace {

constexpr absl::string_view kFolder = "gprofhub.cases/";
constexpr char kMark = '#';

}  // namespace

std::string CaseOf(absl::string_view profile_name) {
  if (!absl::ConsumePrefix(&profile_name, kFolder)) return "";
  const size_t end = profile_name.find('/');
  if (end == absl::string_view::npos) return "";
  return base::PercentDecoded(profile_name.substr(0, end));
}

std::string TargetOf(absl::string_view label, absl::string_view part) {
  if (part.empty()) return std::string(label);
  return absl::StrCat(label, absl::string_view(&kMark, 1), part);
}

std::string TestOf(absl::string_view target) {
  return std::string(target.substr(0, target.find(kMark)));
}

std::string PartOf(absl::string_view target) {
  const size_t mark = target.find(kMark);
  return mark == absl::string_view::npos ? "" : std::string(target.substr(mark + 1));
}

}  // namespace gprofhub::ci
