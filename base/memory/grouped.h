// Items in groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::base {

// Each group is a part of one list. So it takes two allocations, however many groups there are; a
// vector for each takes some for each.
template <typename Item>
class Grouped {
 public:
  Grouped() = default;
  // `for_each` calls what it is given with (group, item) for each item, and does the same when it
  // is called again. Items of a group stay in this order. Groups are below `groups`; there are
  // fewer than 2^32 items.
  template <typename ForEach>
  Grouped(size_t groups, const ForEach& for_each) : begins_(groups + 2, 0) {
    // A group's count stands two places behind it, so that its end stands one place behind it once
    // the items are there.
    for_each([&](size_t group, const Item&) { ++begins_[group + 2]; });
    for (size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    items_.resize(begins_.back());
    for_each([&](size_t group, const Item& item) { items_[begins_[group + 1]++] = item; });
  }

  absl::Span<const Item> operator[](size_t group) const {
    return all().subspan(begins_[group], begins_[group + 1] - begins_[group]);
  }
  absl::Span<Item> operator[](size_t group) {
    return absl::MakeSpan(items_).subspan(begins_[group], begins_[group + 1] - begins_[group]);
  }
  // Group by group.
  absl::Span<const Item> all() const { return items_; }

 private:
  std::vector<uint32_t> begins_;  // by group
  std::vector<Item> items_;
};

}  // namespace gprofhub::base
