// The places of strings in a list that holds each once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace gprofhub::base {

class StringIndices {
 public:
  // `strings` begins with the empty one, and outlives this.
  explicit StringIndices(std::vector<std::string>& strings) : strings_(strings) {}

  // Appends the string where it is new.
  uint32_t Index(const std::string& text) {
    if (text.empty()) return 0;
    const auto [entry, is_new] = indices_.try_emplace(text, strings_.size());
    if (is_new) strings_.push_back(text);
    return entry->second;
  }

 private:
  std::vector<std::string>& strings_;
  absl::flat_hash_map<std::string, uint32_t> indices_;
};

}  // namespace gprofhub::base
