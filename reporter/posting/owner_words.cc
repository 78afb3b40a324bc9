#include "reporter/posting/owner_words.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "reporter/text/markdown_code.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kShownOwners = 3;
constexpr size_t kShownCharacters = 40;
constexpr size_t kMaxMention = 50;

bool IsName(absl::string_view part) {
  return !part.empty() && absl::ascii_isalnum(part.front()) && absl::ascii_isalnum(part.back()) &&
         std::all_of(part.begin(), part.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

std::string Shown(absl::string_view owner, OwnerStyle style) {
  if (style == OwnerStyle::kMention && CanBeMentioned(owner)) return std::string(owner);
  if (owner.size() > 1) absl::ConsumePrefix(&owner, "@");
  return style == OwnerStyle::kText ? base::Shortened(base::Printable(owner), kShownCharacters)
                                    : MarkdownCode(owner, /*in_table=*/false, kShownCharacters);
}

}  // namespace

bool CanBeMentioned(absl::string_view owner) {
  if (owner.size() > kMaxMention || !absl::ConsumePrefix(&owner, "@")) return false;
  for (const char* everybody : {"all", "everyone", "here", "channel"}) {
    if (absl::AsciiStrToLower(owner) == everybody) return false;
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(owner, '/');
  return std::all_of(parts.begin(), parts.end(), IsName);
}

std::string OwnerList(const std::vector<std::string>& owners, OwnerStyle style) {
  if (owners.empty()) return "";
  std::vector<std::string> shown;
  for (size_t i = 0; i < owners.size() && i < kShownOwners; ++i) {
    shown.push_back(Shown(owners[i], style));
  }
  std::string words = absl::StrJoin(shown, ", ");
  if (owners.size() > kShownOwners) {
    absl::StrAppend(&words, " and ", owners.size() - kShownOwners, " more");
  }
  return words;
}

}  // namespace gprofhub::reporter
