#include "reporter/forge/forge.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {

absl::StatusOr<std::string> ParseNumber(absl::string_view text) {
  absl::string_view digits = text;
  if (absl::StartsWith(digits, "#") || absl::StartsWith(digits, "!")) digits.remove_prefix(1);
  if (digits.empty() || digits.size() > 18 ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("pull_request: \"", text, "\" is no number of a pull request"));
  }
  return std::string(digits);
}

}  // namespace gprofhub::reporter
