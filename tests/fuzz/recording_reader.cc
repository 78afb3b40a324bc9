// Recordings of the runtime. Stacks and first calls that were read must lead somewhere.
#include <cstdlib>
#include <string>

#include "profile/recording/reader.h"
#include "profile/recording/shared.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (gprofhub::profile::IsSharedRecording(bytes)) {
    uint64_t total = 0;
    const absl::Status status = gprofhub::profile::VisitRecordings(
        bytes, "input", [&](const std::string& name, absl::StatusOr<absl::string_view> process) {
          if (!process.ok()) return absl::OkStatus();
          total += process->size();
          if (name.empty() || total > size) std::abort();
          gprofhub::profile::ReadRecording(*process, name).IgnoreError();
          return absl::OkStatus();
        });
    status.IgnoreError();
    return 0;
  }
  const auto recording = gprofhub::profile::ReadRecording(bytes, "input");
  if (!recording.ok()) return 0;
  for (const gprofhub::profile::ModuleFrame& frame : recording->stacks) {
    if (frame.frame.parent >= static_cast<int64_t>(recording->stacks.size())) std::abort();
  }
  for (const gprofhub::profile::ModulePlace& place : recording->first_calls) {
    if (place.module >= recording->modules.size()) std::abort();
  }
  return 0;
}
