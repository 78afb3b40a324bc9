// Call stacks that a profiler sampled, with their names resolved to the functions of
// one image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/stacks/perf_text.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Distinct stacks in ascending order; the wire form is proto/stacks.proto.
struct ImageStacks {
  struct Frame {
    uint32_t function = 0;  // from 1: a row of functions; 0: code of no function known
    uint32_t offset = 0;    // bytes from its entry to the return address; 0: unknown
  };
  struct Stack {
    uint32_t frames = 0;   // one or more
    uint64_t samples = 0;  // one or more; at most kMostSampledStackSamples together
  };
  std::vector<uint64_t> functions;  // entries' addresses as linked, ascending
  std::vector<Frame> frames;        // stack by stack, the outermost first
  std::vector<Stack> stacks;
};

struct ResolvedStacks {
  ImageStacks stacks;
  // Functions for which perf said where they begin, and of these those that do not
  // begin there in the image: another file's namesakes, or, where they are most, those
  // of another build.
  size_t placed = 0;
  size_t misplaced = 0;

  bool IsOfOtherBuild() const { return misplaced * 2 > placed; }
};

// Looks the names up: linkage names, or as people read them, with parameters or (as
// perf prints them) without. Of several functions of a name that is taken which begins
// where perf says; the first where perf does not say, or the stacks are of another
// build. Frames of no function of the image, such as a library's, become unknown code;
// stacks without any are left out. `name` is for messages. InvalidArgument: no stack is
// left.
absl::StatusOr<ResolvedStacks> ResolveStacks(const SampledStacks& stacks, const SymbolTable& image,
                                             absl::string_view name);

}  // namespace gprofhub::profile
