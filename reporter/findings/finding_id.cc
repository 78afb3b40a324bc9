#include "reporter/findings/finding_id.h"

#include <cstddef>
#include <initializer_list>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/sha256.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kDigits = 10;

}  // namespace

std::string FindingId(const v1::Finding& finding) {
  const std::string metric = absl::AsciiStrToLower(v1::Finding::Metric_Name(finding.metric()));
  const std::string named = absl::StrJoin<std::initializer_list<absl::string_view>>(
      {finding.target(), metric, finding.function(), finding.caller()}, absl::string_view("\0", 1));
  return base::Sha256Hex(named).substr(0, kDigits);
}

}  // namespace gprofhub::reporter
