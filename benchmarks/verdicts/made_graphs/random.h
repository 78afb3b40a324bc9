// Draws that depend on a seed alone, on every machine.
#pragma once

#include <cstdint>

namespace gprofhub::benchmarks {

// splitmix64's mixing step.
inline uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

inline uint64_t Mix(uint64_t a, uint64_t b) { return Mix(a * 0x9e3779b97f4a7c15 + b + 1); }

class Random {
 public:
  explicit Random(uint64_t seed) : state_(Mix(seed)) {}

  uint64_t Below(uint64_t limit) { return Mix(state_ += 0x9e3779b97f4a7c15) % limit; }
  // From `least` to `most`.
  uint32_t Between(uint32_t least, uint32_t most) {
    return least + static_cast<uint32_t>(Below(most - least + 1));
  }
  bool Percent(uint64_t percent) { return Below(100) < percent; }
  // In [0, 1).
  double Unit() { return static_cast<double>(Below(uint64_t{1} << 53)) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace gprofhub::benchmarks
