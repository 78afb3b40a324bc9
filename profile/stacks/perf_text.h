// Call stacks that perf sampled, as text: what a program did in production.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// Stacks of functions by name, in the order of the text.
struct SampledStacks {
  struct Frame {
    uint32_t function = 0;  // index into functions
    // The function's entry as perf places it, from the image's or a process's begin:
    // only its lowest 12 bits are the image's. Where has_entry.
    uint64_t entry = 0;
    bool has_entry = false;
    uint64_t offset = 0;  // bytes from the entry to the return address; 0: unknown
  };
  struct Stack {
    uint32_t frames = 0;   // one or more
    uint64_t samples = 0;  // one or more
  };
  std::vector<std::string> functions;  // distinct; "" stands for unknown ones
  std::vector<Frame> frames;           // stack by stack, the outermost first
  std::vector<Stack> stacks;
};

// All samples of a file together. Larger sums are no samples.
inline constexpr uint64_t kMostSampledStackSamples = uint64_t{1} << 40;

// Whether `bytes` begin as one of the two forms that ParseSampledStacks reads.
bool IsSampledStacks(absl::string_view bytes);

// The same of a file; false if it is none or cannot be read.
bool HoldsSampledStacks(const std::string& path);

// Reads folded stacks ("main;parse;next 12", as flame graphs are drawn from) or
// what `perf script` prints (an event's line, unless left out, then a frame a line,
// the innermost first; without a call graph one line). The kernel's frames and inlined
// ones are left out, and stacks without a known function. `name` is for messages.
// InvalidArgument: a line is of neither form, no stack is left, or there are more
// samples than kMostSampledStackSamples.
absl::StatusOr<SampledStacks> ParseSampledStacks(absl::string_view text, absl::string_view name);

}  // namespace gprofhub::profile
