// Windows of a recording: what was counted between two of its marks (profile/recording/format.h,
// gprofhub_mark). The bytes are taken to be hostile.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::profile {

// By numbers of marks (Recording::marks).
struct RecordingWindow {
  uint64_t since = 0;  // 0: the beginning
  uint64_t until = 0;  // 0: what the file has
};

// A recording of its own that has the calls, blocks, samples and losses of the window only.
// `end` is when the file was read or its process ended; with `until` it does not matter.
// NotFound: there is no such mark, or no more. InvalidArgument: not a recording; or `until` is not
// behind `since`. DataLoss: the file is cut or damaged; of a mark more was counted than later.
absl::StatusOr<std::string> CutWindow(absl::string_view bytes, absl::string_view file_name,
                                      const RecordingWindow& window, absl::Time end);

}  // namespace gprofhub::profile
