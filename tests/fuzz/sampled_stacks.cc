// Stacks that perf sampled. Whatever comes in, the answer is a status that names
// the file, or stacks with functions and samples, and a profile whose rows exist.

#include "analyzer/ordering/sampled_stacks.h"

#include <cstdlib>

#include "absl/strings/match.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  gprofhub::IsSampledStacks(text);
  const auto stacks = gprofhub::ParseSampledStacks(text, "fuzz.folded");
  if (!stacks.ok()) {
    if (!absl::StrContains(stacks.status().message(), "fuzz.folded")) std::abort();
    return 0;
  }
  for (const gprofhub::SampledStack& stack : *stacks) {
    if (stack.frames.empty() || stack.samples == 0) std::abort();
  }
  const auto profile = gprofhub::ProfileOfStacks(*stacks, nullptr, "fuzz.folded");
  if (!profile.ok()) return 0;
  for (const gprofhub::ArcCost& arc : profile->arcs) {
    if (arc.caller >= profile->functions.size() || arc.callee >= profile->functions.size()) {
      std::abort();
    }
  }
  return 0;
}
