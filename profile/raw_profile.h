// The profile of one process: histograms of the program counter, arcs with their counts,
// basic-block counts (GNU gprof manual, "Profiling Data File Format"). Addresses are those of the
// image as linked (load-relative for position-independent images).
//
// Profile data is a sum: merging is addition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gprofhub::profile {

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
  // The file does not contain the rate: BSD's older format has no field for it.
  bool rate_is_assumed = false;
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

// A frame of the sampled call stacks, which form a forest: following `parent` leads to the
// outermost frame. A frame's parent may come after it.
struct StackFrame {
  // An address in the image: for the innermost frame the sampled one, for a caller its return
  // address. Or one of the two constants below.
  uint64_t pc = 0;
  int64_t parent = -1;   // index; -1: outermost
  uint64_t samples = 0;  // taken while this frame was the innermost
};
// The frame is in another image.
inline constexpr uint64_t kFrameElsewhere = 0;
// Outermost, in place of frames that could not be read.
inline constexpr uint64_t kFramesMissing = 1;

// One process's data for one image.
struct RawProfile {
  std::vector<Histogram> histograms;
  std::vector<RawArc> arcs;        // in file order, not merged
  std::vector<BasicBlock> blocks;  // in file order, not merged
  // Samples in the image, if stacks were recorded. These samples are in the histograms, too.
  std::vector<StackFrame> stacks;
  // Arcs from pc 0 are calls from other images, or from unknown callers (a signal handler's), and
  // all are counted: in a recording. Otherwise they are damage.
  bool has_spontaneous = false;
};

// Approximate memory of its rows.
inline uint64_t MemoryOf(const RawProfile& profile) {
  uint64_t memory = profile.arcs.capacity() * sizeof(RawArc) +
                    profile.blocks.capacity() * sizeof(BasicBlock) +
                    profile.stacks.capacity() * sizeof(StackFrame);
  for (const Histogram& histogram : profile.histograms) {
    memory += sizeof(Histogram) + histogram.bins.capacity() * sizeof(uint64_t);
  }
  return memory;
}

}  // namespace gprofhub::profile
