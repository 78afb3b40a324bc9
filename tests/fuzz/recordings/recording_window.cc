// Windows of recordings (profile/recording/window.h), put together from pieces (pieces.h). A window
// contains no marks.
#include <cstdlib>
#include <string>

#include "absl/time/time.h"
#include "profile/recording/reader.h"
#include "profile/recording/window.h"
#include "tests/fuzz/recordings/pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string recording =
      gprofhub::fuzz::FromPieces({reinterpret_cast<const char*>(data), size});
  const auto read = gprofhub::profile::ReadRecording(recording, "input");
  if (!read.ok()) return 0;
  const absl::Time end = absl::FromUnixSeconds(2000);
  for (const gprofhub::profile::RecordingMark& mark : read->marks) {
    for (const gprofhub::profile::RecordingWindow window :
         {gprofhub::profile::RecordingWindow{0, mark.number}, {mark.number, 0}}) {
      const auto cut = gprofhub::profile::CutWindow(recording, "input", window, end);
      if (!cut.ok()) continue;
      const auto of_window = gprofhub::profile::ReadRecording(*cut, "window");
      if (of_window.ok() && (!of_window->marks.empty() || of_window->window_seconds <= 0)) {
        std::abort();
      }
    }
  }
  return 0;
}
