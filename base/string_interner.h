// Keeps each distinct string once, and knows it by its index. Index 0 is the empty string.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

class StringInterner {
 public:
  // New strings are appended to `strings`, which outlives this. It is empty, or holds the
  // empty string alone.
  explicit StringInterner(std::vector<std::string>& strings) : strings_(strings) {
    if (strings_.empty()) strings_.emplace_back();
  }

  uint32_t IndexOf(absl::string_view text) {
    if (text.empty()) return 0;
    const auto [entry, is_new] = indices_.try_emplace(text, static_cast<uint32_t>(strings_.size()));
    if (is_new) strings_.emplace_back(text);
    return entry->second;
  }

 private:
  std::vector<std::string>& strings_;
  absl::flat_hash_map<std::string, uint32_t> indices_;
};

}  // namespace gprofhub::base
