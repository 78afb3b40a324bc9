#include "ci/upload/results/check_profile.h"

#include "absl/strings/str_cat.h"
#include "profile/belongs.h"
#include "profile/codec/image_part.h"

namespace gprofhub::ci {

absl::Status CheckProfile(const ProfileFile& profile, const profile::SymbolTable& image,
                          const base::Decoding& decoding) {
  if (profile.bytes.empty()) {
    return absl::DataLossError(absl::StrCat(
        profile.origin, ": is empty; the process was ended while it wrote its profile"));
  }
  const base::DecodingScope scope(decoding);
  const absl::StatusOr<profile::RawProfile> raw =
      profile::ReadImagePart(profile.bytes, profile.origin, image, decoding);
  if (!raw.ok()) return raw.status();
  return profile::CheckBelongs(*raw, image, profile.origin, image.image_name);
}

}  // namespace gprofhub::ci
