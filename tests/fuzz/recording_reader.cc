// Recordings of the runtime. Stacks that were read must lead somewhere.
#include <cstdlib>

#include "profile/recording/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto recording = gprofhub::profile::ReadRecording(bytes, "input");
  if (!recording.ok()) return 0;
  for (const gprofhub::profile::ModuleFrame& frame : recording->stacks) {
    if (frame.frame.parent >= static_cast<int64_t>(recording->stacks.size())) std::abort();
  }
  return 0;
}
