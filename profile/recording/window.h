// Windows of a recording: the counts between two of its marks (profile/format/recording.h,
// gprofhub_mark). The bytes are untrusted.
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
  uint64_t until = 0;  // 0: the end of the file
};

// Returns a recording with only the calls, blocks, samples and losses of the window. `end` is the
// time when the file was read or its process ended; with `until` it is ignored. NotFound: the mark
// does not exist, or no longer. InvalidArgument: not a recording; or `until` is not after `since`.
// DataLoss: the file is cut off or damaged; a count was larger at a mark than later.
absl::StatusOr<std::string> CutWindow(absl::string_view bytes, absl::string_view file_name,
                                      const RecordingWindow& window, absl::Time end);

}  // namespace gprofhub::profile
