#include "analyzer/worker/analyze_target.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/compute_profile.h"
#include "analyzer/worker/target_images.h"
#include "profile/computed.h"
#include "profile/computed_codec.h"
#include "profile/series_codec.h"
#include "profile/sha256.h"

namespace gprofhub {

namespace {

constexpr char kNoProfiles[] = "No process of this target left a profile.";
constexpr char kCallsAreSamples[] =
    "Calls were sampled, not counted: each number of calls is that of the samples that saw them.";

uint32_t Repetitions(const TargetData& data) {
  std::set<uint32_t> run_numbers;
  for (const TargetData::Profile& profile : data.profiles) {
    run_numbers.insert(profile.execution.run_number);
  }
  return static_cast<uint32_t>(std::max<size_t>(1, run_numbers.size()));
}

absl::StatusOr<ComputedProfile> ComputeCounted(const Blobs& blobs, const TargetData& data,
                                               const std::function<bool()>& stopping) {
  const absl::StatusOr<TargetModules> modules = ReadTargetModules(blobs, data, stopping);
  if (!modules.ok()) return modules.status();
  if (stopping()) return absl::CancelledError("the worker is stopping");
  ComputeOptions options;
  options.repetitions = Repetitions(data);
  options.profiles = static_cast<uint32_t>(data.profiles.size());
  return ComputeProfile(modules->profile, options);
}

absl::StatusOr<ComputedProfile> ComputeSampled(const Blobs& blobs, const TargetData& data,
                                               const std::function<bool()>& stopping) {
  absl::StatusOr<TargetStacks> stacks = ReadTargetStacks(blobs, data, stopping);
  if (!stacks.ok()) return stacks.status();
  ComputedProfile computed = stacks->profile.Take();
  computed.repetitions = Repetitions(data);
  computed.profiles = static_cast<uint32_t>(data.profiles.size());
  computed.warnings.push_back(kCallsAreSamples);
  return computed;
}

}  // namespace

absl::StatusOr<AnalysisResult> AnalyzeTarget(const Reading& reading, const Blobs& blobs,
                                             const Job& job,
                                             const std::function<bool()>& stopping) {
  const absl::StatusOr<TargetData> data = reading.ReadTargetData(job.run_id, job.target);
  if (!data.ok()) return data.status();

  const absl::StatusOr<RunRecord> run = reading.ReadRun(job.run_id);
  if (!run.ok()) return run.status();
  const bool is_sampled = run->profile_kind == ProfileKind::kSampled;
  absl::StatusOr<ComputedProfile> computed =
      is_sampled ? ComputeSampled(blobs, *data, stopping) : ComputeCounted(blobs, *data, stopping);
  if (!computed.ok()) return computed.status();
  if (data->profiles.empty()) computed->warnings.push_back(kNoProfiles);

  AnalysisResult result;
  std::string bytes = EncodeComputedProfile(*computed);
  result.computed.name = Sha256Hex(bytes);
  result.computed.bytes = std::move(bytes);
  if (is_sampled) return result;
  for (auto& [bucket, payload] : EncodeSeries(*computed)) {
    result.segments.push_back({job.run_id, job.target, bucket, std::move(payload)});
  }
  return result;
}

}  // namespace gprofhub
