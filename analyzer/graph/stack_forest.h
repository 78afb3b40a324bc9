// The call stacks of samples, with the functions of their frames.
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
  uint32_t function = kNoFunction;  // kNoFunction: unknown
  uint64_t site = 0;                // of a caller: the call's place in it, as in KnownCalls
  int64_t parent = -1;              // index; -1: outermost
  double samples = 0;               // taken while this frame was the innermost
  bool is_missing = false;          // represents frames that could not be read
};

// The function that contains a frame's code.
struct FrameFunction {
  uint32_t function = kNoFunction;
  uint64_t entry = 0;  // the function's address
};

// The forest of `count` frames; `frame_at` returns each. `function_at` returns the function of
// frame i at `address`; for a caller this is the byte before the return address, which may itself
// be the first byte of the next function. Each sample counts as `weight`.
std::vector<StackNode> ResolveStacks(
    size_t count, absl::FunctionRef<const profile::StackFrame&(size_t i)> frame_at,
    absl::FunctionRef<FrameFunction(size_t i, uint64_t address)> function_at, double weight = 1);

}  // namespace gprofhub::analyzer
