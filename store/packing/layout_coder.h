// A layout, as what it is more than another one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/table_layout.h"
#include "store/packing/both_ways.h"

namespace gprofhub::store {

// A reader fills in `layout`, which is empty, and checks nothing (IsLayout).
template <typename Way>
void CodeLayout(Way& way, base::TableLayout& layout, const base::TableLayout& base) {
  constexpr uint64_t kMostParts = 4096;
  constexpr uint64_t kMostFields = 64;
  std::array<NumberModel, 11> models;
  const auto code = [&](size_t model, uint64_t foretold, uint64_t value) {
    return CodeDifference(way, models[model], foretold, value);
  };
  bool was_text_before = false;
  const uint64_t parts = code(0, base.size(), layout.size());
  base::TablePart text = {3, {}, false, 0, 0};  // the one before
  base::TablePart table;
  for (uint64_t i = 0; i < std::min(parts, kMostParts) && !way.failed(); ++i) {
    if constexpr (!Way::kWrites) layout.emplace_back();
    base::TablePart& part = layout[i];
    const bool has_like = i < base.size();
    const bool was_text = has_like ? base[i].fields.empty() : !was_text_before;
    const bool is_text = code(1, was_text ? 1 : 0, part.fields.empty() ? 1 : 0) != 0;
    was_text_before = is_text;
    const bool is_like = has_like && base[i].fields.empty() == is_text;
    const base::TablePart& like = is_like ? base[i] : is_text ? text : table;
    part.rows = code(is_text ? 2 : 3, like.rows, part.rows);
    if (is_text) {
      text.rows = part.rows;
      continue;
    }
    part.is_sparse = code(4, like.is_sparse ? 1 : 0, part.is_sparse ? 1 : 0) != 0;
    part.name = static_cast<uint32_t>(code(5, is_like ? like.name : like.name + 1, part.name));
    part.group = static_cast<uint32_t>(code(6, like.group, part.group));
    const uint64_t fields = code(7, like.fields.size(), part.fields.size());
    for (uint64_t k = 0; k < std::min(fields, kMostFields) && !way.failed(); ++k) {
      if constexpr (!Way::kWrites) part.fields.emplace_back();
      base::TableField& field = part.fields[k];
      const base::TableField known = k < like.fields.size() ? like.fields[k] : base::TableField();
      field.bytes = static_cast<uint8_t>(code(8, known.bytes, field.bytes));
      field.kind = static_cast<base::FieldKind>(
          code(9, static_cast<uint64_t>(known.kind), static_cast<uint64_t>(field.kind)));
      field.of = static_cast<uint32_t>(code(10, known.of, field.of));
      field.by = static_cast<uint32_t>(code(10, known.by, field.by));
    }
    table = part;
  }
}

}  // namespace gprofhub::store
