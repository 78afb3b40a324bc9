#include "reporter/queries/trends/trend_function.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "reporter/queries/read_profiles.h"
#include "store/records/records.h"

namespace gprofhub::reporter {
namespace {

// Number of runs to search, since the newest run may lack the function.
constexpr size_t kRunsToResolveIn = 5;

// The analysed profiles of one run: of the named target, or of all.
absl::StatusOr<std::vector<profile::ComputedProfile>> ProfilesOf(const store::Reading& reading,
                                                                 const BlobReader& blobs,
                                                                 const store::RunHead& run,
                                                                 absl::string_view target,
                                                                 QueryMemory* memory) {
  absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(run.id);
  if (!targets.ok()) return targets.status();
  absl::StatusOr<std::map<std::string, profile::ComputedProfile>> profiles =
      ReadProfiles(blobs, *targets, target, memory);
  if (!profiles.ok()) return profiles.status();
  std::vector<profile::ComputedProfile> list;
  for (auto& [label, profile] : *profiles) list.push_back(std::move(profile));
  return list;
}

}  // namespace

SeriesIdentity NamedFunction(const v1::GetTrendRequest& request) {
  return {request.function(), {profile::FunctionHash(request.function(), "")}};
}

bool IsInNewestRuns(const std::vector<FunctionAtRun>& sums) {
  size_t looked_at = 0;
  for (const FunctionAtRun& sum : sums) {
    if (sum.present) return true;
    if (sum.analysed && ++looked_at == kRunsToResolveIn) break;
  }
  return false;
}

absl::StatusOr<SeriesIdentity> FindFunction(const store::Reading& reading, const BlobReader& blobs,
                                            const std::vector<store::RunHead>& runs,
                                            const v1::GetTrendRequest& request,
                                            QueryMemory* memory) {
  absl::StatusOr<SeriesIdentity> function =
      absl::NotFoundError(absl::StrCat("project \"", request.project(),
                                       "\" has no analysed run of this branch and target yet; "
                                       "runs of sampled profiles have no trend"));
  size_t tried = 0;
  for (const store::RunHead& run : runs) {
    const base::DecodingScope scope(blobs.decoding());
    const absl::StatusOr<std::vector<profile::ComputedProfile>> profiles =
        ProfilesOf(reading, blobs, run, request.target(), memory);
    if (!profiles.ok()) return profiles.status();
    if (profiles->empty()) continue;
    function = ResolveFunction(*profiles, request.function());
    if (!absl::IsNotFound(function.status()) || ++tried == kRunsToResolveIn) break;
  }
  return function;
}

absl::Status AddOldestHashes(const store::Reading& reading, const BlobReader& blobs,
                             const std::vector<store::RunHead>& runs,
                             const v1::GetTrendRequest& request, SeriesIdentity& function,
                             QueryMemory* memory) {
  const uint64_t of_no_file = profile::FunctionHash(function.function, "");
  if (function.hashes.size() == 1 && function.hashes.contains(of_no_file)) return absl::OkStatus();
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const base::DecodingScope scope(blobs.decoding());
    const absl::StatusOr<std::vector<profile::ComputedProfile>> profiles =
        ProfilesOf(reading, blobs, *run, request.target(), memory);
    if (!profiles.ok()) return profiles.status();
    if (profiles->empty()) continue;
    for (const profile::ComputedProfile& profile : *profiles) AddHashes(profile, function);
    break;
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::reporter
