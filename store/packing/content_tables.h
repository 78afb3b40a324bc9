// A content as its layout (base/table_layout.h) says: tables of numbers, and what is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/table_layout.h"

namespace gprofhub::store {

// Contents that are longer are not taken apart: a number stands in 8 bytes.
inline constexpr size_t kLargestTables = size_t{8} << 20;

// A part that has fields.
struct ContentTable {
  // Of a sparse one: zeros before each row that is there, and after the last.
  std::vector<uint64_t> gaps;
  std::vector<std::vector<uint64_t>> columns;  // of the rows that are there

  size_t rows() const { return columns.front().size(); }
};

struct ContentTables {
  std::vector<ContentTable> tables;  // of the parts with fields, in their order
  std::string text;                  // all other parts' bytes
};

// Whether a layout can be one of a content of so many bytes: it claims no more bytes than these,
// and refers to what comes before.
bool IsLayout(const base::TableLayout& layout, size_t size);

// nullopt if the layout is none of this content.
std::optional<ContentTables> TakeApart(absl::string_view content, const base::TableLayout& layout);

// The other way. nullopt if the two do not fit, or give another number of bytes.
std::optional<std::string> PutTogether(const ContentTables& tables, const base::TableLayout& layout,
                                       size_t size);

}  // namespace gprofhub::store
