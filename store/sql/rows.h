// The result of a query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::store::sql {

// One row. A column's type is the database's; NULL is monostate. The Rows that contain it outlive
// it and its views.
class Row {
 public:
  using Value = std::variant<std::monostate, int64_t, absl::string_view>;

  explicit Row(absl::Span<const Value> values) : values_(values) {}

  size_t size() const { return values_.size(); }
  // Unconverted.
  const Value& At(size_t column) const { return values_.at(column); }
  // The column must have the requested type. NULL gives 0 and "".
  int64_t Number(size_t column) const {
    const int64_t* number = std::get_if<int64_t>(&values_.at(column));
    return number == nullptr ? 0 : *number;
  }
  absl::string_view View(size_t column) const {
    const absl::string_view* text = std::get_if<absl::string_view>(&values_.at(column));
    return text == nullptr ? absl::string_view() : *text;
  }
  std::string Text(size_t column) const { return std::string(View(column)); }

 private:
  absl::Span<const Value> values_;
};

// The rows of a result, in order. A result of 10,000 rows is read in a few milliseconds: their
// texts share one buffer instead of a string each.
class Rows {
 public:
  class Iterator {
   public:
    using difference_type = ptrdiff_t;
    using value_type = Row;

    Iterator(const Rows* rows, size_t at) : rows_(rows), at_(at) {}
    Row operator*() const { return (*rows_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Rows* rows_;
    size_t at_;
  };

  // Of a result with `columns` columns, at least one.
  explicit Rows(size_t columns = 1)
      : columns_(columns), texts_(std::make_unique<std::pmr::monotonic_buffer_resource>()) {}

  size_t size() const { return values_.size() / columns_; }
  bool empty() const { return values_.empty(); }
  Row operator[](size_t row) const {
    return Row(absl::MakeConstSpan(values_).subspan(row * columns_, columns_));
  }
  Row front() const { return (*this)[0]; }
  Row back() const { return (*this)[size() - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  // Appends the next value of the last row, or the first of a new row.
  void Add(std::monostate value) { values_.emplace_back(value); }
  void Add(int64_t number) { values_.emplace_back(number); }
  void Add(absl::string_view text) {
    if (text.empty()) {
      values_.emplace_back(absl::string_view(""));
      return;
    }
    char* copy = static_cast<char*>(texts_->allocate(text.size(), 1));
    std::memcpy(copy, text.data(), text.size());
    values_.emplace_back(absl::string_view(copy, text.size()));
  }

 private:
  size_t columns_;
  std::vector<Row::Value> values_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> texts_;
};

}  // namespace gprofhub::store::sql
