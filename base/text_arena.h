// Many short strings with one lifetime, in few allocations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Many short strings with one lifetime.

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

// Many short strings in one block of memory.

// A vector of strings allocates memory for each. This class makes two allocations for all. Returned
// views are valid until the list is changed, moved or destroyed.
class TextList {
 public:
  // Iterates over the strings in order.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = absl::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = const absl::string_view*;
    using reference = absl::string_view;

    Iterator(const TextList& list, size_t index) : list_(&list), index_(index) {}
    absl::string_view operator*() const { return (*list_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const TextList* list_;
    size_t index_;
  };

  TextList() = default;
  TextList(std::initializer_list<absl::string_view> texts) {
    for (const absl::string_view text : texts) push_back(text);
  }

  bool empty() const { return ends_.empty(); }
  size_t size() const { return ends_.size(); }
  // Requires index < size().
  absl::string_view operator[](size_t index) const {
    const size_t begin = index == 0 ? 0 : ends_[index - 1];
    return absl::string_view(bytes_).substr(begin, ends_[index] - begin);
  }
  Iterator begin() const { return Iterator(*this, 0); }
  Iterator end() const { return Iterator(*this, size()); }

  void push_back(absl::string_view text) {
    bytes_.append(text.data(), text.size());
    ends_.push_back(bytes_.size());
  }
  // Reserves memory for `count` strings of `bytes` bytes together.
  void reserve(size_t texts, size_t bytes) {
    ends_.reserve(texts);
    bytes_.reserve(bytes);
  }
  void clear() {
    bytes_.clear();
    ends_.clear();
  }

  // Heap memory in bytes.
  size_t memory() const { return bytes_.size() + ends_.size() * sizeof(size_t); }

  bool operator==(const TextList&) const = default;

 private:
  std::string bytes_;
  std::vector<size_t> ends_;  // end offsets in bytes_
};

}  // namespace gprofhub::base
