#include <cstdio>

#include "shapes.h"

static __attribute__((noinline)) uint64_t helper(uint64_t value, uint64_t step) {
  uint64_t product = 1;
  for (uint64_t i = 0; i < step; ++i) product = product * 31 + value;
  return product;
}

namespace {

[[gnu::noinline]] uint64_t Scale(uint64_t value) { return value / 2; }

}  // namespace

uint64_t Weigh(const std::vector<uint64_t>& values) {
  uint64_t weight = 0;
  for (const uint64_t value : values) weight += helper(Scale(value), 5);
  return weight;
}

int main(int argc, char**) {
  uint64_t sum = 0;
  for (uint64_t i = 1; i <= 100; ++i) {
    std::vector<uint64_t> areas = {MakeSquare(i)->Area()};
    if (i % 10 == 0) areas.push_back(MakeDisc(i)->Area());
    sum += Largest(areas) + Weigh(areas) + Checked(i, {1000});
    if (argc > 1 && i == 50) sum += Rare(i);
  }
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
