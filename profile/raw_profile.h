// What a profiled process leaves behind, as values: histograms of the program
// counter, arcs with their counts, basic-block counts (GNU gprof manual,
// "Profiling Data File Format"). Addresses are those of the image as linked
// (load-relative for position-independent images).
//
// Profile data is a sum: merging is addition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gprofhub {

// Samples of the program counter over one address range.
struct Histogram {
  uint64_t low_pc = 0;   // first address covered
  uint64_t high_pc = 0;  // first address not covered
  // Samples per unit of the dimension (with "seconds": samples per second).
  uint32_t rate = 0;
  std::string dimension = "seconds";  // at most 15 characters
  char abbreviation = 's';
  // bins[i] counts samples in [low_pc + i*w, low_pc + (i+1)*w), where
  // w = (high_pc - low_pc) / bins.size() need not be whole.
  std::vector<uint64_t> bins;
};

// Calls from one call site to one function.
struct RawArc {
  uint64_t from_pc = 0;  // return address in the caller; any value if spontaneous
  uint64_t self_pc = 0;  // an address in the called function
  uint64_t count = 0;
};

struct BasicBlock {
  uint64_t pc = 0;  // any address in the block
  uint64_t count = 0;
};

// One process's data for one image.
struct RawProfile {
  std::vector<Histogram> histograms;
  std::vector<RawArc> arcs;           // in file order, not merged
  std::vector<BasicBlock> blocks;     // in file order, not merged
};

}  // namespace gprofhub
