// Lays two computed profiles of one target over each other: which function,
// arc and call site of the one is which of the other.
//
// Functions are the same if their linkage names are, and, for static ones, the
// source file; the image does not matter. What that leaves over is matched by
// name where the name is unique among the left-over of both sides (a static
// function whose file moved, or that lost its `static`). Several functions of
// one key are summed: the sum of equal things is what does not depend on how
// the linker folded them.
//
// Arcs are the same if caller and callee are. Their call sites, whose line
// numbers shift with every edit above them, are evidence only: matched in order
// of their place in the caller if both sides have equally many, else by line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/computed.h"

namespace gprofhub {

// The caller of an arc from outside every known function.
inline constexpr uint32_t kSpontaneous = 0xFFFFFFFF;

struct FunctionSide {
  bool present = false;
  uint64_t calls = 0;  // recursive ones included
  double self_samples = 0;
  double child_samples = 0;
  std::string file;
  uint32_t line = 0;
};

struct FunctionPair {
  std::string name;  // linkage name
  FunctionSide before;
  FunctionSide after;
};

// One place in the caller.
struct SitePair {
  std::string file;
  uint32_t line_before = 0;
  uint32_t line_after = 0;
  uint64_t before = 0;
  uint64_t after = 0;
};

struct ArcPair {
  uint32_t caller = kSpontaneous;  // index into functions
  uint32_t callee = 0;
  bool before_present = false;
  bool after_present = false;
  uint64_t before = 0;
  uint64_t after = 0;
  std::vector<SitePair> sites;  // only where before or after changed
};

struct MatchedTarget {
  std::vector<FunctionPair> functions;
  std::vector<ArcPair> arcs;  // ascending by (callee, caller)
  uint64_t repetitions_before = 1;
  uint64_t repetitions_after = 1;
};

MatchedTarget Match(const ComputedProfile& before, const ComputedProfile& after);

// Whether a/x and b/y are the same number, without rounding. x and y above 0.
bool SameRatio(uint64_t a, uint64_t x, uint64_t b, uint64_t y);

}  // namespace gprofhub
