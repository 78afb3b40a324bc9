// One column of numbers, each as what it is more than foretold.
//
// What is foretold of a number comes from the same row of the base, from the row before, and from
// columns that came before (base::FieldKind). How sure that is depends on whether the row has a row
// of the base at all, whether other columns of the row changed, and how the number before differed:
// each combination is a context with models of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/table_layout.h"
#include "store/packing/both_ways.h"
#include "store/packing/quotients.h"
#include "store/packing/row_alignment.h"

namespace gprofhub::store {

// What is known of the rows of a column.
struct RowsKnown {
  size_t rows = 0;
  size_t base_rows = 0;
  RowAlignment base_row;            // by row
  std::vector<size_t> row_of_base;  // by row of the base
  std::vector<bool> changed;        // a column before was not as foretold
};

// How sure the next number is.
class Contexts {
 public:
  NumberModel& Of(bool has_base, bool changed) {
    return models_[(has_base ? 6 : 0) + (changed ? 3 : 0) + before_];
  }
  void Note(uint64_t difference) { before_ = difference == 0 ? 0 : difference + 4 < 9 ? 1 : 2; }

 private:
  std::array<NumberModel, 12> models_;
  size_t before_ = 0;
};

// Writes or reads how rows are aligned: runs of rows that have one of the base.
template <typename Way>
void CodeAlignment(Way& way, RowsKnown& known) {
  std::array<NumberModel, 3> models;
  known.base_row.resize(known.rows, kNoRow);
  size_t base = 0;
  for (size_t row = 0; row < known.rows && !way.failed();) {
    size_t end = row;
    if constexpr (Way::kWrites) {
      while (end < known.rows && known.base_row[end] == kNoRow) ++end;
    }
    const size_t without = way.Number(models[0], end - row);
    if (without >= known.rows - row) return;
    row += without;
    const size_t skipped = way.Number(models[1], known.base_row[row] - base);
    if (skipped >= known.base_rows - base) return;
    base += skipped;
    end = row;
    if constexpr (Way::kWrites) {
      while (end < known.rows && known.base_row[end] == base + (end - row)) ++end;
    }
    // Most often to the end of both.
    const size_t longest = std::min(known.rows - row, known.base_rows - base);
    const size_t run = longest - way.Number(models[2], longest - (end - row));
    if (run == 0 || run > longest) return;
    for (size_t i = 0; i < run; ++i) known.base_row[row++] = base++;
  }
}

// After CodeAlignment.
inline void TurnAround(RowsKnown& known) {
  known.row_of_base.assign(known.base_rows, kNoRow);
  for (size_t row = 0; row < known.rows; ++row) {
    if (known.base_row[row] != kNoRow) known.row_of_base[known.base_row[row]] = row;
  }
  known.changed.assign(known.rows, false);
}

// Numbers that are foretold by `foretell(row, base row or kNoRow)`. A reader appends them.
template <typename Way, typename Foretell>
void CodeColumn(Way& way, RowsKnown& known, std::vector<uint64_t>& values,
                const Foretell& foretell) {
  Contexts contexts;
  for (size_t row = 0; row < known.rows && !way.failed(); ++row) {
    const size_t base_row = known.base_row[row];
    NumberModel& model = contexts.Of(base_row != kNoRow, known.changed[row]);
    const uint64_t foretold = foretell(row, base_row);
    const uint64_t value =
        CodeDifference(way, model, foretold, Way::kWrites ? values[row] : uint64_t{0});
    if constexpr (!Way::kWrites) values.push_back(value);
    contexts.Note(value - foretold);
    if (value != foretold) known.changed[row] = true;
  }
}

template <typename Way>
void CodeNumbers(Way& way, RowsKnown& known, std::vector<uint64_t>& values,
                 const std::vector<uint64_t>& base) {
  CodeColumn(way, known, values,
             [&](size_t, size_t base_row) { return base_row == kNoRow ? 0 : base[base_row]; });
}

template <typename Way>
void CodeSteps(Way& way, RowsKnown& known, std::vector<uint64_t>& values,
               const std::vector<uint64_t>& base) {
  CodeColumn(way, known, values, [&](size_t row, size_t base_row) {
    const uint64_t before = row == 0 ? 0 : values[row - 1];
    if (base_row == kNoRow) return before;
    return before + base[base_row] - (base_row == 0 ? 0 : base[base_row - 1]);
  });
}

// Numbers that name rows, of which what is known is `named`.
template <typename Way>
void CodeRowNumbers(Way& way, RowsKnown& known, std::vector<uint64_t>& values,
                    const std::vector<uint64_t>& base, const RowsKnown& named) {
  CodeColumn(way, known, values, [&](size_t row, size_t base_row) {
    const uint64_t before = row == 0 ? 0 : values[row - 1];
    if (base_row == kNoRow) return before;
    const uint64_t was = base[base_row];
    if (was >= named.base_rows) return was - named.base_rows + named.rows;
    const size_t is = named.row_of_base[was];
    return is == kNoRow ? before : is;
  });
}

// Each of the values once, ascending.
std::vector<uint64_t> Distinct(const std::vector<uint64_t>& values);
// Of each value, where it stands in them.
std::vector<uint64_t> PlacesOf(const std::vector<uint64_t>& values,
                               const std::vector<uint64_t>& distinct);
// How the values differ, each from the one before.
std::vector<uint64_t> StepsOf(const std::vector<uint64_t>& values);

template <typename Way>
void CodePlaces(Way& way, RowsKnown& known, std::vector<uint64_t>& values,
                const std::vector<uint64_t>& base) {
  const std::vector<uint64_t> base_distinct = Distinct(base);
  const std::vector<uint64_t> base_places = PlacesOf(base, base_distinct);
  std::vector<uint64_t> distinct;
  std::vector<uint64_t> places;
  RowsKnown named;
  named.base_rows = base_distinct.size();
  if constexpr (Way::kWrites) {
    distinct = Distinct(values);
    places = PlacesOf(values, distinct);
    named.base_row = AlignRows(StepsOf(distinct), StepsOf(base_distinct));
  }
  NumberModel count;
  named.rows = CodeDifference(way, count, named.base_rows, distinct.size());
  if (named.rows > known.rows) named.rows = 0;  // what a writer never says
  CodeAlignment(way, named);
  TurnAround(named);
  CodeSteps(way, named, distinct, base_distinct);
  CodeRowNumbers(way, known, places, base_places, named);
  if constexpr (!Way::kWrites) {
    for (const uint64_t place : places) {
      values.push_back(place < distinct.size() ? distinct[place] : 0);
    }
  }
}

// Doubles. `about`, if it is not empty, foretells each; else the base does.
template <typename Way>
void CodeQuotients(Way& way, RowsKnown& known, std::vector<uint64_t>& values,
                   const std::vector<uint64_t>& base, const std::vector<uint64_t>& about) {
  constexpr size_t kLevels = 8;
  std::array<NumberModel, 4> zeros;  // by the number before, and by what foretells this one
  std::array<NumberModel, 2> divisors;
  std::array<NumberModel, kLevels> numerators;
  uint64_t divisor = 1;
  bool was_zero = false;
  bool had_other = false;
  for (size_t row = 0; row < known.rows && !way.failed(); ++row) {
    const size_t base_row = known.base_row[row];
    const uint64_t near = !about.empty() ? about[row] : base_row == kNoRow ? 0 : base[base_row];
    uint64_t value = Way::kWrites ? values[row] : 0;
    NumberModel& zero = zeros[(was_zero ? 2 : 0) + (near == 0 ? 1 : 0)];
    was_zero = way.Number(zero, value == 0 ? 0 : 1) == 0;
    if (was_zero) {
      if constexpr (!Way::kWrites) values.push_back(0);
      continue;
    }
    Quotient quotient;
    if constexpr (Way::kWrites) quotient = QuotientOf(value, divisor);
    const uint64_t other = way.Number(divisors[had_other ? 1 : 0],
                                      quotient.divisor == divisor ? 0 : quotient.divisor + 1);
    had_other = other != 0;
    if (had_other) divisor = other - 1;
    // A share is foretold as the whole over this divisor.
    const uint64_t foretold = NumeratorNear(near, about.empty() ? divisor : 1, divisor == 0);
    NumberModel& model = numerators[LevelOf(foretold, kLevels)];
    quotient = {CodeDifference(way, model, foretold, quotient.numerator), divisor};
    if constexpr (!Way::kWrites) values.push_back(DoubleOf(quotient));
  }
}

}  // namespace gprofhub::store
