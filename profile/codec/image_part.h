// The data of a profile about one image, for every format of profiles.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/raw_profile.h"
#include "profile/recording/calls_out.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// `bytes` (untrusted) are a GNU gmon file of a program of the image's architecture, or a recording,
// packed (profile/codec/recording.h) or as the runtime wrote it. From a recording the module with
// the image's build-id is taken; for an image without one, the program. `name` is only for
// messages.
//
// InvalidArgument: the recording has no data about the image, or the architecture is unknown. Other
// errors as ReadGmon, ReadRecording and UnpackRecording. The memory of the result, and of its
// recording, is left with `decoding`. Calls from functions of the image into other modules are
// added to `calls_out`, if that is not null and there is a recording.
absl::StatusOr<RawProfile> ReadImagePart(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image,
                                         const base::Decoding& decoding = {},
                                         std::vector<CallsOut>* calls_out = nullptr);

}  // namespace gprofhub::profile
