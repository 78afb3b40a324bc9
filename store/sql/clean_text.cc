#include "store/sql/clean_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace gprofhub::store::sql {

size_t StorableCharacter(absl::string_view text) {
  const base::Utf8Character first = base::FirstUtf8Character(text);
  return first.number == 0 ? 0 : first.bytes;
}

std::string CleanText(absl::string_view text, size_t max_bytes) {
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    const size_t length = StorableCharacter(text.substr(at));
    const absl::string_view next = length == 0 ? "?" : text.substr(at, length);
    if (clean.size() + next.size() > max_bytes) break;
    absl::StrAppend(&clean, next);
    at += std::max<size_t>(length, 1);
  }
  return clean;
}

}  // namespace gprofhub::store::sql
