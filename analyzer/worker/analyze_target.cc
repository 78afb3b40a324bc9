#include "analyzer/worker/analyze_target.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/compute_profile.h"
#include "profile/architecture.h"
#include "profile/computed_codec.h"
#include "profile/gmon_reader.h"
#include "profile/profile_merge.h"
#include "profile/series_codec.h"
#include "profile/sha256.h"
#include "profile/symbol_bundle.h"

namespace gprofhub {
namespace {

// One image's symbols and the sum of its profiles so far.
struct ImageSum {
  SymbolTable symbols;
  GmonReadOptions gmon_options;
  ProfileMerger profiles;
};

absl::Status WithContext(const absl::Status& status, absl::string_view context) {
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

absl::Status ReadImage(Store& store, const BlobName& bundle, ImageSum& image) {
  const absl::StatusOr<std::string> bytes = store.ReadBlob(bundle);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<SymbolTable> symbols = DecodeSymbolBundle(*bytes);
  if (!symbols.ok()) return symbols.status();
  const absl::StatusOr<GmonReadOptions> options = GmonOptionsFor(symbols->architecture);
  if (!options.ok()) return options.status();
  image.symbols = *std::move(symbols);
  image.gmon_options = *options;
  return absl::OkStatus();
}

absl::Status AddProfile(Store& store, const ProfileRecord& profile, ImageSum& image) {
  const absl::StatusOr<std::string> bytes = store.ReadBlob(profile.gmon);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<RawProfile> part = ReadGmon(*bytes, profile.process, image.gmon_options);
  if (!part.ok()) return part.status();
  return image.profiles.Add(*part);
}

}  // namespace

absl::StatusOr<AnalysisResult> AnalyzeTarget(Store& store, const Job& job,
                                             const std::function<bool()>& stopping) {
  const absl::StatusOr<TargetData> data = store.ReadTargetData(job.run_id, job.target);
  if (!data.ok()) return data.status();

  std::map<std::string, ImageSum> images;  // by build-id: the order of the result
  std::set<uint32_t> run_numbers;
  for (const TargetData::Profile& profile : data->profiles) {
    if (stopping()) return absl::CancelledError("the worker is stopping");
    const std::string& build_id = profile.profile.build_id;
    run_numbers.insert(profile.execution.run_number);
    const auto [image, is_new] = images.try_emplace(build_id);
    if (is_new) {
      absl::Status status = ReadImage(store, profile.bundle, image->second);
      if (!status.ok()) return WithContext(status, absl::StrCat("image ", build_id));
    }
    absl::Status status = AddProfile(store, profile.profile, image->second);
    if (!status.ok()) {
      return WithContext(status, absl::StrCat("profile ", profile.profile.process, " (run ",
                                              profile.execution.run_number, ", shard ",
                                              profile.execution.shard, ")"));
    }
  }

  std::vector<ImageProfile> sums;
  for (auto& [build_id, image] : images) sums.push_back({&image.symbols, image.profiles.Take()});
  if (stopping()) return absl::CancelledError("the worker is stopping");
  ComputeOptions options;
  options.repetitions = std::max<uint32_t>(1, run_numbers.size());
  options.profiles = static_cast<uint32_t>(data->profiles.size());
  absl::StatusOr<ComputedProfile> computed = ComputeProfile(sums, options);
  if (!computed.ok()) return computed.status();
  if (data->profiles.empty()) {
    computed->warnings.push_back("No process of this target left a profile.");
  }

  AnalysisResult result;
  std::string bytes = EncodeComputedProfile(*computed);
  result.computed.name = Sha256Hex(bytes);
  result.computed.bytes = std::move(bytes);
  for (auto& [bucket, payload] : EncodeSeries(*computed)) {
    result.segments.push_back({job.run_id, job.target, bucket, std::move(payload)});
  }
  return result;
}

}  // namespace gprofhub
