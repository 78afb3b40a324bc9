// The call stacks of samples, with the functions that their frames are of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "analyzer/functions/function_table.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// A frame of the sampled stacks (raw_profile.h), its function known.
struct StackNode {
  uint32_t function = kNoFunction;  // kNoFunction: of no known function
  uint64_t site = 0;                // of a caller: the call's place in it, as in KnownCalls
  int64_t parent = -1;              // index; -1: outermost
  double samples = 0;               // taken while this frame was the innermost
  bool is_missing = false;          // stands for frames that could not be read
};

// The function that a frame's code is in.
struct FrameFunction {
  uint32_t function = kNoFunction;
  uint64_t entry = 0;  // the function's address
};

// The forest of `count` frames; `frame_at` gives each. `function_at` gives the function of
// frame i at `address`: of a caller that is the byte before the return address, which may
// be the first of the next function. Each sample counts as `weight`.
std::vector<StackNode> ResolveStacks(
    size_t count, absl::FunctionRef<const profile::StackFrame&(size_t i)> frame_at,
    absl::FunctionRef<FrameFunction(size_t i, uint64_t address)> function_at, double weight = 1);

}  // namespace gprofhub::analyzer
