// Recordings of the runtime. Stacks that were read must lead somewhere.
#include "profile/recording_reader.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto recording = gprofhub::ReadRecording(bytes, "input");
  if (!recording.ok()) return 0;
  for (const gprofhub::ModuleFrame& frame : recording->stacks) {
    if (frame.frame.parent >= static_cast<int64_t>(recording->stacks.size())) std::abort();
  }
  return 0;
}
