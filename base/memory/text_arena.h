// Many short strings with one lifetime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Stores copies of strings in a few large blocks, instead of one heap allocation per string.
// Returned views stay valid when the arena is moved.
class TextArena {
 public:
  TextArena() = default;
  TextArena(TextArena&& other) noexcept { *this = std::move(other); }
  TextArena& operator=(TextArena&& other) noexcept {
    pieces_ = std::move(other.pieces_);
    next_ = std::exchange(other.next_, nullptr);
    left_ = std::exchange(other.left_, 0);
    return *this;
  }

  // Returns a copy that lives as long as the arena.
  absl::string_view Keep(absl::string_view text) {
    if (text.empty()) return {};
    if (text.size() > left_) Grow(text.size());
    std::memcpy(next_, text.data(), text.size());
    const absl::string_view kept(next_, text.size());
    next_ += text.size();
    left_ -= text.size();
    return kept;
  }

 private:
  static constexpr size_t kFirst = size_t{1} << 10;
  static constexpr size_t kMost = size_t{64} << 10;

  // Blocks begin small: a small target has few strings.
  void Grow(size_t least) {
    left_ = std::max(least, std::min(kMost, kFirst << std::min<size_t>(pieces_.size(), 6)));
    pieces_.emplace_back(new char[left_]);
    next_ = pieces_.back().get();
  }

  std::vector<std::unique_ptr<char[]>> pieces_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace gprofhub::base
