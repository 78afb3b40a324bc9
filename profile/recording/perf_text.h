// Parses call stacks that perf sampled, for example in production, from text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Stacks of functions by name, in the order of the text.
struct SampledStacks {
  struct Frame {
    uint32_t function = 0;  // index into functions
    // The function's entry as perf places it, relative to the start of the image or the process's
    // mapping: only its lowest 12 bits are the image's. Valid if has_entry.
    uint64_t entry = 0;
    bool has_entry = false;
    uint64_t offset = 0;  // bytes from the entry to the return address; 0: unknown
  };
  struct Stack {
    uint32_t frames = 0;   // one or more
    uint64_t samples = 0;  // one or more
  };
  std::vector<std::string> functions;  // distinct; "" for unknown ones
  std::vector<Frame> frames;           // stack by stack, the outermost first
  std::vector<Stack> stacks;
};

// Limit for all samples of a file. Larger sums are not plausible.
inline constexpr uint64_t kMostSampledStackSamples = uint64_t{1} << 40;

// Whether `bytes` begin like one of the two forms that ParseSampledStacks reads.
bool IsSampledStacks(absl::string_view bytes);

// The same for a file; false if it cannot be read.
bool HoldsSampledStacks(const std::string& path);

// Reads folded stacks ("main;parse;next 12", the input of flame graphs) or the output of `perf
// script` (an event's line, unless left out, then one frame per line, the innermost first; without
// a call graph one line). Further fields of -F are skipped: numbers on an event's line, and
// indented lines that are not frames, such as source lines and branch stacks. The kernel's frames
// and inlined ones are left out, and stacks without a known function. `name` is for messages.
// InvalidArgument: a line has neither form, no stack is left, or there are more samples than
// kMostSampledStackSamples.
absl::StatusOr<SampledStacks> ParseSampledStacks(absl::string_view text, absl::string_view name);

// Sampled call stacks, with their names resolved to the functions of one image.

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
