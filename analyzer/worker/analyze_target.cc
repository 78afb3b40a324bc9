#include "analyzer/worker/analyze_target.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/compute_profile.h"
#include "analyzer/worker/target_images.h"
#include "profile/computed_codec.h"
#include "profile/series_codec.h"
#include "profile/sha256.h"

namespace gprofhub {

absl::StatusOr<AnalysisResult> AnalyzeTarget(Store& store, const Job& job,
                                             const std::function<bool()>& stopping) {
  const absl::StatusOr<TargetData> data = store.ReadTargetData(job.run_id, job.target);
  if (!data.ok()) return data.status();

  const absl::StatusOr<TargetModules> modules = ReadTargetModules(store, *data, stopping);
  if (!modules.ok()) return modules.status();

  std::set<uint32_t> run_numbers;
  for (const TargetData::Profile& profile : data->profiles) {
    run_numbers.insert(profile.execution.run_number);
  }
  if (stopping()) return absl::CancelledError("the worker is stopping");
  ComputeOptions options;
  options.repetitions = std::max<uint32_t>(1, run_numbers.size());
  options.profiles = static_cast<uint32_t>(data->profiles.size());
  ComputedProfile computed = ComputeProfile(modules->profile, options);
  if (data->profiles.empty()) {
    computed.warnings.push_back("No process of this target left a profile.");
  }

  AnalysisResult result;
  std::string bytes = EncodeComputedProfile(computed);
  result.computed.name = Sha256Hex(bytes);
  result.computed.bytes = std::move(bytes);
  for (auto& [bucket, payload] : EncodeSeries(computed)) {
    result.segments.push_back({job.run_id, job.target, bucket, std::move(payload)});
  }
  return result;
}

}  // namespace gprofhub
