// Stores each distinct string once, and identifies it by its index. Index 0 is the empty string.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/text_arena.h"

namespace gprofhub::base {

class StringInterner {
 public:
  // New strings are appended to `strings`, which must outlive the interner. It must be empty, or
  // contain the empty string only.
  explicit StringInterner(TextList& strings) : strings_(strings) {
    if (strings_.empty()) strings_.push_back("");
  }

  uint32_t IndexOf(absl::string_view text) {
    if (text.empty()) return 0;
    const auto [entry, is_new] = indices_.try_emplace(text, static_cast<uint32_t>(strings_.size()));
    if (is_new) strings_.push_back(text);
    return entry->second;
  }

 private:
  TextList& strings_;
  absl::flat_hash_map<std::string, uint32_t> indices_;
};

}  // namespace gprofhub::base
