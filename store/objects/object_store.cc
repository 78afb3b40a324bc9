#include "store/objects/object_store.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gprofhub::store {

absl::Status CheckObjectKey(absl::string_view key) {
  const auto is_allowed = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ||
           c == '/';
  };
  bool is_good = !key.empty() && key.size() <= kLongestObjectKey &&
                 absl::ascii_isalnum(static_cast<unsigned char>(key[0])) &&
                 std::all_of(key.begin(), key.end(), is_allowed);
  if (is_good) {
    for (const absl::string_view part : absl::StrSplit(key, '/')) {
      if (part.empty() || part == "." || part == "..") is_good = false;
    }
  }
  if (is_good) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::CHexEscape(key.substr(0, 100)), "\" is not a valid object key"));
}

absl::Status CheckObjectSize(absl::string_view bytes) {
  if (bytes.size() <= kMostObjectBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("object too large: ", bytes.size(), " bytes, limit ", kMostObjectBytes));
}

}  // namespace gprofhub::store
