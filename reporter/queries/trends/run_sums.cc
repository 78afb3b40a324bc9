#include "reporter/queries/trends/run_sums.h"

#include <cstdint>
#include <map>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/codec/series.h"
#include "reporter/queries/line_points.h"
#include "reporter/queries/trends/function_sums.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

absl::StatusOr<std::vector<FunctionAtRun>> SumsOf(const store::Reading& reading,
                                                  const base::Decoding& decoding,
                                                  const SummedRuns& summed,
                                                  const SeriesIdentity& function) {
  const std::vector<store::RunHead>& runs = summed.runs;
  std::vector<FunctionAtRun> sums(runs.size());
  if (runs.empty()) return sums;
  absl::flat_hash_set<absl::string_view> branches;
  for (const store::RunHead& run : runs) branches.insert(run.branch);
  const WantedRuns wanted(runs);
  store::PointQuery query;
  query.project = summed.project;
  query.target = summed.target;
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

}  // namespace gprofhub::reporter
