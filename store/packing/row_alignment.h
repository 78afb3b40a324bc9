// Which rows of two tables are of the same thing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gprofhub::store {

// Of each row of one table, the row of the other; kNoRow: none. Ascending.
inline constexpr size_t kNoRow = SIZE_MAX;
using RowAlignment = std::vector<size_t>;

// Aligns rows by what they say, given as a number each ("signature"). Rows in between that changed
// are aligned if they are as many on both sides. Takes time for n log n rows.
RowAlignment AlignRows(const std::vector<uint64_t>& signatures,
                       const std::vector<uint64_t>& base_signatures);

}  // namespace gprofhub::store
