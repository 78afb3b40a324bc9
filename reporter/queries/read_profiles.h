// The computed profiles of a run, out of the store.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// Computed profiles of the targets of a run that are analysed, without those that lack an
// execution's profile: all, or the one named.
absl::StatusOr<std::map<std::string, profile::ComputedProfile>> ReadProfiles(
    const BlobReader& blobs, const std::vector<store::TargetRecord>& targets,
    absl::string_view label, QueryMemory* memory = nullptr);

// That of one target, which is analysed. As long as the caller has them, what they take is left
// with the reader's decoding.
absl::StatusOr<profile::ComputedProfile> ReadTargetProfile(const BlobReader& blobs,
                                                           const store::TargetRecord& target);

// The same out of `memory`, which keeps it; null: it is decoded anew.
absl::StatusOr<std::shared_ptr<const profile::ComputedProfile>> FindTargetProfile(
    const BlobReader& blobs, const store::TargetRecord& target, QueryMemory* memory);

}  // namespace gprofhub::reporter
