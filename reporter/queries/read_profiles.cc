#include "reporter/queries/read_profiles.h"

#include <utility>

#include "base/decoding/decoding.h"
#include "profile/codec/computed.h"

namespace gprofhub::reporter {

absl::StatusOr<profile::ComputedProfile> ReadTargetProfile(const BlobReader& blobs,
                                                           const store::TargetRecord& target) {
  absl::StatusOr<std::string> bytes = blobs.Read(target.computed);
  if (!bytes.ok()) return bytes.status();
  const base::DecodingPart of_bytes = blobs.decoding().Adopt(bytes->size());
  return profile::DecodeComputedProfile(*bytes, blobs.decoding());
}

absl::StatusOr<std::map<std::string, profile::ComputedProfile>> ReadProfiles(
    const BlobReader& blobs, const std::vector<store::TargetRecord>& targets,
    absl::string_view label) {
  std::map<std::string, profile::ComputedProfile> profiles;
  for (const store::TargetRecord& target : targets) {
    if (target.computed.empty() || target.without_profiles > 0 ||
        (!label.empty() && target.label != label)) {
      continue;
    }
    absl::StatusOr<profile::ComputedProfile> profile = ReadTargetProfile(blobs, target);
    if (!profile.ok()) return profile.status();
    profiles.emplace(target.label, *std::move(profile));
  }
  return profiles;
}

}  // namespace gprofhub::reporter
