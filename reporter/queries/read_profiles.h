// Reads the computed profiles of a run from the store.
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

// Computed profiles of the run's analysed targets, without those that lack an execution's profile:
// all, or the given one.
absl::StatusOr<std::map<std::string, profile::ComputedProfile>> ReadProfiles(
    const BlobReader& blobs, const std::vector<store::TargetRecord>& targets,
    absl::string_view label, QueryMemory* memory = nullptr);

// The profile of one analysed target. Its memory stays charged to the reader's decoding.
absl::StatusOr<profile::ComputedProfile> ReadTargetProfile(const BlobReader& blobs,
                                                           const store::TargetRecord& target);

// The same from the cache `memory`; null: decoded each time.
absl::StatusOr<std::shared_ptr<const profile::ComputedProfile>> FindTargetProfile(
    const BlobReader& blobs, const store::TargetRecord& target, QueryMemory* memory);

}  // namespace gprofhub::reporter
