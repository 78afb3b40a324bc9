#include "reporter/findings/find_finding.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "reporter/findings/finding_id.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kNamedIds = 5;
constexpr absl::string_view kAdvice =
    "`gprofhub report --all`, `gprofhub diff --all` and --format=json say each finding's id";

std::string Quoted(absl::string_view id) {
  return absl::StrCat("\"", base::Shortened(base::Printable(id), 40), "\"");
}

}  // namespace

absl::StatusOr<v1::Finding> FindFinding(const v1::Report& report, absl::string_view id) {
  const std::string wanted = absl::AsciiStrToLower(id);
  const bool is_id = !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [](char c) {
    return absl::ascii_isxdigit(static_cast<unsigned char>(c));
  });
  if (!is_id) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(id), " is no finding's id, which is hexadecimal digits; ", kAdvice));
  }
  // By id: findings with equal names are one finding.
  std::map<std::string, const v1::Finding*> found;
  for (const v1::Finding& finding : report.findings()) {
    const std::string own = FindingId(finding);
    if (absl::StartsWith(own, wanted)) found.emplace(own, &finding);
  }
  if (found.size() == 1) return *found.begin()->second;
  if (found.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no finding of this comparison has the id ", Quoted(id), "; ", kAdvice));
  }
  std::vector<std::string> ids;
  for (const auto& [own, finding] : found) {
    if (ids.size() < kNamedIds) ids.push_back(own);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(found.size(), " findings have an id that begins with ", Quoted(id), ", such as ",
                   absl::StrJoin(ids, ", ")));
}

}  // namespace gprofhub::reporter
