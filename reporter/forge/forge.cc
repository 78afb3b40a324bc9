#include "reporter/forge/forge.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/merge_queue.h"
#include "base/text.h"

namespace gprofhub::reporter {

std::string CheckNameOf(absl::string_view target_branch, absl::string_view default_branch) {
  constexpr char kName[] = "gprofhub";
  constexpr size_t kMostBytes = 200;  // GitHub and GitLab take 255
  if (default_branch.empty() || target_branch == default_branch) return kName;
  return absl::StrCat(kName, " (", base::Shortened(std::string(target_branch), kMostBytes), ")");
}

bool IsRefusal(const absl::Status& error) {
  return absl::IsInvalidArgument(error) || absl::IsUnauthenticated(error) ||
         absl::IsPermissionDenied(error) || absl::IsNotFound(error);
}

absl::string_view ReasonOf(absl::string_view message) {
  for (const char* method : {"GET", "POST", "PATCH", "PUT", "DELETE"}) {
    const size_t end = message.find(": ");
    if (absl::StartsWith(message, absl::StrCat(method, " http")) &&
        end != absl::string_view::npos) {
      return message.substr(end + 2);
    }
  }
  return message;
}

void Refusals::Add(absl::string_view part, const absl::Status& error) {
  for (const Refusal& refusal : refusals_) {
    if (refusal.part == part) return;
  }
  refusals_.push_back({std::string(part), std::string(error.message())});
}

absl::Status Refusals::Absorb(absl::string_view part, const absl::Status& status) {
  if (!IsRefusal(status)) return status;
  Add(part, status);
  return absl::OkStatus();
}

std::string Refusals::ToString() const {
  return absl::StrJoin(refusals_, "; ", [](std::string* out, const Refusal& refusal) {
    absl::StrAppend(out, refusal.part, " (", refusal.error, ")");
  });
}

absl::StatusOr<std::string> ParseNumber(absl::string_view text) {
  absl::string_view digits = text;
  if (absl::StartsWith(digits, "#") || absl::StartsWith(digits, "!")) digits.remove_prefix(1);
  if (!base::IsPullRequestNumber(digits)) {
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
