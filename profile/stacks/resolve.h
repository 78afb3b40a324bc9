// Sampled call stacks, with their names resolved to the functions of one image.
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
    uint32_t function = 0;  // from 1: a row of functions; 0: code outside known functions
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
  // Functions whose entry perf printed, and those of them that do not begin there in the image:
  // functions with the same name in another file or, if they are the majority, in another build.
  size_t placed = 0;
  size_t misplaced = 0;

  bool IsOfOtherBuild() const { return misplaced * 2 > placed; }
};

// Resolves the names: linkage names, or demangled ones, with parameters or (as perf prints them)
// without. Of several functions with one name, the one whose entry matches perf's is used; the
// first if perf prints none, or the stacks are of another build. Frames outside the image's
// functions, such as a library's, become unknown code; stacks with only such frames are left out.
// `name` is for messages. InvalidArgument: no stack is left.
absl::StatusOr<ResolvedStacks> ResolveStacks(const SampledStacks& stacks, const SymbolTable& image,
                                             absl::string_view name);

}  // namespace gprofhub::profile
