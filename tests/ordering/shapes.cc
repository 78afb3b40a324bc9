#include "shapes.h"

#include <stdexcept>

namespace {

// Of the same name as a function of main.cc.
[[gnu::noinline]] uint64_t Scale(uint64_t value) { return value * 3 + 1; }

struct Square final : Shape {
  explicit Square(uint64_t size) : Shape(size), side(Scale(size)) {}
  uint64_t Area() const override { return side * side; }
  uint64_t side;
};

struct Disc final : Shape {
  explicit Disc(uint64_t size) : Shape(size) {}
  uint64_t Area() const override { return size * size * 22 / 7; }
};

uint64_t Count() {
  std::vector<uint64_t> values;
  for (uint64_t i = 0; i < 10; ++i) values.push_back(i);
  return values.size();
}
const uint64_t count_at_start = Count();

}  // namespace

static __attribute__((noinline)) uint64_t helper(uint64_t value, uint64_t step) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < step; ++i) sum += value ^ i;
  return sum;
}

Shape::Shape(uint64_t size) : size(helper(size, 4)) {}
Shape::~Shape() { size = 0; }

std::unique_ptr<Shape> MakeSquare(uint64_t size) { return std::make_unique<Square>(size); }
std::unique_ptr<Shape> MakeDisc(uint64_t size) { return std::make_unique<Disc>(size); }

uint64_t Checked(uint64_t value, const std::vector<uint64_t>& limits) {
  for (const uint64_t limit : limits) {
    if (value > limit) throw std::out_of_range("above " + std::to_string(limit));
  }
  return value + count_at_start;
}

uint64_t Rare(uint64_t value) { return helper(value, 3) + Scale(value); }
