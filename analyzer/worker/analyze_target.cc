#include "analyzer/worker/analyze_target.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/target/compute_profile.h"
#include "analyzer/worker/target_images.h"
#include "base/sha256.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

namespace {

constexpr char kNoProfiles[] = "No process of this target left a profile.";
constexpr char kCallsAreSamples[] =
    "Calls were sampled, not counted: each number of calls is that of the samples that saw them.";

uint32_t Repetitions(const store::TargetData& data) {
  std::set<uint32_t> run_numbers;
  for (const store::TargetData::Profile& profile : data.profiles) {
    run_numbers.insert(profile.execution.run_number);
  }
  return static_cast<uint32_t>(std::max<size_t>(1, run_numbers.size()));
}

absl::StatusOr<profile::ComputedProfile> ComputeCounted(const ReadBlob& read,
                                                        const store::TargetData& data,
                                                        const std::function<bool()>& stopping) {
  const absl::StatusOr<TargetModules> modules = ReadTargetModules(read, data, stopping);
  if (!modules.ok()) return modules.status();
  if (stopping()) return absl::CancelledError("the worker is stopping");
  ComputeOptions options;
  options.repetitions = Repetitions(data);
  options.profiles = static_cast<uint32_t>(data.profiles.size());
  return ComputeProfile(modules->profile, options);
}

absl::StatusOr<profile::ComputedProfile> ComputeSampled(const ReadBlob& read,
                                                        const store::TargetData& data,
                                                        const std::function<bool()>& stopping) {
  absl::StatusOr<TargetStacks> stacks = ReadTargetStacks(read, data, stopping);
  if (!stacks.ok()) return stacks.status();
  profile::ComputedProfile computed = stacks->profile.Take();
  computed.repetitions = Repetitions(data);
  computed.profiles = static_cast<uint32_t>(data.profiles.size());
  computed.warnings.push_back(kCallsAreSamples);
  return computed;
}

}  // namespace

absl::StatusOr<store::AnalysisResult> AnalyzeTarget(const AnalysisInput& input,
                                                    const ReadBlob& read,
                                                    const std::function<bool()>& stopping) {
  const store::TargetData& data = input.data;
  const bool is_sampled = input.profile_kind == store::ProfileKind::kSampled;
  absl::StatusOr<profile::ComputedProfile> computed =
      is_sampled ? ComputeSampled(read, data, stopping) : ComputeCounted(read, data, stopping);
  if (!computed.ok()) return computed.status();
  if (data.profiles.empty()) {
    computed->warnings.push_back(kNoProfiles);
  } else if (data.without_profiles > 0) {
    computed->warnings.push_back(absl::StrCat(
        "The sum is not complete: executions without a profile: ", data.without_profiles, "."));
  }

  store::AnalysisResult result;
  std::string bytes = profile::EncodeComputedProfile(*computed);
  result.computed.name = base::Sha256Hex(bytes);
  result.computed.bytes = std::move(bytes);
  // A run with a missing shard does not give a point of a series.
  if (input.profile_kind != store::ProfileKind::kCounted || data.without_profiles > 0) {
    return result;
  }
  for (std::string& payload : profile::EncodeSeries(*computed)) {
    const auto bucket = static_cast<uint32_t>(result.segments.size());
    result.segments.push_back({input.run_id, input.target, bucket, std::move(payload)});
  }
  return result;
}

}  // namespace gprofhub::analyzer
