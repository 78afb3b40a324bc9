#include "reporter/queries/query_memory.h"

#include <string>

namespace gprofhub::reporter {

uint64_t MemoryOf(const profile::ComputedProfile& profile) {
  uint64_t bytes = sizeof(profile);
  for (const std::string& text : profile.strings) bytes += sizeof(text) + text.capacity();
  for (const std::string& text : profile.warnings) bytes += sizeof(text) + text.capacity();
  return bytes + profile.functions.capacity() * sizeof(profile::FunctionCost) +
         profile.arcs.capacity() * sizeof(profile::ArcCost) +
         profile.inlined.capacity() * sizeof(profile::InlinedCost);
}

}  // namespace gprofhub::reporter
