#include "ci/upload/check_profile.h"

#include "absl/strings/str_cat.h"
#include "profile/codec/recording.h"
#include "profile/gmon/options_for.h"
#include "profile/gmon/reader.h"
#include "profile/image/belongs.h"

namespace gprofhub::ci {
namespace {

// The part of a profile that is the image's.
absl::StatusOr<profile::RawProfile> ReadPart(const ProfileFile& profile, const Image& image) {
  if (profile::IsPackedRecording(profile.bytes)) {
    const absl::StatusOr<profile::Recording> recording =
        profile::UnpackRecording(profile.bytes, profile.origin);
    if (!recording.ok()) return recording.status();
    const profile::RecordedModule* module = profile::FindModule(*recording, image.build_id);
    if (module == nullptr) {
      return absl::FailedPreconditionError(absl::StrCat(profile.origin, ": has nothing of ",
                                                        image.symbols.image_name, " (build-id ",
                                                        image.build_id, ")"));
    }
    return module->profile;
  }
  const absl::StatusOr<profile::GmonReadOptions> options =
      profile::GmonOptionsFor(image.symbols.architecture);
  if (!options.ok()) return options.status();
  return profile::ReadGmon(profile.bytes, profile.origin, *options);
}

}  // namespace

absl::Status CheckProfile(const ProfileFile& profile, const Image& image) {
  if (profile.bytes.empty()) {
    return absl::DataLossError(absl::StrCat(
        profile.origin, ": is empty; the process was ended while it wrote its profile"));
  }
  const absl::StatusOr<profile::RawProfile> raw = ReadPart(profile, image);
  if (!raw.ok()) return raw.status();
  return profile::CheckBelongs(*raw, image.symbols, profile.origin, image.symbols.image_name);
}

}  // namespace gprofhub::ci
