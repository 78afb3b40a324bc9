// The computed profiles of a run, out of the store.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "reporter/queries/blob_reader.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// Computed profiles of the targets of a run that are analysed, without those that lack an
// execution's profile: all, or the one named.
absl::StatusOr<std::map<std::string, profile::ComputedProfile>> ReadProfiles(
    const BlobReader& blobs, const std::vector<store::TargetRecord>& targets,
    absl::string_view label);

// That of one target, which is analysed. As long as the caller has them, what they take is left
// with the reader's decoding.
absl::StatusOr<profile::ComputedProfile> ReadTargetProfile(const BlobReader& blobs,
                                                           const store::TargetRecord& target);

}  // namespace gprofhub::reporter
