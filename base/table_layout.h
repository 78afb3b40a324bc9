// How the bytes of a known format fall into tables of numbers, so that who stores many alike can
// compare number with number (store/packing/table_delta.h). A value: who knows a format
// describes contents, who compares them knows no format.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// What is known of the numbers of a field. It decides how they are foretold, never what they may
// be: a wrong word costs room only.
enum class FieldKind : uint8_t {
  kNumber = 0,    // stays as it was: counts, sizes
  kStep = 1,      // what it is more than the one before stays as it was: positions in order
  kPlace = 2,     // one of several numbers that come often and move together: addresses
  kRow = 3,       // a row of the group `of`, or the number of its rows
  kQuotient = 4,  // a double that is mostly a whole number, or one by a small one; 8 bytes
};

struct TableField {
  uint8_t bytes = 0;  // 1 to 8, the low ones first; 0: 7 bits in each, as protobuf's varints
  FieldKind kind = FieldKind::kNumber;
  // Of kRow: a group. Of kQuotient, if not 0: it is about the number in the column of this name at
  // the row that the column `by` names. Both columns come before.
  uint32_t of = 0;
  uint32_t by = 0;

  friend bool operator==(const TableField&, const TableField&) = default;
};

// Some of the bytes: rows of fields, or, without fields, so many bytes of no known form.
struct TablePart {
  uint64_t rows = 0;
  std::vector<TableField> fields;
  // Most rows are zeros from the first byte to the last.
  bool is_sparse = false;
  // What is compared with it: the part of the other content that has the same name and comes as
  // often before. Not 0 for tables.
  uint32_t name = 0;
  // Parts of a group with as many rows have a row each of the same thing. 0: none.
  uint32_t group = 0;
};

// The parts, one after the other, from the first byte of a content to its last.
using TableLayout = std::vector<TablePart>;

// What a content is of, as a store knows it.
enum class ContentKind : uint8_t { kSymbols, kProfile, kResult };

// Describes a content, which may be any bytes; empty if it is of no known form.
using DescribeTables = std::function<TableLayout(ContentKind kind, absl::string_view content)>;

}  // namespace gprofhub::base
