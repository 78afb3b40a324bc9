// Grouping by a number, in linear time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/fetch_ahead.h"
#include "base/prefetch.h"

namespace gprofhub::analyzer {

// The indices of items, group after group.
struct Groups {
  std::vector<uint32_t> begins;  // by group, and the end of the last
  std::vector<uint32_t> items;   // within a group the last item comes first

  absl::Span<const uint32_t> operator[](size_t group) const {
    return {items.data() + begins[group], begins[group + 1] - begins[group]};
  }
};

// Counting sort. Item i belongs to the group `group_of(items[i])`, which is less than `groups`.
template <typename Item, typename GroupOf>
Groups GroupBy(const std::vector<Item>& items, size_t groups, GroupOf group_of) {
  Groups grouped;
  grouped.begins.assign(groups + 1, 0);
  for (const Item& item : items) ++grouped.begins[group_of(item) + 1];
  for (size_t i = 0; i < groups; ++i) grouped.begins[i + 1] += grouped.begins[i];
  grouped.items.resize(items.size());
  // Each group is filled from its end, so that the last item comes first.
  std::vector<uint32_t> next(grouped.begins.begin() + 1, grouped.begins.end());
  base::ForEachFetched(
      0, items.size(),
      [&](size_t i) { grouped.items[--next[group_of(items[i])]] = static_cast<uint32_t>(i); },
      base::FetchAhead{
          16, [&](size_t i) { base::Prefetch(&grouped.items[next[group_of(items[i])] - 1]); }});
  return grouped;
}

}  // namespace gprofhub::analyzer
