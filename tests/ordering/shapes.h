// A small program with a function of every form that a linker may have to place
// (linkers_test.sh).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

struct Shape {
  explicit Shape(uint64_t size);
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
  virtual ~Shape();
  virtual uint64_t Area() const = 0;
  uint64_t size;
};

std::unique_ptr<Shape> MakeSquare(uint64_t size);
std::unique_ptr<Shape> MakeDisc(uint64_t size);
uint64_t Checked(uint64_t value, const std::vector<uint64_t>& limits);
uint64_t Weigh(const std::vector<uint64_t>& values);
[[gnu::cold]] uint64_t Rare(uint64_t value);

template <typename T>
[[gnu::noinline]] T Largest(const std::vector<T>& values) {
  T largest = values.front();
  for (const T& value : values) largest = value > largest ? value : largest;
  return largest;
}
