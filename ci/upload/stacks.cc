#include "ci/upload/stacks.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "profile/image_stacks.h"
#include "profile/sampled_stacks.h"
#include "profile/stacks_codec.h"

namespace gprofhub {

absl::Status PackStacks(ProfileFile& profile, const Image& image) {
  const absl::StatusOr<SampledStacks> stacks = ParseSampledStacks(profile.bytes, profile.origin);
  if (!stacks.ok()) return stacks.status();
  const absl::StatusOr<ResolvedStacks> resolved =
      ResolveStacks(*stacks, image.symbols, profile.origin);
  if (!resolved.ok()) return resolved.status();
  if (resolved->IsOfOtherBuild()) {
    return absl::InvalidArgumentError(absl::StrCat(
        profile.origin, ": of ", resolved->placed, " functions whose place perf printed, ",
        resolved->misplaced, " stand elsewhere in ", image.symbols.image_name,
        ": name the very build that was sampled with --image"));
  }
  std::string packed = EncodeStacks(resolved->stacks);
  // What the server would refuse is found out here.
  const absl::StatusOr<ImageStacks> unpacked = DecodeStacks(packed, profile.origin, image.symbols);
  if (!unpacked.ok()) return unpacked.status();
  profile.bytes = std::move(packed);
  return absl::OkStatus();
}

}  // namespace gprofhub
