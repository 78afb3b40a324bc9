// Gives each distinct string an index; index 0 is the empty string.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

class StringInterner {
 public:
  StringInterner() { IndexOf(""); }

  uint32_t IndexOf(absl::string_view text) {
    auto [entry, added] = indices_.try_emplace(text, static_cast<uint32_t>(strings_.size()));
    if (added) strings_.emplace_back(text);
    return entry->second;
  }

  // In order of their indices.
  const std::vector<std::string>& strings() const { return strings_; }

 private:
  std::vector<std::string> strings_;
  absl::flat_hash_map<std::string, uint32_t> indices_;
};

}  // namespace gprofhub::base
