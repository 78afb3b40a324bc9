// What a profile says of one image, whatever the profile's format.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/raw_profile.h"
#include "profile/recording/calls_out.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// `bytes`, from anybody, are a GNU gmon file of a program of the image's architecture, or a
// recording, packed (profile/codec/recording.h) or as the runtime wrote it. Of a recording
// the module with the image's build-id is taken; for an image without one, the program.
// `name` is only for messages.
//
// InvalidArgument: the recording has nothing of the image, or the architecture is not known.
// Other errors as ReadGmon, ReadRecording and UnpackRecording. What it takes, and its
// recording, is left with `decoding`. What functions of the image called in other modules is put
// into `calls_out`, if that is not null and there is a recording.
absl::StatusOr<RawProfile> ReadImagePart(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image,
                                         const base::Decoding& decoding = {},
                                         std::vector<CallsOut>* calls_out = nullptr);

}  // namespace gprofhub::profile
