#include "ci/upload/stacks.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "profile/codec/stacks.h"
#include "profile/stacks/perf_text.h"
#include "profile/stacks/resolve.h"

namespace gprofhub::ci {

absl::Status PackStacks(ProfileFile& profile, const Image& image) {
  const absl::StatusOr<profile::SampledStacks> stacks =
      profile::ParseSampledStacks(profile.bytes, profile.origin);
  if (!stacks.ok()) return stacks.status();
  const absl::StatusOr<profile::ResolvedStacks> resolved =
      profile::ResolveStacks(*stacks, image.symbols, profile.origin);
  if (!resolved.ok()) return resolved.status();
  if (resolved->IsOfOtherBuild()) {
    return absl::InvalidArgumentError(absl::StrCat(
        profile.origin, ": of ", resolved->placed, " functions whose place perf printed, ",
        resolved->misplaced, " stand elsewhere in ", image.symbols.image_name,
        ": name the very build that was sampled with --image"));
  }
  std::string packed = profile::EncodeStacks(resolved->stacks);
  // Detects early what the server would refuse.
  const absl::StatusOr<profile::ImageStacks> unpacked =
      profile::DecodeStacks(packed, profile.origin, image.symbols);
  if (!unpacked.ok()) return unpacked.status();
  profile.bytes = std::move(packed);
  return absl::OkStatus();
}

}  // namespace gprofhub::ci
