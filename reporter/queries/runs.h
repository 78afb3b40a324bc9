// What the query service answers, free of transport: from requests over a store
// to responses. Errors: NOT_FOUND for a run, target or function that is not
// there (or belongs to another project), INVALID_ARGUMENT for a request that
// says too little or too much, FAILED_PRECONDITION where the analysis has not
// ended yet, or exact counts are asked of sampled profiles, and the store's own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"
#include "proto/query.pb.h"
#include "store/blobs.h"
#include "store/reading.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// The run that `text` names: a run's id, a commit (at least 7 digits of it; its
// newest run), or "latest" (also where `text` is empty). A run of sampled profiles is
// a commit's or the latest only where there are no others.
absl::StatusOr<store::RunRecord> FindRun(const store::Reading& reading, absl::string_view project,
                                         absl::string_view text);

// FAILED_PRECONDITION of a run of sampled profiles: its counts are not exact.
absl::Status CheckCounted(const store::RunRecord& run);

// The run's target of this label; with an empty label, its only one. Errors
// list what there is.
absl::StatusOr<store::TargetRecord> FindTarget(const store::Reading& reading,
                                               const store::RunRecord& run,
                                               absl::string_view label);

absl::StatusOr<v1::ListRunsResponse> ListRuns(const store::Reading& reading,
                                              const v1::ListRunsRequest& request);
absl::StatusOr<v1::Run> GetRun(const store::Reading& reading, const v1::GetRunRequest& request);
absl::StatusOr<v1::GetProfileResponse> GetProfile(const store::Reading& reading,
                                                  const store::Blobs& blobs,
                                                  const v1::GetProfileRequest& request);
absl::StatusOr<v1::GetTrendResponse> GetTrend(const store::Reading& reading,
                                              const store::Blobs& blobs,
                                              const v1::GetTrendRequest& request);

// Computed profiles of the analysed targets of a run: all, or the one named.
absl::StatusOr<std::map<std::string, profile::ComputedProfile>> ReadProfiles(
    const store::Blobs& blobs, const std::vector<store::TargetRecord>& targets,
    absl::string_view label);

// That of one target, which is analysed.
absl::StatusOr<profile::ComputedProfile> ReadTargetProfile(const store::Blobs& blobs,
                                                           const store::TargetRecord& target);

}  // namespace gprofhub::reporter
