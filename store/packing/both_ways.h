// Writing and reading with the same code: what is read must be asked for in the order, and in the
// contexts, in which it was written, so there is one function for both. It gives each number to
// one of these, and goes on with what it gets.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "store/packing/range_coder.h"

namespace gprofhub::store {

class NumberWriter {
 public:
  static constexpr bool kWrites = true;
  uint64_t Number(NumberModel& model, uint64_t value) {
    coder_.Number(model, value);
    return value;
  }
  bool failed() const { return false; }
  std::string Take() { return coder_.Take(); }

 private:
  RangeEncoder coder_;
};

class NumberReader {
 public:
  static constexpr bool kWrites = false;
  explicit NumberReader(absl::string_view bytes) : coder_(bytes) {}
  // The value given has no meaning.
  uint64_t Number(NumberModel& model, uint64_t) { return coder_.Number(model); }
  bool failed() const { return coder_.overrun(); }

 private:
  RangeDecoder coder_;
};

// Differences as numbers that are small if they are: 0, -1, 1, -2, …
inline uint64_t ZigZag(uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
inline uint64_t UnZigZag(uint64_t number) { return number >> 1 ^ (0 - (number & 1)); }

// A number as what it is more than foretold.
template <typename Way>
uint64_t CodeDifference(Way& way, NumberModel& model, uint64_t foretold, uint64_t value) {
  return foretold + UnZigZag(way.Number(model, ZigZag(value - foretold)));
}

}  // namespace gprofhub::store
