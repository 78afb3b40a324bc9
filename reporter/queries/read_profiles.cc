#include "reporter/queries/read_profiles.h"

#include <cstdint>
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
    absl::string_view label, QueryMemory* memory) {
  std::map<std::string, profile::ComputedProfile> profiles;
  for (const store::TargetRecord& target : targets) {
    if (target.computed.empty() || target.without_profiles > 0 ||
        (!label.empty() && target.label != label)) {
      continue;
    }
    if (memory == nullptr) {
      absl::StatusOr<profile::ComputedProfile> profile = ReadTargetProfile(blobs, target);
      if (!profile.ok()) return profile.status();
      profiles.emplace(target.label, *std::move(profile));
      continue;
    }
    const absl::StatusOr<std::shared_ptr<const profile::ComputedProfile>> kept =
        FindTargetProfile(blobs, target, memory);
    if (!kept.ok()) return kept.status();
    const uint64_t bytes = profile::MemoryOf(**kept);
    absl::StatusOr<base::DecodingPart> copy = blobs.decoding().Take(bytes);
    if (!copy.ok()) return copy.status();
    copy->Leave(bytes);
    profiles.emplace(target.label, **kept);
  }
  return profiles;
}

absl::StatusOr<std::shared_ptr<const profile::ComputedProfile>> FindTargetProfile(
    const BlobReader& blobs, const store::TargetRecord& target, QueryMemory* memory) {
  const auto read = [&] { return ReadTargetProfile(blobs, target); };
  if (memory != nullptr) return memory->profiles.Get(target.computed, read);
  absl::StatusOr<profile::ComputedProfile> profile = read();
  if (!profile.ok()) return profile.status();
  return std::make_shared<const profile::ComputedProfile>(*std::move(profile));
}

}  // namespace gprofhub::reporter
