// Text of the listings, formatted as printf would, at a fraction of its cost.
// The large listings are hundreds of megabytes of short numeric columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace gprofhub {

// Collects text. Widths are minimal widths in bytes, as printf's: what is
// shorter is padded with spaces, on the left unless the name says otherwise.
class TextBuffer {
 public:
  void Append(absl::string_view text) { text_.append(text.data(), text.size()); }
  void Append(char c) { text_.push_back(c); }
  void Spaces(size_t count) { text_.append(count, ' '); }
  // "%*s" and "%-*s".
  void Padded(absl::string_view text, size_t width);
  void PaddedRight(absl::string_view text, size_t width);
  // "%*lu" and "%-*lu".
  void Integer(uint64_t value, size_t width = 0);
  void IntegerRight(uint64_t value, size_t width);
  // "%*.*f": correctly rounded, exact ties to even; "inf", "nan" and any size
  // of number as printf has them.
  void Fixed(double value, size_t width, int decimals);

  absl::string_view text() const { return text_; }
  size_t size() const { return text_.size(); }
  void Clear() { text_.clear(); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// Takes the text piece by piece, in order.
using TextSink = absl::FunctionRef<void(absl::string_view)>;

// Formats `count` items and hands the text to `sink` in their order, whatever
// the number of processors. `format` appends the items [begin, end) to the
// buffer; it is called from two threads at once for disjoint ranges. Memory
// stays within a few ranges' text. `sink` is called by one thread at a time.
void FormatInOrder(size_t count, size_t items_per_piece,
                   absl::FunctionRef<void(size_t begin, size_t end, TextBuffer& out)> format,
                   TextSink sink);

}  // namespace gprofhub
