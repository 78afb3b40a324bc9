#include "reporter/queries/trend.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "reporter/history/trend.h"
#include "reporter/queries/function_sums.h"
#include "reporter/queries/line_points.h"
#include "reporter/queries/read_profiles.h"
#include "store/records/history.h"
#include "store/records/records.h"

namespace gprofhub::reporter {
namespace {

constexpr uint32_t kDefaultTrendRuns = 100;
constexpr uint32_t kMostTrendRuns = 10000;
// A function that the newest run lost may still be found in one of these.
constexpr size_t kRunsToResolveIn = 5;

// What each run says of the function.
absl::StatusOr<std::vector<FunctionAtRun>> SumsOf(const store::Reading& reading,
                                                  const base::Decoding& decoding,
                                                  const v1::GetTrendRequest& request,
                                                  const std::vector<store::RunHead>& runs,
                                                  const SeriesIdentity& function) {
  std::vector<FunctionAtRun> sums(runs.size());
  if (runs.empty()) return sums;
  std::vector<std::pair<int64_t, size_t>> places;
  absl::flat_hash_set<absl::string_view> branches;
  places.reserve(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    places.emplace_back(runs[i].id, i);
    branches.insert(runs[i].branch);
  }
  const WantedRuns wanted(std::move(places));
  store::PointQuery query;
  query.project = request.project();
  query.target = request.target();
  query.first_run_id = wanted.first_id();
  query.last_run_id = wanted.last_id();
  for (const absl::string_view branch : branches) query.branches.emplace_back(branch);
  std::map<uint32_t, absl::flat_hash_set<uint64_t>> buckets;
  for (const uint64_t hash : function.hashes) buckets[profile::SeriesBucket(hash)].insert(hash);
  for (const auto& [bucket, hashes] : buckets) {
    query.bucket = bucket;
    query.functions.assign(hashes.begin(), hashes.end());
    const base::DecodingScope scope(decoding);
    const absl::StatusOr<std::vector<store::LinePoints>> lines =
        ReadLines(reading, query, decoding);
    if (!lines.ok()) return lines.status();
    FunctionSums of_bucket(hashes, wanted, decoding, sums);
    for (const store::LinePoints& line : *lines) {
      if (absl::Status status = of_bucket.Add(line); !status.ok()) return status;
    }
  }
  return sums;
}

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

// The function that the request names, in the newest runs that were analysed.
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

// Whether one of the newest runs that were analysed has the function.
bool IsInNewestRuns(const std::vector<FunctionAtRun>& sums) {
  size_t looked_at = 0;
  for (const FunctionAtRun& sum : sums) {
    if (sum.present) return true;
    if (sum.analysed && ++looked_at == kRunsToResolveIn) break;
  }
  return false;
}

// A static function's series changes its hash when its file moves: the oldest run may know it under
// another one.
absl::Status AddOldestHashes(const store::Reading& reading, const BlobReader& blobs,
                             const std::vector<store::RunHead>& runs, absl::string_view target,
                             SeriesIdentity& function, QueryMemory* memory) {
  const uint64_t of_no_file = profile::FunctionHash(function.function, "");
  if (function.hashes.size() == 1 && function.hashes.contains(of_no_file)) return absl::OkStatus();
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const base::DecodingScope scope(blobs.decoding());
    const absl::StatusOr<std::vector<profile::ComputedProfile>> profiles =
        ProfilesOf(reading, blobs, *run, target, memory);
    if (!profiles.ok()) return profiles.status();
    if (profiles->empty()) continue;
    for (const profile::ComputedProfile& profile : *profiles) AddHashes(profile, function);
    break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::GetTrendResponse> GetTrend(const store::Reading& reading,
                                              const BlobReader& blobs,
                                              const v1::GetTrendRequest& request,
                                              QueryMemory* memory) {
  if (request.limit() > kMostTrendRuns) {
    return absl::InvalidArgumentError(absl::StrCat("limit: at most ", kMostTrendRuns));
  }
  store::RunFilter filter;
  filter.project = request.project();
  filter.branch = request.branch();
  filter.counted_only = true;
  filter.limit = request.limit() == 0 ? kDefaultTrendRuns : request.limit();
  const absl::StatusOr<std::vector<store::RunHead>> runs = reading.ListRunHeads(filter);
  if (!runs.ok()) return runs.status();

  // Who gives a linkage name, as pages' links do, names the series: no profile has to be read for
  // it, unless the function is static.
  const SeriesIdentity named = {request.function(),
                                {profile::FunctionHash(request.function(), "")}};
  const absl::StatusOr<std::vector<FunctionAtRun>> of_name =
      SumsOf(reading, blobs.decoding(), request, *runs, named);
  if (!of_name.ok()) return of_name.status();
  if (IsInNewestRuns(*of_name)) return BuildTrend(named, *runs, *of_name);

  absl::StatusOr<SeriesIdentity> function = FindFunction(reading, blobs, *runs, request, memory);
  if (!function.ok()) return function.status();
  absl::Status status = AddOldestHashes(reading, blobs, *runs, request.target(), *function, memory);
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<FunctionAtRun>> sums =
      SumsOf(reading, blobs.decoding(), request, *runs, *function);
  if (!sums.ok()) return sums.status();
  return BuildTrend(*function, *runs, *sums);
}

}  // namespace gprofhub::reporter
