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

absl::StatusOr<std::string> NumberAfter(absl::string_view link, absl::string_view place) {
  const size_t found = link.rfind(place);
  const absl::string_view rest =
      found == absl::string_view::npos ? "" : link.substr(found + place.size());
  absl::StatusOr<std::string> number = ParseNumber(rest.substr(0, rest.find_first_of("/?#")));
  if (number.ok()) return number;
  return absl::FailedPreconditionError("the run names no job of the forge's own CI");
}

absl::StatusOr<std::string> Forge::StartAgain(const PullRequest&, absl::string_view,
                                              absl::string_view) {
  return absl::FailedPreconditionError("the forge has no CI of its own");
}

}  // namespace gprofhub::reporter
