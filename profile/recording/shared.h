// The file that the processes of a Bazel test share (profile/format/recording.h, gprofhub_shared).
// Its bytes are untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/format/recording.h"

namespace gprofhub::profile {

// Its name among a test's outputs.
inline constexpr absl::string_view kSharedRecordingName = GPROFHUB_SHARED_NAME;

// Whether the bytes begin like such a file. The first kSharedRecordingHead of a file are enough.
inline constexpr size_t kSharedRecordingHead = sizeof(gprofhub_shared);
bool IsSharedRecording(absl::string_view bytes);

// `name` is that of the process's own file, in the folder of the shared file's:
// "[gprofhub.cases/<case>/]<program>.<pid>[.<n>].gprofhub". An error is about this process alone.
using VisitProcess =
    absl::FunctionRef<absl::Status(const std::string& name, absl::StatusOr<absl::string_view>)>;

// Calls `visit` with each process's recording as a file of its own, in the order in which they
// began, until it returns an error. The bytes are valid during the call. A file that is not shared
// is visited as it is, under its name. DataLoss: the list of processes is damaged, or they take
// more than the file's size together.
absl::Status VisitRecordings(absl::string_view bytes, absl::string_view name, VisitProcess visit);

// Offsets of the processes' headers, the newest first. Errors as VisitRecordings.
absl::StatusOr<std::vector<uint64_t>> ProcessesIn(absl::string_view bytes, absl::string_view name);

// The recording of the process whose header is at `offset`; 0: all of `bytes`, which are not
// shared. DataLoss: it refers to places outside of the file.
absl::StatusOr<std::string> RecordingAt(absl::string_view bytes, absl::string_view name,
                                        uint64_t offset);

}  // namespace gprofhub::profile
