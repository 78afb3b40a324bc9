// Patience diff: what stands once on either side anchors the rest; of anchors that cross, the
// longest list that does not is taken (B. Cohen, "Patience Diff Advantages", 2010; the list: M. L.
// Fredman, "On computing the length of longest increasing subsequences", 1975). It takes no more
// time where nothing is alike, and tables whose numbers are mostly the same give few, sure anchors.
#include "store/packing/row_alignment.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gprofhub::store {
namespace {

struct Places {
  size_t in_table = kNoRow;  // the only row; kNoRow: none
  size_t in_base = kNoRow;
  bool is_anchor = true;
};

void Note(size_t row, size_t& place, bool& is_anchor) {
  if (place != kNoRow) is_anchor = false;
  place = row;
}

// By row of the table, those that do not cross.
std::vector<std::pair<size_t, size_t>> FindAnchors(const std::vector<uint64_t>& signatures,
                                                   const std::vector<uint64_t>& base) {
  absl::flat_hash_map<uint64_t, Places> places;
  places.reserve(signatures.size());
  for (size_t i = 0; i < signatures.size(); ++i) {
    Places& found = places[signatures[i]];
    Note(i, found.in_table, found.is_anchor);
  }
  for (size_t i = 0; i < base.size(); ++i) {
    const auto found = places.find(base[i]);
    if (found != places.end()) Note(i, found->second.in_base, found->second.is_anchor);
  }
  std::vector<std::pair<size_t, size_t>> anchors;
  for (size_t i = 0; i < signatures.size(); ++i) {
    const Places& found = places.at(signatures[i]);
    if (found.is_anchor && found.in_base != kNoRow) anchors.emplace_back(i, found.in_base);
  }
  std::vector<size_t> ends;  // of the best list of each length, its last anchor
  std::vector<size_t> before(anchors.size(), kNoRow);
  for (size_t i = 0; i < anchors.size(); ++i) {
    const auto end =
        std::lower_bound(ends.begin(), ends.end(), anchors[i].second,
                         [&](size_t a, size_t row) { return anchors[a].second < row; });
    if (end != ends.begin()) before[i] = *(end - 1);
    if (end == ends.end()) {
      ends.push_back(i);
    } else {
      *end = i;
    }
  }
  std::vector<std::pair<size_t, size_t>> kept;
  for (size_t i = ends.empty() ? kNoRow : ends.back(); i != kNoRow; i = before[i]) {
    kept.push_back(anchors[i]);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace

RowAlignment AlignRows(const std::vector<uint64_t>& signatures,
                       const std::vector<uint64_t>& base_signatures) {
  RowAlignment aligned(signatures.size(), kNoRow);
  std::vector<std::pair<size_t, size_t>> anchors = FindAnchors(signatures, base_signatures);
  anchors.emplace_back(signatures.size(), base_signatures.size());
  size_t row = 0;
  size_t base_row = 0;
  for (const auto& [to, base_to] : anchors) {
    if (to - row == base_to - base_row) {
      while (row < to) aligned[row++] = base_row++;
    } else {
      while (row < to && base_row < base_to && signatures[row] == base_signatures[base_row]) {
        aligned[row++] = base_row++;
      }
      size_t end = to;
      size_t base_end = base_to;
      while (end > row && base_end > base_row &&
             signatures[end - 1] == base_signatures[base_end - 1]) {
        aligned[--end] = --base_end;
      }
      row = to;
      base_row = base_to;
    }
    if (to < signatures.size()) aligned[to] = base_to;
    row = to + 1;
    base_row = base_to + 1;
  }
  return aligned;
}

}  // namespace gprofhub::store
