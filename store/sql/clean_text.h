// Texts that can be stored: UTF-8 without NUL, which PostgreSQL does not store.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::store::sql {

// Length in bytes of the first character of `text`; 0 if it cannot be stored.
size_t StorableCharacter(absl::string_view text);

// Makes `text` storable, for messages that quote foreign bytes. NUL bytes and bytes that are not
// UTF-8 become '?'. The text is cut to `max_bytes`.
std::string CleanText(absl::string_view text, size_t max_bytes);

}  // namespace gprofhub::store::sql
