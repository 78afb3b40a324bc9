// Items in groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::base {

// All groups are ranges of one array. This takes two allocations for any number of groups; a vector
// per group would take at least one each.
template <typename Item>
class Grouped {
 public:
  Grouped() = default;
  // `for_each` calls its argument with (group, item) for each item, and must do the same on a
  // second call. The order of items within a group is kept. Groups are below `groups`; there are
  // fewer than 2^32 items.
  template <typename ForEach>
  Grouped(size_t groups, const ForEach& for_each) : begins_(groups + 2, 0) {
    // Counts are stored two places further on. After the items are placed, the end of each group is
    // one place further on.
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
  // items, grouped
  absl::Span<const Item> all() const { return items_; }

 private:
  std::vector<uint32_t> begins_;  // by group
  std::vector<Item> items_;
};

}  // namespace gprofhub::base
