// Stacks that perf sampled. For every input, the result is a status that names the file, or stacks
// with functions and samples, and a profile whose rows exist.

#include <cstdlib>

#include "absl/strings/match.h"
#include "analyzer/ordering/linker_files.h"
#include "analyzer/worker/target_profile.h"
#include "profile/recording/perf_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  gprofhub::profile::IsSampledStacks(text);
  const auto stacks = gprofhub::profile::ParseSampledStacks(text, "fuzz.folded");
  if (!stacks.ok()) {
    if (!absl::StrContains(stacks.status().message(), "fuzz.folded")) std::abort();
    return 0;
  }
  size_t frames = 0;
  for (const gprofhub::profile::SampledStacks::Stack& stack : stacks->stacks) {
    if (stack.frames == 0 || stack.samples == 0) std::abort();
    frames += stack.frames;
  }
  if (frames != stacks->frames.size()) std::abort();
  const gprofhub::profile::SymbolTable program = gprofhub::analyzer::ProgramOfNames(*stacks);
  const auto resolved = gprofhub::profile::ResolveStacks(*stacks, program, "fuzz.folded");
  if (!resolved.ok()) return 0;
  gprofhub::analyzer::SampledProfile sum;
  sum.Add(resolved->stacks, program);
  const gprofhub::profile::ComputedProfile profile = sum.Take();
  for (const gprofhub::profile::ArcCost& arc : profile.arcs) {
    if (arc.caller >= profile.functions.size() || arc.callee >= profile.functions.size()) {
      std::abort();
    }
  }
  return 0;
}
