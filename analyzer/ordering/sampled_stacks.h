// Call stacks that perf sampled, as text: what a program did in production.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "profile/symbols.h"

namespace gprofhub {

struct SampledFrame {
  std::string function;
  uint64_t offset = 0;  // bytes from its entry to the return address; 0: unknown
};

struct SampledStack {
  std::vector<SampledFrame> frames;  // the outermost first
  uint64_t samples = 0;
};

// Whether `bytes` begin as one of the two forms that ParseSampledStacks reads.
bool IsSampledStacks(absl::string_view bytes);

// Reads folded stacks ("main;parse;next 12", as flame graphs are drawn from) or
// what `perf script` prints (an event's line, unless left out, then a frame a line,
// the innermost first; without a call graph one line). The kernel's frames, unknown and inlined
// ones are left out. `name` is for messages. InvalidArgument: a line is of neither form, or no
// stack has a frame.
absl::StatusOr<std::vector<SampledStack>> ParseSampledStacks(absl::string_view text,
                                                             absl::string_view name);

// The stacks as a training run: an arc's count is the number of samples that saw the
// call, each once a stack. Names may be linkage names or as people read them, with
// `program` (not null) to look the latter up; functions that it does not have are left
// out. InvalidArgument: no function is left, which without `program` also holds of
// C++ names that people read.
absl::StatusOr<ComputedProfile> ProfileOfStacks(const std::vector<SampledStack>& stacks,
                                                const SymbolTable* program, absl::string_view name);

}  // namespace gprofhub
