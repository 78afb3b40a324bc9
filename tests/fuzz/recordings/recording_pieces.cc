// Recordings again, without their zeros (pieces.h).

#include <cstdlib>
#include <string>

#include "profile/recording/reader.h"
#include "tests/fuzz/recordings/pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string recording =
      gprofhub::fuzz::FromPieces({reinterpret_cast<const char*>(data), size});
  const auto read = gprofhub::profile::ReadRecording(recording, "input");
  if (!read.ok()) return 0;
  for (const gprofhub::profile::ModuleFrame& frame : read->stacks) {
    if (frame.frame.parent >= static_cast<int64_t>(read->stacks.size())) std::abort();
  }
  return 0;
}
